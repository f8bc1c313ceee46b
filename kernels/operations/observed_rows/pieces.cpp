// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/observed_rows/pieces.h"

#include "kernels/base/chunks.h"

#include <algorithm>

namespace kernels::observed_rows {

Count mostPieces(Count entries, Count rows, const PieceLimits& limits) { return std::min(rows, entries) + entries / limits.entriesOfPiece; }

Pieces cutIntoPieces(const Array<std::uint32_t>& begins, const PieceLimits& limits)
{
    Pieces result;
    Launch launch;
    Count entries = 0; // of the launch
    const auto close = [&](Index endRow, bool sumsAreKept) {
        launch.endPiece = static_cast<std::uint32_t>(result.pieces.size());
        launch.endRow = endRow;
        if (launch.endPiece > launch.firstPiece) {
            launch.begin = result.pieces[launch.firstPiece].begin;
            launch.end = result.pieces.back().end;
        }
        if (launch.endPiece > launch.firstPiece || launch.endRow > launch.firstRow)
            result.launches.push_back(launch);
        launch = {launch.endPiece, launch.endPiece, sumsAreKept ? launch.firstSlot : launch.endPiece, endRow, endRow};
        entries = 0;
    };
    const auto rows = static_cast<Index>(begins.size() - 1);
    result.firsts.reserve(begins.size());
    for (Index row = 0; row < rows; ++row) {
        const Count begin = begins[row], length = begins[row + 1] - begin;
        const Count pieces = std::min(chunkCount(length, limits.entriesOfPiece), mostPiecesOfRow);
        if (result.pieces.size() + pieces - launch.firstSlot > limits.slots || row - launch.firstRow >= limits.rowsOfLaunch)
            close(row, false);
        result.firsts.push_back(static_cast<std::uint32_t>(result.pieces.size()));
        for (Count piece = 0; piece < pieces; ++piece) {
            const Count from = begin + length * piece / pieces, to = begin + length * (piece + 1) / pieces;
            if (entries > 0 && entries + (to - from) > limits.entriesOfLaunch)
                close(row, piece > 0); // the row is finished with the last of its launches
            result.pieces.push_back({row, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
            entries += to - from;
        }
    }
    result.firsts.push_back(static_cast<std::uint32_t>(result.pieces.size()));
    close(rows, false);
    return result;
}

} // namespace kernels::observed_rows
