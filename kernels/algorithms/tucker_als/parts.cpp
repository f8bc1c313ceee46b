// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/base/chunks.h"
#include "kernels/operations/core_contraction/loops.h"

#include <algorithm>

namespace kernels::tucker_als {

using core_contraction::Walk;

namespace {

constexpr double partFlops = 2e7; ///< a few milliseconds of one processor
constexpr Count mostPieces = 64;

/// Of a piece of a giant row: whole blocks.
Count pieceEntries(double flops)
{
    const double blocks = partFlops / flops / static_cast<double>(core_contraction::blockEntries);
    return std::max<Count>(static_cast<Count>(blocks), 1) * core_contraction::blockEntries;
}

} // namespace

double flopsOfEntry(const Walk& walk, Count entries)
{
    const double rank = walk.openRank();
    return walk.flops / static_cast<double>(std::max<Count>(entries, 1)) + rank * rank + 4 * rank;
}

Count piecesAtOnce(Count entries, double flops) { return std::min(mostPieces, chunkCount(entries, pieceEntries(flops))); }

RowParts splitRows(const Array<Count>& begins, double flops, unsigned rank)
{
    const double rowFlops = rank * (rank / 3.0 + 4.0) * rank;
    const Count piece = pieceEntries(flops), giant = 4 * piece;
    RowParts parts;
    RowPart part;
    double inPart = 0;
    const auto close = [&](Index endRow) {
        part.endRow = endRow;
        part.end = begins[endRow];
        if (part.firstRow < part.endRow)
            parts.shared.push_back(part);
        inPart = 0;
    };
    const Index rows = static_cast<Index>(begins.size() - 1);
    for (Index row = 0; row < rows; ++row) {
        const Count own = begins[row + 1] - begins[row];
        if (own > giant) {
            close(row);
            auto& pieces = parts.giants.emplace_back();
            for (Count begin = begins[row]; begin < begins[row + 1]; begin += piece)
                pieces.push_back({row, row + 1, begin, std::min(begin + piece, begins[row + 1])});
            part = {row + 1, 0, begins[row + 1], 0};
            continue;
        }
        inPart += static_cast<double>(own) * flops + rowFlops;
        if (inPart >= partFlops) {
            close(row + 1);
            part = {row + 1, 0, begins[row + 1], 0};
        }
    }
    close(rows);
    return parts;
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
