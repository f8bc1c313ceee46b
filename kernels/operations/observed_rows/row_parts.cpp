// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/observed_rows/row_parts.h"

#include "kernels/base/chunks.h"
#include "kernels/operations/core_contraction/loops.h"

#include <algorithm>

namespace kernels::observed_rows {
namespace {

constexpr Count mostPieces = 64;

/// Of a piece of a giant row: whole blocks.
Count pieceEntries(double flops)
{
    const double blocks = partFlops / flops / static_cast<double>(core_contraction::blockEntries);
    return std::max<Count>(static_cast<Count>(blocks), 1) * core_contraction::blockEntries;
}

} // namespace

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

} // namespace kernels::observed_rows
