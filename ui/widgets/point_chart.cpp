// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/point_chart.h"

#include "ui/formatting.h"
#include "ui/models/axis_ticks.h"
#include "ui/models/pareto_front.h"
#include "ui/theme.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTextStream>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr double topMargin = 8, bottomMargin = 26, rightMargin = 14, markerSize = 10;
constexpr double logFrom = 30; ///< costs that differ by more stand on a logarithmic axis

/// What the axis of costs shows: from 0 on, or whole decades' parts where costs differ by much.
void setCostRange(ChartAxis& axis, double low, double high)
{
    axis.log = low > 0 && high / low > logFrom;
    if (axis.log) {
        axis.low = std::log10(low) - 0.15;
        axis.high = std::log10(high) + 0.15;
        return;
    }
    const double step = niceStepAbove(high > 0 ? high * 1.08 / 5 : 0.2);
    axis.low = 0;
    axis.high = std::ceil(std::max(high * 1.08, step) / step) * step;
}

} // namespace

PointChart::PointChart(const QString& accessibleName, QWidget* parent)
    : QWidget(parent)
    , m_xAxis(&formatting::axisValue)
    , m_xValue(&formatting::axisValue)
    , m_yAxis(&formatting::axisValue)
    , m_yValue(&formatting::axisValue)
{
    setAccessibleName(accessibleName);
    setAccessibleDescription(tr("Left and right step from run to run."));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void PointChart::setXAxis(const QString& name, AxisLabel axis, AxisLabel value)
{
    m_xName = name;
    m_xAxis = std::move(axis);
    m_xValue = std::move(value);
}

void PointChart::setYAxis(const QString& name, AxisLabel axis, AxisLabel value, bool higherIsBetter)
{
    m_yName = name;
    m_yAxis = std::move(axis);
    m_yValue = std::move(value);
    m_higherIsBetter = higherIsBetter;
}

void PointChart::setEmptyText(const QString& text) { m_emptyText = text; }

void PointChart::setPoints(std::vector<ChartPoint> points)
{
    const int hoveredId = m_hovered >= 0 ? m_points[static_cast<std::size_t>(m_hovered)].id : -1;
    m_points = std::move(points);
    std::erase_if(m_points, [](const ChartPoint& point) { return !std::isfinite(point.x) || !std::isfinite(point.y); });
    const auto at = std::find_if(m_points.begin(), m_points.end(), [&](const ChartPoint& point) { return point.id == hoveredId; });
    m_hovered = at == m_points.end() ? -1 : static_cast<int>(at - m_points.begin());
    std::vector<QPointF> places;
    std::vector<int> groups;
    for (const ChartPoint& point : m_points) {
        places.emplace_back(point.x, point.y);
        groups.push_back(point.group);
    }
    m_fronts = paretoFronts(places, groups, m_higherIsBetter);
    layOut();
    update();
}

void PointChart::setHighlighted(int id)
{
    if (m_highlighted == id)
        return;
    m_highlighted = id;
    update();
}

std::vector<std::vector<int>> PointChart::fronts() const
{
    std::vector<std::vector<int>> all;
    for (const auto& front : m_fronts) {
        std::vector<int>& ids = all.emplace_back();
        for (const std::size_t i : front)
            ids.push_back(m_points[i].id);
    }
    return all;
}

bool PointChart::isInFront(std::size_t point) const
{
    return std::any_of(m_fronts.begin(), m_fronts.end(),
                       [point](const auto& front) { return std::find(front.begin(), front.end(), point) != front.end(); });
}

QPointF PointChart::pixelOf(const ChartPoint& point) const
{
    return {m_frame.pixelX(m_frame.x.toAxis(point.x)), m_frame.pixelY(m_frame.y.toAxis(point.y))};
}

QPointF PointChart::positionOf(int id) const
{
    const auto at = std::find_if(m_points.begin(), m_points.end(), [id](const ChartPoint& point) { return point.id == id; });
    return at == m_points.end() ? QPointF() : pixelOf(*at);
}

QStringList PointChart::namesShown() const
{
    QStringList names;
    for (const Label& label : m_labels)
        names += m_points[label.point].name;
    return names;
}

void PointChart::layOut()
{
    double xLow = 0, xHigh = 0, yLow = 0, yHigh = 0;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const ChartPoint& p = m_points[i];
        xLow = i ? std::min(xLow, p.x) : p.x;
        xHigh = i ? std::max(xHigh, p.x) : p.x;
        yLow = i ? std::min(yLow, p.y) : p.y;
        yHigh = i ? std::max(yHigh, p.y) : p.y;
    }
    m_frame.x.whole =
        !m_points.empty() && std::all_of(m_points.begin(), m_points.end(), [](const ChartPoint& p) { return p.x == std::floor(p.x); });
    setCostRange(m_frame.x, xLow, m_points.empty() ? 1 : xHigh);
    std::tie(m_frame.y.low, m_frame.y.high) = m_points.empty() ? std::pair(0.0, 1.0) : paddedRange(yLow, yHigh, 5);
    layOutTicks(m_frame.y, std::clamp(height() / 46, 2, 5), m_yAxis);
    const double left = leftMargin(m_frame.y.labels);
    m_frame.plot =
        QRectF(left, topMargin, std::max(20.0, width() - left - rightMargin), std::max(20.0, height() - topMargin - bottomMargin));
    layOutTicks(m_frame.x, std::clamp(static_cast<int>(m_frame.plot.width() / 62), 2, 6), m_xAxis);
    placeLabels();
}

