// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/empty_cells.h"

#include "kernels/tensor/value_sample.h"

#include <algorithm>
#include <cmath>

namespace kernels {
namespace {

using Reason = EmptyCellsAdvice::Reason;

/// A scale has few steps. They are whole, halves or quarters.
bool isScale(const std::vector<double>& sorted)
{
    constexpr std::size_t mostSteps = 21; // 0 to 10 by halves
    std::size_t steps = 0;
    for (auto at = sorted.begin(); at != sorted.end() && steps <= mostSteps; at = std::upper_bound(at, sorted.end(), *at), ++steps)
        if (*at * 4 != std::floor(*at * 4))
            return false;
    return steps <= mostSteps;
}

/// Where people store zeros, an empty cell is something else. One zero among thousands may be a sum that vanished.
bool holdsZeros(const std::vector<double>& sorted)
{
    constexpr double fewest = 0.001;
    const auto zeros = std::upper_bound(sorted.begin(), sorted.end(), 0.0) - sorted.begin();
    return static_cast<double>(zeros) >= std::max(1.0, fewest * static_cast<double>(sorted.size()));
}

/// Counts of rare things begin at 1. If zeros are left out and the least of the rest is far above, the zeros are no counts.
bool isFarFromZero(const std::vector<double>& sorted)
{
    constexpr double far = 0.25; // of the median
    return sorted.front() > 1 && sorted.front() > far * sorted[sorted.size() / 2];
}

Reason reasonOf(const std::vector<double>& sorted)
{
    if (!std::isfinite(sorted.back()) || sorted.front() < 0)
        return Reason::Negative;
    if (!looksLikeCounts(sorted))
        return isScale(sorted) ? Reason::Ratings : Reason::Measured;
    if (holdsZeros(sorted))
        return Reason::StoredZeros;
    return isFarFromZero(sorted) ? Reason::FarFromZero : Reason::Counts;
}

} // namespace

EmptyCellsAdvice adviseEmptyCells(const SparseTensor& tensor) { return adviseEmptyCells(sortedValueSample(tensor)); }

EmptyCellsAdvice adviseEmptyCells(const std::vector<double>& sorted)
{
    if (sorted.empty())
        return {};
    const Reason reason = reasonOf(sorted);
    return {reason == Reason::Counts ? EmptyCells::Zero : EmptyCells::Unknown, reason, sorted.front(), sorted.back()};
}

bool hasEmptyCells(const SparseTensor& tensor) { return tensor.density() < 1; }

} // namespace kernels
