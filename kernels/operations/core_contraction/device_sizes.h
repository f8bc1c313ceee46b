// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <algorithm>
#include <cstdint>

/// How much contracting a core takes on a GPU: its kernels and estimates agree on it here.
namespace kernels::core_contraction::gpu {

/// Rows, δ and the open mode of a core are padded by zeros to fours of numbers.
constexpr unsigned deviceStride(unsigned rank) { return (rank + 3) / 4 * 4; }

/// Numbers of a core whose open mode is padded.
constexpr Count paddedCore(Count coreNumbers, unsigned openRank) { return coreNumbers / openRank * deviceStride(openRank); }

/// Gradients of the core are summed in so many parts of the entries.
constexpr Count gradientParts(Count paddedCore)
{
    constexpr Count roomNumbers = Count{1} << 22, fewest = 8, most = 528; // four for each of 132 processors
    return std::clamp(roomNumbers / paddedCore, fewest, most);
}

/// Entries of a batch with the same row at position 0, neighbours in the grouped order. It ends where the next one begins.
struct Group {
    Index row;
    std::uint32_t first;
};

constexpr unsigned groupEntries = 64; ///< of a group, at most
constexpr unsigned groupedStride = 16; ///< sums over groups are made of rows that are no wider

/// Products of rows are summed for every row at position 0 in so many slices of its entries: some thousands of them each, and all of
/// the sums fit.
constexpr Count groupSlices(Count entries, Count rows, Count part)
{
    constexpr Count roomNumbers = Count{1} << 23, ofSlice = 4096;
    return std::max<Count>(1, std::min(entries / (rows * ofSlice), roomNumbers / (rows * (part + 2))));
}

} // namespace kernels::core_contraction::gpu
