// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/base/types.h"

/// How entries of HiCOO (hicoo.h) are numbered.
namespace kernels::formats {

/// Blocks have so many rows of every mode; an index inside one fits a byte.
constexpr unsigned hicooBlockBits = 7;
constexpr Index hicooBlockRows = Index{1} << hicooBlockBits;

/// Of entries and of blocks.
using HicooPosition = std::uint32_t;

/// Neighbouring bits of a mode's index.
struct HicooField {
    unsigned char mode, shift, bits;
};

/// Up to 64 of the bits that entries are sorted by, the highest first.
struct HicooKey {
    unsigned fields = 0, bits = 0;
    HicooField field[64] = {};

    /// indices: [mode][entry].
    POLYAD_HOST_DEVICE std::uint64_t of(const Index* const* indices, Count entry) const
    {
        std::uint64_t key = 0;
        for (unsigned f = 0; f < fields; ++f) {
            const std::uint64_t mask = (std::uint64_t{1} << field[f].bits) - 1;
            key = key << field[f].bits | (indices[field[f].mode][entry] >> field[f].shift & mask);
        }
        return key;
    }
};

/// Whether an entry is in another block than the one before it.
POLYAD_HOST_DEVICE bool inOtherBlock(const Index* const* indices, unsigned order, Count entry, Count before)
{
    for (unsigned n = 0; n < order; ++n)
        if (indices[n][entry] >> hicooBlockBits != indices[n][before] >> hicooBlockBits)
            return true;
    return false;
}

} // namespace kernels::formats
