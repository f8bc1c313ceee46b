// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_completion_als/memory.h"
#include "kernels/operations/kruskal_rows/device_sizes.h"
#include "kernels/operations/observed_rows/device_sizes.h"

#include <algorithm>
#include <limits>

/// How much a run takes on a GPU: back ends and estimates agree on it here.
namespace kernels::cp_completion_als::gpu {

constexpr Count mostEntries = std::numeric_limits<std::uint32_t>::max() - 255; ///< positions have 32 bits

/// Sums of blocks.
constexpr unsigned sumNumbers = std::max(2 * kruskal_rows::gpu::sumBlocks, observed_rows::gpu::penaltyBlocks);

/// Residuals of a launch's entries, where h of so many columns is in several tiles; none where it is in one.
constexpr Count residualsAtOnce(Count entries, unsigned columns, unsigned valueBytes, const observed_rows::PieceLimits& limits)
{
    if (columns <= observed_rows::gpu::tileColumns(valueBytes))
        return 0;
    const Count longest = std::max(limits.entriesOfPiece, entries / observed_rows::mostPiecesOfRow) + 1; // a piece is never cut
    return std::min(entries, std::max(limits.entriesOfLaunch, longest));
}

/// Of a run that keeps the entries in an order for every mode.
MemoryUse estimateWithLists(const RunConfig&, const ProblemShape&, const ListNeeds&);

} // namespace kernels::cp_completion_als::gpu
