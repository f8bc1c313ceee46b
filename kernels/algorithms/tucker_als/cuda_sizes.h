// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/operations/core_contraction/device_sizes.h"

#include <algorithm>
#include <limits>

/// How much a run takes on a GPU: the back end, its kernels and the estimate agree on it here.
namespace kernels::tucker_als::gpu {

using core_contraction::gpu::deviceStride;
using core_contraction::gpu::paddedCore;

constexpr Count mostEntries = std::numeric_limits<std::uint32_t>::max() - 255; ///< positions have 32 bits
constexpr unsigned sumBlocks = 1056; ///< that sum errors or squares

/// The lower half of Σ δδᵀ, then Σ (x − a·δ) δ.
constexpr Count equationNumbers(unsigned rank) { return Count{rank} * (rank + 1) / 2 + rank; }

/// What is kept of a piece: equations, or a row.
constexpr Count pieceNumbers(unsigned rank) { return std::max<Count>(equationNumbers(rank), deviceStride(rank)); }

/// How the passes of a mode are cut: launches of some milliseconds, and sums that fit.
struct PassSizes {
    Count entriesAtOnce = 0; ///< δ are kept of so many
    Count rowsAtOnce = 0;
    Count longestPiece = 0; ///< longer rows are cut
    Count mostPieces = 0; ///< of all rows that are cut, at most
};

constexpr PassSizes passSizes(Count entries, Count coreNumbers, unsigned rank, unsigned valueBytes, Count leastPiece)
{
    constexpr Count roomBytes = Count{1} << 27, contractions = Count{1} << 36, solutions = Count{1} << 31, roomNumbers = Count{1} << 22;
    PassSizes sizes;
    const Count fitting = roomBytes / (deviceStride(rank) * valueBytes), quick = contractions / paddedCore(coreNumbers, rank);
    sizes.entriesAtOnce = std::max<Count>(4096, std::min(fitting, quick));
    sizes.rowsAtOnce = std::clamp<Count>(solutions / (Count{rank} * rank * rank), 256, Count{1} << 22);
    const Count pieces = std::clamp<Count>(roomNumbers / pieceNumbers(rank), 64, 8192);
    sizes.longestPiece = std::min(sizes.entriesAtOnce, std::max(leastPiece, entries / pieces));
    sizes.mostPieces = 2 * entries / sizes.longestPiece;
    return sizes;
}

/// Parts of rows whose a aᵀ are summed apart.
constexpr unsigned gramParts(unsigned rank)
{
    return static_cast<unsigned>(std::clamp<Count>((Count{1} << 20) / (Count{rank} * rank), 16, 512));
}

/// Numbers of sums over rows or entries, in parts.
inline Count sumNumbers(const std::vector<unsigned>& ranks)
{
    Count numbers = 2 * sumBlocks;
    for (const unsigned rank : ranks)
        numbers = std::max(numbers, Count{gramParts(rank)} * rank * rank);
    return numbers;
}

/// Needs says whether the core is fitted. Throws nothing: who asks compares memory with what there is.
RunPlan planOnDevice(const RunConfig&, const ProblemShape&, const Needs&, std::uint64_t room);

} // namespace kernels::tucker_als::gpu
