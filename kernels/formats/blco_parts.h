// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/base/types.h"

#include <cstdint>

/// What CPU and GPU agree on about blocked linearised coordinates (blco.h).
namespace kernels::formats {

/// Some bits of every mode's index, in two ways: packed, where a mode's lie together, and interleaved, as entries are sorted.
struct BlcoWord {
    unsigned order = 0, bits = 0;
    unsigned char from[maxOrder] = {}; ///< [mode]: the index's lowest bit that is here
    unsigned char width[maxOrder] = {}, shift[maxOrder] = {}; ///< [mode]: where they lie in the packed word
    unsigned char place[64] = {}; ///< [bit of the packed word]: the interleaved one's

    POLYAD_HOST_DEVICE std::uint64_t mask(unsigned mode) const { return (std::uint64_t{1} << width[mode]) - 1; }
    /// The mode's share of a packed word.
    POLYAD_HOST_DEVICE std::uint64_t share(Index index, unsigned mode) const
    {
        return (std::uint64_t{index} >> from[mode] & mask(mode)) << shift[mode];
    }
    /// What a packed word has of a mode's index.
    POLYAD_HOST_DEVICE Index index(std::uint64_t packed, unsigned mode) const
    {
        return static_cast<Index>((packed >> shift[mode] & mask(mode)) << from[mode]);
    }
    /// What of an index is above this word.
    POLYAD_HOST_DEVICE Index above(Index index, unsigned mode) const
    {
        const unsigned below = from[mode] + width[mode];
        return static_cast<Index>(std::uint64_t{index} >> below << below);
    }
    POLYAD_HOST_DEVICE std::uint64_t interleaved(std::uint64_t packed) const
    {
        std::uint64_t key = 0;
        for (unsigned bit = 0; bit < bits; ++bit)
            key |= (packed >> bit & 1) << place[bit];
        return key;
    }
    POLYAD_HOST_DEVICE std::uint64_t packed(std::uint64_t key) const
    {
        std::uint64_t word = 0;
        for (unsigned bit = 0; bit < bits; ++bit)
            word |= (key >> place[bit] & 1) << bit;
        return word;
    }
};

} // namespace kernels::formats
