// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_frame.h"

#include "ui/models/axis_ticks.h"
#include "ui/theme.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

double ChartAxis::toAxis(double value) const { return log ? std::log10(std::max(value, 1e-300)) : value; }
double ChartAxis::toData(double position) const { return log ? std::pow(10.0, position) : position; }

void layOutTicks(ChartAxis& axis, int wanted, const AxisLabel& label)
{
    const double leastStep = axis.whole ? 1 : 0;
    AxisTicks ticks = axis.log ? logTicks(axis.low, axis.high, wanted) : linearTicks(axis.low, axis.high, wanted, leastStep);
    for (int more = 1; !axis.log && ticks.values.size() < 2 && more <= 3; ++more)
        ticks = linearTicks(axis.low, axis.high, wanted + more, leastStep); // one label alone is no scale
    if (axis.log && ticks.values.empty()) {
        // Zoomed in below a decade: even steps of the value itself read better.
        ticks = linearTicks(axis.toData(axis.low), axis.toData(axis.high), wanted, leastStep);
        for (double& value : ticks.values)
            value = std::log10(std::max(value, 1e-300));
    }
    if (axis.log && axis.whole)
        std::erase_if(ticks.values, [&axis](double value) { return axis.toData(value) < 1 - 1e-9; });
    axis.ticks = ticks.values;
    axis.labels.clear();
    for (double value : axis.ticks)
        axis.labels += label(axis.toData(value), ticks.step);
}

double ChartFrame::pixelX(double value) const { return plot.left() + (value - x.low) / (x.high - x.low) * plot.width(); }
double ChartFrame::pixelY(double value) const { return plot.bottom() - (value - y.low) / (y.high - y.low) * plot.height(); }
double ChartFrame::axisX(double pixel) const { return x.low + (pixel - plot.left()) / plot.width() * (x.high - x.low); }
double ChartFrame::axisY(double pixel) const { return y.low + (plot.bottom() - pixel) / plot.height() * (y.high - y.low); }

QFont chartFont()
{
    QFont font = QApplication::font();
    font.setPixelSize(zoomed(11));
    return font;
}

double leftMargin(const QStringList& labels)
{
    const QFontMetricsF metrics(chartFont());
    double widest = 30;
    for (const QString& label : labels)
        widest = std::max(widest, metrics.horizontalAdvance(label));
    return std::ceil(widest / 10) * 10 + 17;
}