/// Beside the point where nothing else is: to the right, the left, above, below, or there to one side.
std::optional<QRectF> PointChart::freePlace(const QPointF& at, const QSizeF& size, const std::vector<QRectF>& taken) const
{
    const double gap = markerSize / 2 + 4, w = size.width(), h = size.height();
    const double above = at.y() - gap - h + 2, below = at.y() + gap - 2;
    const std::array places{QPointF(at.x() + gap, at.y() - h / 2), QPointF(at.x() - gap - w, at.y() - h / 2),
                            QPointF(at.x() - w / 2, above),        QPointF(at.x() - w / 2, below),
                            QPointF(at.x() - w + gap, above),      QPointF(at.x() - w + gap, below),
                            QPointF(at.x() - gap, above),          QPointF(at.x() - gap, below)};
    const QRectF inside = m_frame.plot.adjusted(-4, -6, 10, 4);
    for (const QPointF& corner : places) {
        const QRectF place(corner, size);
        if (inside.contains(place) && std::none_of(taken.begin(), taken.end(), [&](const QRectF& each) { return each.intersects(place); }))
            return place;
    }
    return {};
}

/// Small pieces of the lines that join the fronts: no name is to lie on them.
std::vector<QRectF> PointChart::frontPieces() const
{
    constexpr double piece = 4;
    std::vector<QRectF> pieces;
    for (const auto& front : m_fronts)
        for (std::size_t i = 1; i < front.size(); ++i) {
            const QPointF from = pixelOf(m_points[front[i - 1]]), way = pixelOf(m_points[front[i]]) - from;
            const int count = std::min(1000, static_cast<int>(std::hypot(way.x(), way.y()) / piece));
            for (int k = 0; k < count; ++k)
                pieces.emplace_back(from + way * k / count, QSizeF(1, 1));
        }
    return pieces;
}

/// The fronts' names first: they are what somebody looks for.
void PointChart::placeLabels()
{
    constexpr double mostWidth = 150;
    m_labels.clear();
    const QFontMetricsF metrics(chartFont());
    std::vector<QRectF> taken = frontPieces();
    for (const ChartPoint& point : m_points) {
        const QPointF at = pixelOf(point);
        taken.emplace_back(at.x() - markerSize / 2, at.y() - markerSize / 2, markerSize, markerSize);
    }
    std::vector<std::size_t> order;
    for (const auto& front : m_fronts)
        order.insert(order.end(), front.begin(), front.end());
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (!isInFront(i))
            order.push_back(i);
    for (const std::size_t i : order) {
        const QString text = metrics.elidedText(m_points[i].name, Qt::ElideMiddle, mostWidth);
        const auto place = freePlace(pixelOf(m_points[i]), {metrics.horizontalAdvance(text) + 2, metrics.height()}, taken);
        if (!place)
            continue;
        taken.push_back(*place);
        m_labels.push_back({i, *place, text});
    }
}

