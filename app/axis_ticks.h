// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>
#include <vector>

namespace app {

/// Where a chart's axis has its lines and labels, in the axis's own units (exponents on a log axis).
struct AxisTicks {
    std::vector<double> values;
    double step = 0; ///< distance of two ticks; 0 on log axes
};

/// The smallest 1, 2 or 5 times a power of ten that is not below the value.
double niceStepAbove(double value);

/// Multiples of 1, 2 or 5 × 10^k inside [low, high], about so many. leastStep: 1 where there is nothing between whole numbers.
AxisTicks linearTicks(double low, double high, int wanted, double leastStep = 0);

/// Exponents of ten inside [low, high]; where fewer than two whole decades fit, 2 and 5 × 10^k join in.
AxisTicks logTicks(double low, double high, int wanted);

/// Data range → range to show: some air, never thinner than minimumShare of its size, rounded
/// outward to ticks so that a growing curve moves the axis seldom.
std::pair<double, double> paddedRange(double low, double high, int wantedTicks, double minimumShare = 0.01);

/// 1, 2, 5, 10, 20, 50 …: the end of an axis that starts at 0 and has to hold the value.
double growingEnd(double value);

} // namespace app
