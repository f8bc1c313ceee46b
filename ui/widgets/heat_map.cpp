// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map's view and how it is handled; heat_map_painter.cpp draws it.
#include "ui/widgets/heat_map.h"

#include "ui/formatting.h"
#include "ui/theme.h"
#include "ui/widgets/chart_frame.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr double topMargin = 26, bottomMargin = 10, legendWidth = 84, widestLabel = 170;
constexpr double tallestCell = 44, widestCell = 150; ///< few cells stay slim

} // namespace

HeatMap::HeatMap(const QString& accessibleName, QWidget* parent)
    : QWidget(parent)
{
    setAccessibleName(accessibleName);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void HeatMap::setContent(HeatMapContent content, bool keepView)
{
    const double before = rows();
    m_content = std::move(content);
    m_hovered.reset();
    if (!keepView || rows() != before)
        setView(0, rows());
    layOut();
    update();
}

void HeatMap::setEmptyText(const QString& text)
{
    m_emptyText = text;
    update();
}

void HeatMap::setRootScale(bool root)
{
    m_root = root;
    update();
}

void HeatMap::setMarkedRow(std::optional<std::size_t> row)
{
    m_marked = row;
    update();
}

bool HeatMap::isZoomed() const { return m_shown < rows(); }

void HeatMap::showAll() { setView(0, rows()); }

double HeatMap::scaleOf(std::size_t column) const { return column < m_content.columnScales.size() ? m_content.columnScales[column] : 1; }

double HeatMap::valueAt(std::size_t row, std::size_t column) const
{
    return m_content.overview->matrix().at(row, column) * scaleOf(column);
}

double HeatMap::shareOf(double value) const
{
    const double share = m_content.limit > 0 ? value / m_content.limit : 0;
    return m_root ? std::copysign(std::sqrt(std::abs(share)), share) : share;
}

/// Never less than four rows, never beyond the ends.
void HeatMap::setView(double first, double shown)
{
    m_shown = std::clamp(shown, std::min(4.0, rows()), rows());
    m_first = std::clamp(first, 0.0, std::max(0.0, rows() - m_shown));
    layOut();
    setAccessibleDescription(m_content.overview ? tr("rows %1 to %2 of %3")
                                                      .arg(formatting::grouped(static_cast<quint64>(m_first) + 1),
                                                           formatting::grouped(static_cast<quint64>(std::ceil(m_first + m_shown))),
                                                           formatting::grouped(m_content.overview->rows()))
                                                : m_emptyText);
    update();
}

void HeatMap::layOut()
{
    const QFontMetricsF metrics(chartFont());
    double labels = 46;
    // Labels of single rows are only shown where rows are tall: their width is taken of the ones in view.
    if (m_content.overview && m_shown <= 60)
        for (auto row = static_cast<std::size_t>(m_first); row < std::min(rows(), m_first + m_shown); ++row)
            labels = std::max(labels, std::min(widestLabel, metrics.horizontalAdvance(m_content.rowText(row))));
    const double left = std::ceil(labels / 10) * 10 + 20;
    const double width = std::max(60.0, this->width() - left - legendWidth);
    const double height = std::max(40.0, this->height() - topMargin - bottomMargin);
    m_plot = QRectF(left, topMargin, std::min(width, std::max(1.0, columns()) * widestCell),
                    std::min(height, std::max(1.0, rows()) * tallestCell));
}

void HeatMap::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

double HeatMap::rowAt(double pixel) const { return m_first + (pixel - m_plot.top()) / m_plot.height() * m_shown; }
double HeatMap::pixelOf(double row) const { return m_plot.top() + (row - m_first) / m_shown * m_plot.height(); }

/// The cell below a pixel: of the rows it covers the strongest.
std::optional<HeatMap::Cell> HeatMap::cellAt(const QPointF& pixel) const
{
    if (!m_content.overview || !m_plot.contains(pixel))
        return {};
    const double last = rows() - 1;
    Cell cell;
    cell.column = static_cast<std::size_t>(std::clamp((pixel.x() - m_plot.left()) / m_plot.width() * columns(), 0.0, columns() - 1));
    const double y = std::floor(pixel.y());
    const bool thin = m_shown > m_plot.height();
    const auto begin = static_cast<std::size_t>(std::clamp(rowAt(thin ? y : pixel.y()), 0.0, last));
    const auto end =
        thin ? static_cast<std::size_t>(std::clamp(std::ceil(rowAt(y + 1)), static_cast<double>(begin) + 1, rows())) : begin + 1;
    cell.rowsHere = end - begin;
    cell.row = m_content.overview->strongestRow(begin, end, cell.column);
    return cell;
}

QString HeatMap::tooltipText() const
{
    const auto cell = m_hovered ? cellAt(*m_hovered) : std::nullopt;
    if (!cell)
        return {};
    return QStringLiteral("%1 %2, %3 %4: %5")
        .arg(m_content.rowTitle, m_content.rowText(cell->row), m_content.columnTitle, m_content.columnText(cell->column),
             formatting::exact(valueAt(cell->row, cell->column)));
}

void HeatMap::zoom(double centre, double factor)
{
    const double shown = std::clamp(m_shown * factor, std::min(4.0, rows()), rows());
    setView(centre - (centre - m_first) * shown / m_shown, shown);
}

void HeatMap::wheelEvent(QWheelEvent* event)
{
    if (!m_content.overview || rows() <= 4) {
        event->ignore();
        return;
    }
    zoom(rowAt(event->position().y()), std::pow(1.0015, -event->angleDelta().y()));
    event->accept();
}

void HeatMap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = event->position();
    m_firstAtPress = m_first;
    m_dragged = false;
}

void HeatMap::mouseMoveEvent(QMouseEvent* event)
{
    m_hovered = event->position();
    if (m_pressed && (m_dragged || std::abs(event->position().y() - m_pressed->y()) >= QApplication::startDragDistance())) {
        m_dragged = true;
        setView(m_firstAtPress - (event->position().y() - m_pressed->y()) / m_plot.height() * m_shown, m_shown);
    }
    update();
}

void HeatMap::mouseReleaseEvent(QMouseEvent* event)
{
    const auto cell = cellAt(event->position());
    if (event->button() == Qt::LeftButton && m_pressed && !m_dragged && cell)
        Q_EMIT rowClicked(cell->row);
    m_pressed.reset();
}

void HeatMap::mouseDoubleClickEvent(QMouseEvent*) { showAll(); }

void HeatMap::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_hovered.reset();
    update();
}

void HeatMap::keyPressEvent(QKeyEvent* event)
{
    const double middle = m_first + m_shown / 2;
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(middle, 0.5);
        break;
    case Qt::Key_Minus:
        zoom(middle, 2);
        break;
    case Qt::Key_Up:
    case Qt::Key_Down:
        setView(m_first + (event->key() == Qt::Key_Up ? -0.1 : 0.1) * m_shown, m_shown);
        break;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        setView(m_first + (event->key() == Qt::Key_PageUp ? -0.9 : 0.9) * m_shown, m_shown);
        break;
    case Qt::Key_Home:
    case Qt::Key_End:
        setView(event->key() == Qt::Key_Home ? 0 : rows(), m_shown);
        break;
    case Qt::Key_0:
    case Qt::Key_Escape:
        showAll();
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace ui
