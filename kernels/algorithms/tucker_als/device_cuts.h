// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/cuda_sizes.h"

#include <vector>

/// What a mode's entries are cut into for a GPU.
namespace kernels::tucker_als::gpu {

/// Of a row that is cut: some of its entries.
struct Piece {
    Index row;
    std::uint32_t begin, end;
};
struct CutRow {
    Index row;
    std::uint32_t firstPiece, pieces;
};

/// What is worked on at once: δ of neighbouring entries, then the rows whose entries these all are and pieces of longer rows.
struct Batch {
    Count begin = 0, end = 0;
    Index firstRow = 0, endRow = 0; ///< those that are cut are among them
    std::uint32_t firstPiece = 0, endPiece = 0;
    Count firstGroup = 0, endGroup = 0; ///< where entries are grouped
};

struct Cuts {
    std::vector<Batch> batches;
    std::vector<Piece> pieces;
    std::vector<CutRow> cutRows;
};

/// Rows after another; a batch ends where δ or rows would be too many. begins: of every row; then entries.
Cuts cutRows(const Array<std::uint32_t>& begins, const PassSizes&);

/// Groups of all batches, and one that begins at the end; the batches get theirs. runs: [batch][row] first entry in the grouped order,
/// then how many there are.
std::vector<core_contraction::gpu::Group> groupsOf(const Array<std::uint32_t>& runs, Index rows, std::vector<Batch>& batches);

} // namespace kernels::tucker_als::gpu
