// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/device_cuts.h"

namespace kernels::tucker_als::gpu {

Cuts cutRows(const Array<std::uint32_t>& begins, const PassSizes& sizes)
{
    Cuts cuts;
    Batch batch;
    const auto take = [&](Index row, Count entries) {
        if (batch.end - batch.begin + entries > sizes.entriesAtOnce || batch.endRow - batch.firstRow >= sizes.rowsAtOnce) {
            cuts.batches.push_back(batch);
            batch = {batch.end, batch.end, row, row, batch.endPiece, batch.endPiece};
        }
        batch.end += entries;
    };
    for (Index row = 0; row + 1 < begins.size(); ++row) {
        const Count begin = begins[row], length = begins[row + 1] - begin;
        const Count pieces = (length + sizes.longestPiece - 1) / sizes.longestPiece;
        if (pieces <= 1)
            take(row, length);
        else
            cuts.cutRows.push_back({row, static_cast<std::uint32_t>(cuts.pieces.size()), static_cast<std::uint32_t>(pieces)});
        for (Count piece = 0; pieces > 1 && piece < pieces; ++piece) {
            const Count from = begin + length * piece / pieces, to = begin + length * (piece + 1) / pieces;
            take(row, to - from);
            cuts.pieces.push_back({row, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
            batch.endPiece = static_cast<std::uint32_t>(cuts.pieces.size());
        }
        batch.endRow = row + 1;
    }
    cuts.batches.push_back(batch);
    return cuts;
}

std::vector<core_contraction::gpu::Group> groupsOf(const Array<std::uint32_t>& runs, Index rows, std::vector<Batch>& batches)
{
    constexpr std::uint32_t most = core_contraction::gpu::groupEntries;
    std::vector<core_contraction::gpu::Group> groups;
    for (std::size_t b = 0; b < batches.size(); ++b) {
        batches[b].firstGroup = groups.size();
        for (Index row = 0; row < rows; ++row) {
            const std::size_t run = b * rows + row;
            for (std::uint32_t first = runs[run]; first < runs[run + 1]; first += most)
                groups.push_back({row, first});
        }
        batches[b].endGroup = groups.size();
    }
    groups.push_back({0, runs.back()});
    return groups;
}

} // namespace kernels::tucker_als::gpu
