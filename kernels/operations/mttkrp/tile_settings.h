// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <algorithm>
#include <vector>

/// How a GPU works on entries in tiles (tile_kernels.cuh).
namespace kernels::mttkrp {

constexpr unsigned tileStretch = 256; ///< tiles begin at multiples of it

/// A few rows that all blocks of threads add to are added to in so many places, which are added up in the end.
inline unsigned tileCopies(Index rows)
{
    constexpr Index rowsInAll = 4096, most = 64;
    return std::clamp<Index>(rowsInAll / rows, 1, most);
}

/// Bytes of these.
inline std::uint64_t tileCopiesBytes(const std::vector<Index>& dims, unsigned rank, unsigned valueBytes)
{
    constexpr std::size_t vector = 16;
    const std::size_t row = (std::size_t{rank} * valueBytes + vector - 1) / vector * vector;
    std::uint64_t most = 0;
    for (const Index rows : dims)
        if (const unsigned copies = tileCopies(rows); copies > 1)
            most = std::max<std::uint64_t>(most, std::uint64_t{copies} * rows * row);
    return most;
}

} // namespace kernels::mttkrp
