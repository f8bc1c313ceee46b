// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_ccd/back_end.h"

#include <bit>

namespace kernels::tucker_ccd {
namespace {

constexpr unsigned halfBits = 16;
using Counts = std::vector<Count>;

/// In the order of the numbers: from 0 on as their bits are, below 0 the other way round.
std::uint32_t bitsOf(float responsibility)
{
    constexpr std::uint32_t sign = 1U << 31;
    const auto bits = std::bit_cast<std::uint32_t>(responsibility + 0.0F); // −0 as 0
    return bits & sign ? ~bits : bits | sign;
}

/// The place of element number `count` among counted ones; `count` becomes its number among those in that place.
std::uint32_t placeOf(const Counts& counts, Count& count)
{
    std::uint32_t place = 0;
    while (count >= counts[place])
        count -= counts[place++];
    return place;
}

} // namespace

/// Counts by the upper half of the bits, then by the lower half of those that lie at the bound.
template <class T> void pruneLeast(Array<T>& numbers, const Array<float>& responsibilities, Count count)
{
    if (count == 0)
        return;
    Counts upper(std::size_t{1} << halfBits, 0), lower(std::size_t{1} << halfBits, 0);
    for (Count i = 0; i < numbers.size(); ++i)
        if (numbers[i] != 0)
            ++upper[bitsOf(responsibilities[i]) >> halfBits];
    Count left = count - 1; // the number of the last one to go
    const std::uint32_t high = placeOf(upper, left);
    for (Count i = 0; i < numbers.size(); ++i)
        if (const std::uint32_t bits = bitsOf(responsibilities[i]); numbers[i] != 0 && bits >> halfBits == high)
            ++lower[bits & ((1U << halfBits) - 1)];
    const std::uint32_t bound = high << halfBits | placeOf(lower, left);
    Count atBound = left + 1;
    for (Count i = 0; i < numbers.size(); ++i) {
        const std::uint32_t bits = bitsOf(responsibilities[i]);
        if (numbers[i] == 0 || bits > bound || (bits == bound && atBound == 0))
            continue;
        atBound -= bits == bound;
        numbers[i] = 0;
    }
}

template void pruneLeast(Array<float>&, const Array<float>&, Count);
template void pruneLeast(Array<double>&, const Array<float>&, Count);

} // namespace kernels::tucker_ccd
