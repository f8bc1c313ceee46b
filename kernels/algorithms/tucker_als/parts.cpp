// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/base/chunks.h"
#include "kernels/operations/core_contraction/loops.h"

#include <algorithm>

namespace kernels::tucker_als {

using core_contraction::Walk;
using observed_rows::partFlops;

double flopsOfEntry(const Walk& walk, Count entries)
{
    const double rank = walk.openRank();
    return walk.flops / static_cast<double>(std::max<Count>(entries, 1)) + rank * rank + 4 * rank;
}

Count coreParts(const RunPlan& plan, unsigned valueBytes)
{
    constexpr Count mostBytes = Count{1} << 26, mostParts = 64, leastParts = 4, leastEntries = 1024;
    const Count fitting = std::clamp(mostBytes / (plan.shape.coreNumbers() * valueBytes), leastParts, mostParts);
    return std::min(fitting, chunkCount(plan.shape.entries, leastEntries));
}

Count entriesAtOnce(const Walk& walk, Count entries)
{
    const double each = std::max(1.0, 2 * walk.flops / static_cast<double>(std::max<Count>(entries, 1)));
    return std::clamp<Count>(static_cast<Count>(partFlops / each), core_contraction::blockEntries, Count{1} << 16);
}

} // namespace kernels::tucker_als
