// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/base/random.h"

#include <cstdint>

/// In which order entries are visited: pure functions of (seed, iteration), so that CPU and GPU, and any
/// number of threads, visit the same entries in the same order, and no permutation is stored.
namespace kernels::fasttucker_plus {

/// A pseudo-random bijection of [0, size): odd multiplications and xor-shifts permute the k-bit numbers,
/// and whoever lands at or above size walks on (less than one extra round on average).
struct Permutation {
    std::uint64_t size = 0;
    std::uint64_t mask = 0; ///< 2^k - 1, the smallest that holds size - 1
    std::uint64_t key = 0;
    unsigned shift = 1;

    POLYAD_HOST_DEVICE std::uint64_t at(std::uint64_t i) const
    {
        do {
            i = round(i, 0x9E3779B97F4A7C15ull, key);
            i = round(i, 0xBF58476D1CE4E5B9ull, key >> 17);
            i = round(i, 0x94D049BB133111EBull, key >> 31);
            i = round(i, 0xD6E8FEB86659FD93ull, ~key);
        } while (i >= size);
        return i;
    }

private:
    POLYAD_HOST_DEVICE std::uint64_t round(std::uint64_t z, std::uint64_t odd, std::uint64_t add) const
    {
        z = ((z + add) * odd) & mask;
        return z ^ (z >> shift);
    }
};

POLYAD_HOST_DEVICE Permutation makePermutation(std::uint64_t size, std::uint64_t seed, std::uint64_t stream, std::uint64_t counter)
{
    Permutation p;
    p.size = size;
    unsigned bits = 0;
    while (bits < 63 && (std::uint64_t{1} << bits) < size)
        ++bits;
    p.mask = (std::uint64_t{1} << bits) - 1;
    p.shift = bits / 2 + 1;
    p.key = random::bits(seed, stream, counter);
    return p;
}

/// Entries that stay together, at least, when an iteration reshuffles.
constexpr unsigned visitingBits = 7;
constexpr std::uint64_t visitingBlock = std::uint64_t{1} << visitingBits;

/// A random order to store in: at position p entry loadOrder(entries, seed).at(p) of the tensor.
POLYAD_HOST_DEVICE Permutation loadOrder(std::uint64_t entries, std::uint64_t seed)
{
    return makePermutation(entries, seed, 0x6F72646572ull, 0);
}

/// The order of iteration t over the stored positions: whole stretches of 2^stretchBits in a fresh order, then the entries that
/// fill none.
struct VisitingOrder {
    std::uint64_t entries = 0;
    Permutation stretches;
    unsigned stretchBits = visitingBits;
    std::uint64_t stride = 0, offset = 0; ///< a stride: number v is stretch (v · stride + offset) mod their count instead

    /// The stored position visited as number v of the iteration.
    POLYAD_HOST_DEVICE std::uint64_t at(std::uint64_t v) const
    {
        const std::uint64_t stretch = v >> stretchBits;
        if (stretch >= stretches.size)
            return v;
        const std::uint64_t stored = stride ? (stretch * stride + offset) % stretches.size : stretches.at(stretch);
        return stored << stretchBits | (v & ((std::uint64_t{1} << stretchBits) - 1));
    }
};

POLYAD_HOST_DEVICE VisitingOrder visitingOrder(std::uint64_t entries, std::uint64_t seed, std::uint64_t iteration,
                                               unsigned stretchBits = visitingBits)
{
    VisitingOrder order;
    order.entries = entries;
    order.stretchBits = stretchBits;
    order.stretches = makePermutation(entries >> stretchBits, seed, 0x626C6F636Bull, iteration);
    return order;
}

/// Stretches of neighbours far apart, those of every part of the stored positions evenly over the whole way, which begins
/// elsewhere in each iteration. stride: goldenStride() of the stretches.
POLYAD_HOST_DEVICE VisitingOrder spreadOrder(std::uint64_t entries, std::uint64_t seed, std::uint64_t iteration, unsigned stretchBits,
                                             std::uint64_t stride)
{
    VisitingOrder order;
    order.entries = entries;
    order.stretchBits = stretchBits;
    order.stretches.size = entries >> stretchBits;
    order.stride = stride;
    order.offset = order.stretches.size > 0 ? random::bits(seed, 0x737072656164ull, iteration) % order.stretches.size : 0;
    return order;
}

/// As they were stored, in every iteration.
POLYAD_HOST_DEVICE VisitingOrder storedOrder(std::uint64_t entries)
{
    VisitingOrder order;
    order.entries = entries;
    return order;
}

} // namespace kernels::fasttucker_plus
