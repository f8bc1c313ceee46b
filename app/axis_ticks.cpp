// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/axis_ticks.h"

#include <algorithm>
#include <cmath>

namespace app {

double niceStepAbove(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return 1;
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (double factor : {1.0, 2.0, 5.0})
        if (factor * power >= value * (1 - 1e-9))
            return factor * power;
    return 10 * power;
}

AxisTicks linearTicks(double low, double high, int wanted, double leastStep)
{
    AxisTicks ticks;
    if (!(high > low) || wanted < 1)
        return ticks;
    ticks.step = std::max(leastStep, niceStepAbove((high - low) / wanted));
    const double slack = ticks.step * 1e-6;
    const double first = std::ceil((low - slack) / ticks.step);
    const double last = std::floor((high + slack) / ticks.step);
    for (double i = first; i <= last && ticks.values.size() < 100; ++i)
        ticks.values.push_back(i * ticks.step);
    return ticks;
}

AxisTicks logTicks(double low, double high, int wanted)
{
    AxisTicks ticks;
    if (!(high > low) || wanted < 1)
        return ticks;
    const auto first = static_cast<int>(std::ceil(low - 1e-9)), last = static_cast<int>(std::floor(high + 1e-9));
    if (last - first < 1) {
        for (int decade = first - 1; decade <= last + 1; ++decade)
            for (double factor : {1.0, 2.0, 3.0, 5.0, 7.0}) {
                const double at = decade + std::log10(factor);
                if (at >= low - 1e-9 && at <= high + 1e-9)
                    ticks.values.push_back(at);
            }
        if (ticks.values.size() >= 2)
            return ticks;
        return {}; // less than a digit wide: the caller labels it as a linear axis
    }
    const int stride = std::max(1, (last - first + wanted) / wanted);
    for (int decade = first; decade <= last; decade += stride)
        ticks.values.push_back(decade);
    return ticks;
}

std::pair<double, double> paddedRange(double low, double high, int wantedTicks, double minimumShare)
{
    if (!std::isfinite(low) || !std::isfinite(high) || low > high)
        return {0, 1};
    const double size = std::max(std::abs(low), std::abs(high));
    const double smallest = size > 0 ? size * minimumShare : 1;
    if (high - low < smallest) {
        const double middle = (low + high) / 2;
        low = middle - smallest / 2;
        high = middle + smallest / 2;
    }
    const double air = (high - low) * 0.04;
    const double step = niceStepAbove((high - low + 2 * air) / wantedTicks);
    const bool neverNegative = low >= 0;
    low = std::floor((low - air) / step) * step;
    high = std::ceil((high + air) / step) * step;
    return {neverNegative ? std::max(0.0, low) : low, high};
}

double growingEnd(double value) { return niceStepAbove(value); }

} // namespace app