void paintGrid(QPainter& painter, const ChartFrame& frame, bool xLabels, bool verticalLines)
{
    const QFontMetricsF metrics(chartFont());
    const Tokens& t = tokens();
    painter.save();
    painter.setFont(chartFont());
    const QRectF& plot = frame.plot;
    for (std::size_t i = 0; i < frame.y.ticks.size(); ++i) {
        const double y = std::round(frame.pixelY(frame.y.ticks[i])) + 0.5;
        if (y < plot.top() - 1 || y > plot.bottom() + 1)
            continue;
        painter.setPen(t.grid);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(t.muted);
        painter.drawText(QRectF(0, y - 10, plot.left() - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
                         frame.y.labels[static_cast<qsizetype>(i)]);
    }
    double nextFree = -1e9; // labels never overlap: one that would is left out
    for (std::size_t i = 0; xLabels && i < frame.x.ticks.size(); ++i) {
        const double x = frame.pixelX(frame.x.ticks[i]);
        if (verticalLines) {
            painter.setPen(t.grid);
            painter.drawLine(QPointF(std::round(x) + 0.5, plot.top()), QPointF(std::round(x) + 0.5, plot.bottom()));
        }
        const QString& label = frame.x.labels[static_cast<qsizetype>(i)];
        const double width = metrics.horizontalAdvance(label);
        const double left = std::min(x - width / 2, plot.right() + 8 - width);
        if (left < nextFree)
            continue;
        nextFree = left + width + 10;
        painter.setPen(t.muted);
        painter.drawText(QRectF(left - 1, plot.bottom() + 5, width + 2, 16), Qt::AlignCenter, label);
    }
    painter.restore();
}

namespace {

struct TooltipMeasures {
    double name = 0;
    std::vector<double> columns;
    double width = 0, height = 0;
};

constexpr double rowHeight = 18, padding = 10, columnGap = 14, swatch = 16, leastLeft = 4;

/// Names give way where there is no room: the values are what somebody came for.
TooltipMeasures measure(const ChartTooltip& tooltip, const QFontMetricsF& metrics, double mostWidth)
{
    constexpr double widestName = 190, narrowestName = 24;
    TooltipMeasures m;
    for (const TooltipRow& row : tooltip.rows) {
        m.name = std::max(m.name, metrics.horizontalAdvance(row.name));
        m.columns.resize(std::max(m.columns.size(), static_cast<std::size_t>(row.values.size())));
        for (qsizetype i = 0; i < row.values.size(); ++i)
            m.columns[static_cast<std::size_t>(i)] =
                std::max({m.columns[static_cast<std::size_t>(i)], metrics.horizontalAdvance(row.values[i]),
                          i < tooltip.columns.size() ? metrics.horizontalAdvance(tooltip.columns[i]) : 0.0});
    }
    m.width = 2 * padding + swatch;
    for (double column : m.columns)
        m.width += columnGap + column;
    m.name = std::min({m.name, widestName, std::max(narrowestName, mostWidth - m.width)});
    m.width += m.name;
    m.width = std::max(m.width, 2 * padding + metrics.horizontalAdvance(tooltip.header));
    const bool headLine = !tooltip.header.isEmpty() || !tooltip.columns.isEmpty();
    m.height = 2 * padding - 4 + rowHeight * (static_cast<double>(tooltip.rows.size()) + headLine);
    return m;
}

} // namespace

void paintTooltip(QPainter& painter, const QRectF& plot, double x, const ChartTooltip& tooltip)
{
    const Tokens& t = tokens();
    const QFontMetricsF metrics(chartFont());
    const double mostRight = plot.right() + 10;
    const TooltipMeasures m = measure(tooltip, metrics, mostRight - leastLeft);
    const bool toTheRight = x + 10 + m.width <= plot.right() || x - plot.left() < plot.width() / 2;
    const double wanted = toTheRight ? x + 10 : x - 10 - m.width;
    const double left = std::clamp(wanted, leastLeft, std::max(leastLeft, mostRight - m.width));
    const QRectF box(left, plot.top() + 4, m.width, m.height);

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(chartFont());
    painter.setPen(t.line);
    painter.setBrush(t.panel);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    double y = box.top() + padding - 2;
    const auto drawValues = [&](const QStringList& values) {
        double right = box.right() - padding;
        for (std::size_t i = m.columns.size(); i-- > 0;) {
            if (static_cast<qsizetype>(i) < values.size())
                painter.drawText(QRectF(right - m.columns[i] - 2, y, m.columns[i] + 2, rowHeight), Qt::AlignRight | Qt::AlignVCenter,
                                 values[static_cast<qsizetype>(i)]);
            right -= m.columns[i] + columnGap;
        }
    };
    if (!tooltip.header.isEmpty() || !tooltip.columns.isEmpty()) {
        painter.setPen(t.muted);
        painter.drawText(QRectF(box.left() + padding, y, box.width() - 2 * padding, rowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         tooltip.header);
        drawValues(tooltip.columns);
        y += rowHeight;
    }
    for (const TooltipRow& row : tooltip.rows) {
        drawMarker(painter, QPointF(box.left() + padding + 4, y + rowHeight / 2), row.marker, 8, row.color);
        painter.setPen(t.text);
        painter.drawText(QRectF(box.left() + padding + swatch, y, m.name + 2, rowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(row.name, Qt::ElideMiddle, m.name + 1));
        drawValues(row.values);
        y += rowHeight;
    }
    painter.restore();
}

void paintEmptyText(QPainter& painter, const QRectF& plot, const QString& text)
{
    painter.save();
    QFont font = QApplication::font();
    font.setPixelSize(zoomed(12));
    painter.setFont(font);
    painter.setPen(tokens().muted);
    painter.drawText(plot.adjusted(12, 0, -12, 0), Qt::AlignCenter | Qt::TextWordWrap, text);
    painter.restore();
}

void paintNote(QPainter& painter, const QRectF& plot, const QString& text)
{
    const Tokens& t = tokens();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(chartFont());
    const double width = std::min(QFontMetricsF(chartFont()).horizontalAdvance(text) + 16, plot.width());
    const QRectF box(plot.right() - width, plot.bottom() - 26, width, 20);
    painter.setPen(t.line);
    painter.setBrush(t.background);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 10, 10);
    painter.setPen(t.muted);
    painter.drawText(box, Qt::AlignCenter, QFontMetricsF(chartFont()).elidedText(text, Qt::ElideRight, width - 12));
    painter.restore();
}

} // namespace ui
