// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a heat map is drawn, and its numbers.
#include "ui/formatting.h"
#include "ui/theme.h"
#include "ui/widgets/chart_frame.h"
#include "ui/widgets/heat_map.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr double rowLabelHeight = 15, numberWidth = 46, numberHeight = 17;

/// Of neighbouring columns that share a pixel the strongest, where there are more of them than pixels.
void mergeColumns(std::vector<float>& bands, std::size_t count, std::size_t columns, std::size_t pixels)
{
    std::vector<float> merged(count * pixels, 0.0F);
    for (std::size_t band = 0; band < count; ++band)
        for (std::size_t c = 0; c < columns; ++c) {
            float& out = merged[band * pixels + c * pixels / columns];
            const float value = bands[band * columns + c];
            out = std::abs(value) > std::abs(out) ? value : out;
        }
    bands = std::move(merged);
}

} // namespace

/// `count` bands of the rows in view, times the columns' scales.
std::vector<float> HeatMap::bands(std::size_t count) const
{
    const std::size_t columns = m_content.overview->columns();
    std::vector<float> numbers(count * columns);
    m_content.overview->strongest(m_first, m_shown / static_cast<double>(count), count, numbers.data());
    if (!m_content.columnScales.empty())
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] *= static_cast<float>(m_content.columnScales[i % columns]);
    return numbers;
}

QImage HeatMap::cells(double scale) const
{
    const auto height = static_cast<std::size_t>(std::max(1.0, std::round(m_plot.height() * scale)));
    const auto pixels = static_cast<std::size_t>(std::max(1.0, std::round(m_plot.width() * scale)));
    std::vector<float> numbers = bands(height);
    std::size_t columns = m_content.overview->columns();
    if (columns > pixels) {
        mergeColumns(numbers, height, columns, pixels);
        columns = pixels;
    }
    const DivergingPalette& palette = Theme::instance().isDark() ? m_dark : m_light;
    QImage image(static_cast<int>(columns), static_cast<int>(height), QImage::Format_RGB32);
    for (std::size_t y = 0; y < height; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
        for (std::size_t x = 0; x < columns; ++x)
            line[x] = palette(shareOf(static_cast<double>(numbers[y * columns + x])));
    }
    return image;
}

