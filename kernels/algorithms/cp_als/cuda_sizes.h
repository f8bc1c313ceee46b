// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

/// How much the dense part takes on a GPU: its kernels and the estimate agree on it here.
namespace kernels::cp_als::gpu {

constexpr unsigned evaluateBlocks = 1056;

/// Rows that stand between two products at once, so that they stay in the device's cache.
constexpr std::uint64_t rowsBetween(std::uint64_t longest, std::uint64_t stride)
{
    constexpr std::uint64_t numbers = std::uint64_t{1} << 21;
    return std::min(longest, std::max<std::uint64_t>(1024, numbers / stride));
}

/// A block adds up a tile of AᵀA: of so many columns and rows, below the diagonal or on it.
constexpr unsigned gramWidth(unsigned rank) { return rank <= 16 ? 16 : rank < 64 ? 32 : 64; }
constexpr unsigned gramTiles(unsigned rank)
{
    const unsigned tiles = (rank + gramWidth(rank) - 1) / gramWidth(rank);
    return tiles * (tiles + 1) / 2;
}

/// Parts of rows that are summed apart, at most: some blocks for every multiprocessor.
constexpr unsigned mostParts(unsigned rank) { return std::max(1U, 528 / gramTiles(rank)); }

/// AᵀA and the largest magnitudes of the columns, behind one another.
constexpr std::uint64_t numbersOfPart(unsigned rank) { return std::uint64_t{rank} * rank + rank; }

/// Of all parts, and of their sum.
constexpr std::uint64_t sumNumbers(unsigned rank) { return (mostParts(rank) + std::uint64_t{1}) * numbersOfPart(rank); }

} // namespace kernels::cp_als::gpu
