// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace app {

struct ThinnedSeries {
    std::vector<QPointF> points; ///< in the axes' units: log10 where the axis is logarithmic
    std::size_t leftOut = 0; ///< points that cannot be drawn: NaN, infinite, or ≤ 0 on a log axis
};

struct ThinningView {
    double xLow = 0, xHigh = 1; ///< what is visible, in data units
    int columns = 400; ///< pixel columns
    bool xLog = false, yLog = false;
};

constexpr std::size_t maximumPointsPerSeries = 2000;

/// The points to draw: of each pixel column the lowest and the highest, in the order they occur, with the
/// first, the last and one neighbour beyond either edge. x must ascend. Costs one pass over the visible points.
ThinnedSeries thin(std::span<const QPointF> points, const ThinningView& view);

/// Lowest and highest drawable y of the visible points; low > high when there are none.
std::pair<double, double> visibleRange(std::span<const QPointF> points, const ThinningView& view);

} // namespace app