void HeatMap::paintAll(QPainter& painter, double scale) const
{
    if (!m_content.overview) {
        paintEmptyText(painter, QRectF(rect()).adjusted(20, 0, -20, 0), m_emptyText);
        return;
    }
    painter.setFont(chartFont());
    painter.drawImage(m_plot, cells(scale));
    painter.setPen(tokens().line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(m_plot.adjusted(-0.5, -0.5, 0.5, 0.5));
    paintNumbers(painter);
    paintRowAxis(painter);
    paintColumnAxis(painter);
    paintLegend(painter);
}

void HeatMap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintAll(painter, devicePixelRatioF());
    if (hasFocus() && m_content.overview) {
        painter.setPen(QPen(tokens().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(m_plot.adjusted(-1.5, -1.5, 1.5, 1.5));
    }
    paintTip(painter);
}

/// Cells that have room for it say their number.
void HeatMap::paintNumbers(QPainter& painter) const
{
    const double width = m_plot.width() / columns(), height = m_plot.height() / m_shown;
    if (width < numberWidth || height < numberHeight)
        return;
    const DivergingPalette& palette = Theme::instance().isDark() ? m_dark : m_light;
    painter.save();
    painter.setClipRect(m_plot);
    for (auto row = static_cast<std::size_t>(m_first); row < std::min(rows(), m_first + m_shown); ++row)
        for (std::size_t c = 0; c < m_content.overview->columns(); ++c) {
            const double value = valueAt(row, c);
            const QColor ground = QColor::fromRgb(palette(shareOf(value)));
            painter.setPen(contrast(ground, Qt::white) > contrast(ground, Qt::black) ? Qt::white : Qt::black);
            painter.drawText(QRectF(m_plot.left() + static_cast<double>(c) * width, pixelOf(static_cast<double>(row)), width, height),
                             Qt::AlignCenter, formatting::number(value, 3));
        }
    painter.restore();
}

/// Labels where rows are tall enough for them, else round indices.
void HeatMap::paintRowAxis(QPainter& painter) const
{
    const QFontMetricsF metrics(chartFont());
    const double room = m_plot.left() - 12;
    const auto write = [&](double middle, const QString& text) {
        if (middle > m_plot.top() - 1 && middle < m_plot.bottom() + 1)
            painter.drawText(QRectF(0, middle - 9, room, 18), Qt::AlignRight | Qt::AlignVCenter,
                             metrics.elidedText(text, Qt::ElideRight, room - 4));
    };
    painter.setPen(tokens().muted);
    if (m_plot.height() / m_shown >= rowLabelHeight) {
        for (auto row = static_cast<std::size_t>(m_first); row < std::min(rows(), m_first + m_shown); ++row)
            write(pixelOf(static_cast<double>(row) + 0.5), m_content.rowText(row));
    } else {
        ChartAxis axis;
        axis.whole = true;
        axis.low = m_first + 1;
        axis.high = m_first + m_shown;
        layOutTicks(axis, std::max(2, static_cast<int>(m_plot.height() / 60)),
                    [](double value, double) { return formatting::axisCount(value); });
        for (std::size_t i = 0; i < axis.ticks.size(); ++i)
            write(pixelOf(axis.ticks[i] - 0.5), axis.labels[static_cast<qsizetype>(i)]);
    }
    if (m_marked && static_cast<double>(*m_marked) + 1 > m_first && static_cast<double>(*m_marked) < m_first + m_shown) {
        const double top = pixelOf(static_cast<double>(*m_marked)), bottom = pixelOf(static_cast<double>(*m_marked) + 1);
        const double middle = (top + bottom) / 2;
        painter.setPen(QPen(tokens().text, 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        if (bottom - top > 4)
            painter.drawRect(QRectF(m_plot.left(), top, m_plot.width(), bottom - top));
        else
            painter.drawLine(QPointF(m_plot.left(), middle), QPointF(m_plot.right(), middle));
        drawMarker(painter, QPointF(m_plot.left() - 5, middle), Marker::Diamond, 7, tokens().accent);
    }
}

void HeatMap::paintColumnAxis(QPainter& painter) const
{
    const QFontMetricsF metrics(chartFont());
    const double place = m_plot.width() / columns();
    painter.setPen(tokens().muted);
    const bool whole = place >= 30; // room for words
    const auto stride = whole ? 1 : static_cast<std::size_t>(std::ceil(30 / place));
    for (std::size_t c = 0; c < m_content.overview->columns(); c += stride) {
        const double left = m_plot.left() + static_cast<double>(c) * place, room = whole ? place - 4 : 60;
        const QString text = whole ? m_content.columnText(c) : QString::number(c + 1);
        const QRectF box(left + place / 2 - room / 2, m_plot.top() - 22, room, 18);
        painter.drawText(box, Qt::AlignCenter, metrics.elidedText(text, Qt::ElideRight, room));
    }
}

void HeatMap::paintLegend(QPainter& painter) const
{
    const QRectF bar(m_plot.right() + 18, m_plot.top(), 10, std::min(180.0, std::max(60.0, m_plot.height())));
    const DivergingPalette& palette = Theme::instance().isDark() ? m_dark : m_light;
    const int steps = static_cast<int>(bar.height());
    QImage image(1, steps, QImage::Format_RGB32);
    for (int y = 0; y < steps; ++y) // the bar is even in the numbers, so the root shows in its colours
        image.setPixel(0, y, palette(shareOf(m_content.limit * (1 - 2.0 * y / std::max(1, steps - 1)))));
    painter.drawImage(bar, image);
    painter.setPen(tokens().muted);
    const auto write = [&](double y, double value) {
        painter.drawText(QRectF(bar.right() + 6, y - 9, 56, 18), Qt::AlignLeft | Qt::AlignVCenter, formatting::number(value, 3));
    };
    write(bar.top() + 5, m_content.limit);
    write(bar.center().y(), 0);
    write(bar.bottom() - 5, -m_content.limit);
}

void HeatMap::paintTip(QPainter& painter) const
{
    const auto cell = m_hovered && !m_dragged ? cellAt(*m_hovered) : std::nullopt;
    if (!cell)
        return;
    const DivergingPalette& palette = Theme::instance().isDark() ? m_dark : m_light;
    const double value = valueAt(cell->row, cell->column);
    ChartTooltip tooltip;
    tooltip.header = QStringLiteral("%1 %2").arg(m_content.columnTitle, m_content.columnText(cell->column));
    if (cell->rowsHere > 1)
        tooltip.header += tr(" · strongest of %1 rows here").arg(formatting::grouped(cell->rowsHere));
    tooltip.rows.push_back({QColor::fromRgb(palette(shareOf(value))),
                            Marker::Square,
                            QStringLiteral("%1 %2").arg(m_content.rowTitle, m_content.rowText(cell->row)),
                            {formatting::exact(value)}});
    QRectF plot(0, std::clamp(m_hovered->y() + 12, 0.0, std::max(0.0, height() - 66.0)), width() - 14.0, height());
    paintTooltip(painter, plot, m_hovered->x(), tooltip);
}

Picture HeatMap::picture() const
{
    constexpr double scale = 2; // the cells are pixels in every kind of picture
    return {QSizeF(size()), [this](QPainter& painter) { paintAll(painter, scale); }};
}

QString HeatMap::csv() const
{
    QString text = QStringLiteral("first_index1,last_index1,label");
    if (!m_content.overview)
        return text + QStringLiteral("\r\n");
    const std::size_t columns = m_content.overview->columns();
    for (std::size_t c = 0; c < columns; ++c)
        text += QLatin1Char(',') + formatting::csvCell(m_content.columnText(c));
    text += QStringLiteral("\r\n");
    const auto first = static_cast<std::size_t>(m_first), last = static_cast<std::size_t>(std::ceil(m_first + m_shown));
    const std::size_t step = std::max<std::size_t>(1, static_cast<std::size_t>(m_shown / std::max(1.0, m_plot.height())));
    for (std::size_t begin = first; begin < last; begin += step) {
        const std::size_t end = std::min(last, begin + step);
        text +=
            QStringLiteral("%1,%2,%3").arg(begin + 1).arg(end).arg(step == 1 ? formatting::csvCell(m_content.rowText(begin)) : QString());
        for (std::size_t c = 0; c < columns; ++c)
            text += QLatin1Char(',') + formatting::exact(valueAt(m_content.overview->strongestRow(begin, end, c), c));
        text += QStringLiteral("\r\n");
    }
    return text;
}

} // namespace ui
