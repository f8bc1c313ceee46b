// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/svg_chart.h"

#include "app/axis_ticks.h"
#include "app/thinning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {
namespace {

constexpr double left = 58, right = 14, top = 10, bottom = 40, markerSpacing = 88;

QString number(double value) { return QString::number(value, 'f', 1); }

/// Data in the chart's pixels.
struct Plot {
    double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;
    double width, height;
    bool wholeX = true; ///< no tick lies between two iterations

    double x(double value) const { return left + (value - xLow) / (xHigh - xLow) * width; }
    double y(double value) const { return top + height - (value - yLow) / (yHigh - yLow) * height; }
};

Plot plotOf(const SvgChart& chart)
{
    Plot plot;
    plot.width = chart.width - left - right;
    plot.height = chart.height - top - bottom;
    double xHigh = 0, yLow = std::numeric_limits<double>::infinity(), yHigh = -yLow;
    for (const SvgCurve& curve : chart.curves)
        for (const QPointF& p : curve.points)
            if (std::isfinite(p.y())) {
                xHigh = std::max(xHigh, p.x());
                plot.wholeX = plot.wholeX && p.x() == std::floor(p.x());
                yLow = std::min(yLow, p.y());
                yHigh = std::max(yHigh, p.y());
            }
    plot.xHigh = xHigh > 0 ? xHigh : 1;
    std::tie(plot.yLow, plot.yHigh) = yLow <= yHigh ? paddedRange(yLow, yHigh, 5) : std::pair(0.0, 1.0);
    return plot;
}

QString text(double x, double y, const char* anchor, const QString& words)
{
    return QStringLiteral("<text x=\"%1\" y=\"%2\" text-anchor=\"%3\">%4</text>\n")
        .arg(number(x), number(y), QLatin1String(anchor), words.toHtmlEscaped());
}

QString frame(const SvgChart& chart, const Plot& plot)
{
    QString lines, words;
    const AxisTicks y = linearTicks(plot.yLow, plot.yHigh, 5), x = linearTicks(plot.xLow, plot.xHigh, 6, plot.wholeX ? 1 : 0);
    for (const double value : y.values) {
        lines += QStringLiteral("M%1 %2h%3").arg(number(left), number(plot.y(value)), number(plot.width));
        words += text(left - 8, plot.y(value) + 4, "end", chart.yLabel(value, y.step));
    }
    for (const double value : x.values)
        words += text(plot.x(value), top + plot.height + 17, "middle", chart.xLabel(value, x.step));
    words += text(left + plot.width, top + plot.height + 34, "end", chart.xName);
    return QStringLiteral("<path d=\"%1\" stroke=\"#e4e7ec\" fill=\"none\"/>\n").arg(lines)
        + QStringLiteral("<g fill=\"#667085\" font-size=\"11\" font-family=\"Inter\">\n%1</g>\n").arg(words);
}

QString marker(const RunLook& look, double x, double y, double radius)
{
    const auto corners = markerCorners(look.marker);
    const auto at = [&](double dx, double dy) { return number(x + dx * radius) + u' ' + number(y + dy * radius); };
    if (!corners.empty()) {
        QString path;
        for (const MarkerPoint& corner : corners)
            path += (path.isEmpty() ? u'M' : u'L') + at(corner.x, corner.y);
        return path + u'z';
    }
    if (look.marker == Marker::Circle)
        return QStringLiteral("M%1a%2 %2 0 1 0 %3 0a%2 %2 0 1 0 -%3 0z").arg(at(-1, 0), number(radius), number(2 * radius));
    const double d = look.marker == Marker::Cross ? 0.75 : 0, e = d > 0 ? -d : 0, one = d > 0 ? d : 1;
    return u'M' + at(-one, e) + u'L' + at(one, d > 0 ? d : 0) + u'M' + at(d > 0 ? -d : 0, one) + u'L' + at(d > 0 ? d : 0, -one);
}

QString curve(const SvgCurve& from, const Plot& plot, int place)
{
    const ThinnedSeries thinned = thin(from.points, {plot.xLow, plot.xHigh, static_cast<int>(plot.width), false, false});
    if (thinned.points.empty())
        return {};
    const QString color = QStringLiteral("#%1").arg(from.look.rgb, 6, 16, QLatin1Char('0'));
    QString line, signs, dash;
    double next = left + 24 + 19 * (place % 4); // staggered: curves that lie on each other still show both markers
    for (const QPointF& p : thinned.points) {
        const double x = plot.x(p.x()), y = plot.y(p.y());
        line += (line.isEmpty() ? QString() : QStringLiteral(" ")) + number(x) + u',' + number(y);
        if (!from.dashed && x >= next) {
            signs += marker(from.look, x, y, 3.5);
            next = x + markerSpacing;
        }
    }
    for (const double length : from.look.trainDash)
        dash += (dash.isEmpty() ? QString() : QStringLiteral(" ")) + number(length * 1.9);
    const QString style = from.dashed ? QStringLiteral(" stroke-dasharray=\"%1\"").arg(dash) : QString();
    QString drawn =
        QStringLiteral("<polyline points=\"%1\" fill=\"none\" stroke=\"%2\" stroke-width=\"1.9\" stroke-linejoin=\"round\"%3/>\n")
            .arg(line, color, style);
    if (!signs.isEmpty())
        drawn += QStringLiteral("<path d=\"%1\" fill=\"%2\" stroke=\"%2\"/>\n").arg(signs, color);
    return drawn;
}

} // namespace

QByteArray svgOf(const SvgChart& chart)
{
    const Plot plot = plotOf(chart);
    QString drawing =
        QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" height=\"%2\" viewBox=\"0 0 %1 %2\" role=\"img\">\n")
            .arg(chart.width)
            .arg(chart.height)
        + QStringLiteral("<title>%1</title>\n").arg(chart.title.toHtmlEscaped()) + frame(chart, plot);
    int place = 0;
    for (const SvgCurve& each : chart.curves)
        drawing += curve(each, plot, place++);
    return (drawing + QStringLiteral("</svg>\n")).toUtf8();
}

} // namespace app
