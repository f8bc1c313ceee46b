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

/// Many short pieces keep a GPU busy; equations of a longer one are summed in less room.
constexpr Count leastPiece(const PieceNeeds& needs, unsigned rank) { return needs.least ? needs.least(rank) : 512; }
constexpr Count pieceNumbers(const PieceNeeds& needs, unsigned rank, unsigned valueBytes)
{
    return needs.numbers ? needs.numbers(rank, valueBytes) : equationNumbers(rank);
}

/// How the passes of a mode are cut: launches of some milliseconds, δ and sums that fit.
struct PassSizes {
    Count entriesAtOnce = 0; ///< δ are kept of so many
    Count rowsAtOnce = 0;
    Count longestPiece = 0; ///< longer rows are cut
    Count mostPieces = 0; ///< of all rows that are cut, at most
};

constexpr PassSizes passSizes(Count entries, Count coreNumbers, unsigned rank, unsigned valueBytes, const PieceNeeds& needs)
{
    constexpr Count roomBytes = Count{1} << 28, contractions = Count{1} << 36, solutions = Count{1} << 31, roomNumbers = Count{1} << 25;
    PassSizes sizes;
    const Count fitting = roomBytes / (deviceStride(rank) * valueBytes), quick = contractions / paddedCore(coreNumbers, rank);
    sizes.entriesAtOnce = std::max<Count>(4096, std::min(fitting, quick));
    sizes.rowsAtOnce = std::clamp<Count>(solutions / (Count{rank} * rank * rank), 256, Count{1} << 22);
    const Count pieces = std::max<Count>(roomNumbers / pieceNumbers(needs, rank, valueBytes), 64);
    sizes.longestPiece = std::min(sizes.entriesAtOnce, std::max(leastPiece(needs, rank), entries / pieces));
    sizes.mostPieces = 2 * entries / sizes.longestPiece;
    return sizes;
}

/// Whether a mode's entries are grouped by their rows at position 0, batch after batch: where these have entries enough to share them.
inline bool groupsPay(const core_contraction::Walk& walk, const std::vector<Index>& dims, Count entries, Count entriesAtOnce)
{
    constexpr Count leastInGroup = 16;
    return walk.tabled && walk.order() == 3 && std::min(entries, entriesAtOnce) / dims[walk.tupleMode()] >= leastInGroup;
}

/// Numbers of the sums over groups, of all rows and slices; 0: sums for the core are not made in groups.
inline Count groupNumbers(const core_contraction::Walk& walk, const std::vector<Index>& dims, Count entries)
{
    constexpr Count mostNumbers = Count{1} << 24;
    const Count stride = deviceStride(walk.openRank());
    if (walk.order() != 3 || std::max<Count>(stride, deviceStride(walk.ranks[2])) > core_contraction::gpu::groupedStride)
        return 0;
    const Count part = walk.ranks[2] * stride, rows = dims[walk.tupleMode()];
    const Count numbers = rows * core_contraction::gpu::groupSlices(entries, rows, part) * (part + 2);
    return numbers <= mostNumbers ? numbers : 0;
}

/// Which modes' entries are grouped. Those that sums for the core are made of only where these are, too.
inline std::vector<bool> groupedModes(const RunPlan& plan, const std::vector<Count>& entriesAtOnce)
{
    std::vector<bool> grouped;
    for (unsigned n = 0; n < plan.rows.size(); ++n) {
        const bool ofCore = plan.core.modes.front() == n;
        grouped.push_back(groupsPay(plan.rows[n], plan.shape.dims, plan.shape.entries, entriesAtOnce[n])
                          && (!ofCore || groupNumbers(plan.rows[n], plan.shape.dims, plan.shape.entries) > 0));
    }
    return grouped;
}

/// Groups that the entries of a mode come to, at most: a row at position 0 may begin one in every batch.
inline Count mostGroups(const core_contraction::Walk& walk, const std::vector<Index>& dims, Count entries, Count batches)
{
    return entries / core_contraction::gpu::groupEntries + std::min(entries, batches * dims[walk.tupleMode()]) + 1;
}

/// Batches that rows are cut into, at most: none but the last leaves room for half of the entries and half of the rows.
constexpr Count mostBatches(const PassSizes& sizes, Count entries, Count rows)
{
    return 2 * (entries / sizes.entriesAtOnce + rows / sizes.rowsAtOnce) + 2;
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
