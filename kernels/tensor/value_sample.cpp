// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/value_sample.h"

#include "kernels/tensor/moments.h"

#include <algorithm>
#include <cmath>

namespace kernels {
namespace {

constexpr Count mostLookedAt = Count{1} << 16;

/// Where a scale ends many values are; the largest of counts are few, unless there are hardly any others.
bool endsAsScalesDo(const std::vector<double>& sorted)
{
    constexpr double frequent = 0.005;
    constexpr std::ptrdiff_t fewest = 5, differentValues = 3;
    const auto largest = std::lower_bound(sorted.begin(), sorted.end(), sorted.back());
    std::ptrdiff_t different = 0;
    for (auto at = sorted.begin(); at != sorted.end() && different < differentValues; at = std::upper_bound(at, sorted.end(), *at))
        ++different;
    const std::ptrdiff_t number = sorted.end() - largest;
    return different == differentValues && number >= fewest && static_cast<double>(number) >= frequent * static_cast<double>(sorted.size());
}

} // namespace

std::vector<double> sortedValueSample(const SparseTensor& tensor)
{
    const Count entries = tensor.entries(), looked = std::min(entries, mostLookedAt);
    std::vector<double> sample(looked);
    for (Count i = 0; i < looked; ++i)
        sample[i] = tensor.value(i * entries / looked); // i < 2^16
    std::sort(sample.begin(), sample.end());
    return sample;
}

bool areWhole(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [](double x) { return x == std::floor(x); });
}

bool looksLikeCounts(const std::vector<double>& sorted)
{
    constexpr double asCountsVary = 0.8, lowInTheRange = 0.35;
    if (!areWhole(sorted) || endsAsScalesDo(sorted))
        return false;
    const Moments moments = Moments::of(sorted.data(), sorted.data() + sorted.size());
    const double lowest = sorted.front(), range = sorted.back() - lowest;
    return moments.variance() >= asCountsVary * moments.mean || moments.mean - lowest <= lowInTheRange * range;
}

} // namespace kernels