void PointChart::paintFront(QPainter& painter) const
{
    painter.setPen(QPen(tokens().muted, 1, Qt::DashLine));
    for (const auto& front : m_fronts)
        for (std::size_t i = 1; i < front.size(); ++i)
            painter.drawLine(pixelOf(m_points[front[i - 1]]), pixelOf(m_points[front[i]]));
}

void PointChart::paintPoints(QPainter& painter) const
{
    const auto isFaint = [this](const ChartPoint& point) { return m_highlighted >= 0 && point.id != m_highlighted; };
    for (const ChartPoint& point : m_points) {
        QColor color = point.color;
        color.setAlphaF(isFaint(point) ? 0.3F : 1.0F);
        drawMarker(painter, pixelOf(point), point.marker, point.id == m_highlighted ? markerSize + 3 : markerSize, color);
    }
    painter.setFont(chartFont());
    for (const Label& label : m_labels) {
        QColor color = tokens().text;
        color.setAlphaF(isFaint(m_points[label.point]) ? 0.4F : 1.0F);
        painter.setPen(color);
        painter.drawText(label.place, Qt::AlignCenter, label.text);
    }
}

void PointChart::paintTip(QPainter& painter) const
{
    const ChartPoint& point = m_points[static_cast<std::size_t>(m_hovered)];
    ChartTooltip tip;
    tip.columns = QStringList{m_yName, m_xName};
    tip.rows.push_back({point.color, point.marker, point.name, {m_yValue(point.y, 0), m_xValue(point.x, 0)}});
    paintTooltip(painter, m_frame.plot, pixelOf(point).x(), tip);
}

void PointChart::paintAll(QPainter& painter) const
{
    paintGrid(painter, m_frame);
    if (m_points.empty())
        return paintEmptyText(painter, m_frame.plot, m_emptyText);
    paintFront(painter);
    paintPoints(painter);
}

void PointChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintAll(painter);
    if (m_hovered >= 0)
        paintTip(painter);
    if (hasFocus()) {
        painter.setPen(QPen(tokens().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
}

void PointChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void PointChart::mouseMoveEvent(QMouseEvent* event)
{
    double nearest = 14; // pixels
    int found = -1;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF away = pixelOf(m_points[i]) - event->position();
        const double distance = std::hypot(away.x(), away.y());
        if (distance < nearest) {
            nearest = distance;
            found = static_cast<int>(i);
        }
    }
    setHovered(found);
}

void PointChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    setHovered(-1);
}

void PointChart::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setHovered(-1);
    update();
}

void PointChart::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0 || m_points.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    std::vector<int> order(m_points.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<int>(i);
    std::sort(order.begin(), order.end(),
              [this](int a, int b) { return m_points[static_cast<std::size_t>(a)].x < m_points[static_cast<std::size_t>(b)].x; });
    const int count = static_cast<int>(order.size());
    const auto at = std::find(order.begin(), order.end(), m_hovered);
    const int next = at == order.end() ? (step > 0 ? 0 : count - 1) : std::clamp(static_cast<int>(at - order.begin()) + step, 0, count - 1);
    setHovered(order[static_cast<std::size_t>(next)]);
}

void PointChart::setHovered(int index)
{
    if (index == m_hovered)
        return;
    m_hovered = index;
    update();
    Q_EMIT hovered(index < 0 ? -1 : m_points[static_cast<std::size_t>(index)].id);
}

Picture PointChart::picture() const
{
    return {QSizeF(size()), [this](QPainter& painter) { paintAll(painter); }};
}

QString PointChart::csv() const
{
    QString text;
    QTextStream out(&text);
    out << "run," << formatting::csvCell(m_xName) << ',' << formatting::csvCell(m_yName) << ",front\r\n";
    for (std::size_t i = 0; i < m_points.size(); ++i)
        out << formatting::csvCell(m_points[i].name) << ',' << formatting::exact(m_points[i].x) << ',' << formatting::exact(m_points[i].y)
            << ',' << (isInFront(i) ? 1 : 0) << "\r\n";
    return text;
}

} // namespace ui
