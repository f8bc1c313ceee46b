// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"
#include "kernels/operations/observed_rows/pieces.h"

#include <algorithm>

/// How much least squares of rows take on a GPU: kernels and estimates agree on it here.
namespace kernels::observed_rows::gpu {

constexpr unsigned penaltyBlocks = 1056;
constexpr unsigned widestShared = 208; ///< ranks whose equations are solved in shared memory: 175 KB of fp64
constexpr unsigned solverBlocks = 132; ///< that solve wider ones, each in memory of its own

/// The lower half of Σ h hᵀ, then Σ (x − a·h) h; of single columns Σ h² and Σ x h.
constexpr Count ridgeNumbers(unsigned rank) { return Count{rank} * (rank + 1) / 2 + rank; }

/// Columns of Σ h hᵀ that one block of threads sums.
constexpr unsigned tileColumns(unsigned valueBytes) { return valueBytes == 4 ? 64 : 32; }

/// Launches of some tens of milliseconds; what is kept of pieces fits 256 MiB.
constexpr PieceLimits pieceLimits(Count entries, unsigned rank, unsigned order)
{
    constexpr Count roomNumbers = Count{1} << 25, products = Count{1} << 37, solutions = Count{1} << 36;
    PieceLimits limits;
    const Count square = Count{rank} * rank;
    limits.slots = std::max<Count>(roomNumbers / ridgeNumbers(rank), mostPiecesOfRow);
    limits.entriesOfPiece = std::max<Count>(1024, entries / limits.slots);
    limits.entriesOfLaunch = std::max<Count>(products / (square + 64 * order), 4096);
    limits.rowsOfLaunch = std::clamp<Count>(solutions / (square * rank), 512, Count{1} << 22);
    return limits;
}

/// Slots that a mode's pieces need at once, at most.
inline Count slotsOf(Count entries, Count rows, const PieceLimits& limits)
{
    return std::min(limits.slots, std::max<Count>(mostPieces(entries, rows, limits), 1));
}

/// Numbers in which equations of wide ranks are solved.
constexpr Count solverRoom(unsigned rank) { return rank > widestShared ? solverBlocks * ridgeNumbers(rank) : 0; }

} // namespace kernels::observed_rows::gpu
