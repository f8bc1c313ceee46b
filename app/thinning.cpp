// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/thinning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {
namespace {

bool drawable(const QPointF& p, const ThinningView& view)
{
    return std::isfinite(p.x()) && std::isfinite(p.y()) && (!view.xLog || p.x() > 0) && (!view.yLog || p.y() > 0);
}

QPointF inAxisUnits(const QPointF& p, const ThinningView& view)
{
    return {view.xLog ? std::log10(p.x()) : p.x(), view.yLog ? std::log10(p.y()) : p.y()};
}

/// Index range of the visible points, one neighbour wider on both sides.
std::pair<std::size_t, std::size_t> visibleIndices(std::span<const QPointF> points, const ThinningView& view)
{
    const auto before = [](const QPointF& p, double x) { return p.x() < x; };
    const auto after = [](double x, const QPointF& p) { return x < p.x(); };
    const auto first = std::lower_bound(points.begin(), points.end(), view.xLow, before);
    const auto last = std::upper_bound(first, points.end(), view.xHigh, after);
    const auto from = static_cast<std::size_t>(first - points.begin()), to = static_cast<std::size_t>(last - points.begin());
    return {from > 0 ? from - 1 : 0, std::min(points.size(), to + 1)};
}

/// The lowest and highest point of one pixel column.
struct Column {
    long number = std::numeric_limits<long>::min();
    QPointF low, high;
    bool lowFirst = true;

    void start(long n, const QPointF& p) { *this = {n, p, p, true}; }
    void add(const QPointF& p)
    {
        if (p.y() < low.y()) {
            low = p;
            lowFirst = false;
        } else if (p.y() > high.y()) {
            high = p;
            lowFirst = true;
        }
    }
    void flush(std::vector<QPointF>& out) const
    {
        if (number == std::numeric_limits<long>::min())
            return;
        out.push_back(lowFirst ? low : high);
        if (low != high)
            out.push_back(lowFirst ? high : low);
    }
};

} // namespace

ThinnedSeries thin(std::span<const QPointF> points, const ThinningView& view)
{
    ThinnedSeries result;
    const auto [from, to] = visibleIndices(points, view);
    for (const QPointF& p : points)
        result.leftOut += !drawable(p, view);

    const double low = view.xLog ? std::log10(std::max(view.xLow, 1e-300)) : view.xLow;
    const double high = view.xLog ? std::log10(std::max(view.xHigh, 1e-300)) : view.xHigh;
    // Two points a column, and two more for the ends.
    const int columns = std::clamp(view.columns, 1, static_cast<int>(maximumPointsPerSeries) / 2 - 4);
    const double scale = high > low ? columns / (high - low) : 1;
    Column column;
    QPointF last;
    bool any = false;
    double columnEnd = -std::numeric_limits<double>::infinity(); // most points lie in the column of the one before
    for (std::size_t i = from; i < to; ++i) {
        if (!drawable(points[i], view))
            continue;
        last = inAxisUnits(points[i], view);
        long number = column.number;
        if (last.x() >= columnEnd) {
            number = std::lround(std::floor(std::clamp((last.x() - low) * scale, -1.0, columns + 1.0)));
            columnEnd = number > columns ? std::numeric_limits<double>::infinity() : low + static_cast<double>(number + 1) / scale;
        }
        if (!any)
            result.points.push_back(last);
        any = true;
        if (number == column.number) {
            column.add(last);
        } else {
            column.flush(result.points);
            column.start(number, last);
        }
    }
    column.flush(result.points);
    if (any && result.points.back() != last)
        result.points.push_back(last);
    // The first point also opened its column; drawing it twice in a row says nothing.
    result.points.erase(std::unique(result.points.begin(), result.points.end()), result.points.end());
    return result;
}

std::pair<double, double> visibleRange(std::span<const QPointF> points, const ThinningView& view)
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const auto [from, to] = visibleIndices(points, view);
    for (std::size_t i = from; i < to; ++i) {
        if (!drawable(points[i], view) || points[i].x() < view.xLow || points[i].x() > view.xHigh)
            continue;
        low = std::min(low, points[i].y());
        high = std::max(high, points[i].y());
    }
    return {low, high};
}

} // namespace app
