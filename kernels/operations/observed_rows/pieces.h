// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/types.h"

#include <cstdint>
#include <vector>

/// How a GPU shares the entries of a mode's rows: in pieces of about the same size, whatever rows they are of.
namespace kernels::observed_rows {

/// Neighbouring entries of a row: all that a short one has.
struct Piece {
    Index row = 0;
    std::uint32_t begin = 0, end = 0;
};

/// What is started together: sums of pieces, then the rows that they complete. Sums of pieces from `firstSlot` on are still kept.
struct Launch {
    std::uint32_t firstPiece = 0, endPiece = 0, firstSlot = 0;
    Index firstRow = 0, endRow = 0; ///< rows without entries are among them
    std::uint32_t begin = 0, end = 0; ///< the pieces' entries
};

struct PieceLimits {
    Count entriesOfPiece = 1; ///< at least where a row is cut
    Count entriesOfLaunch = 1;
    Count slots = 1; ///< pieces of which sums are kept at once; more than a row may have
    Count rowsOfLaunch = 1;
};

struct Pieces {
    std::vector<Piece> pieces; ///< those of a row beside each other
    std::vector<std::uint32_t> firsts; ///< of every row; then how many there are
    std::vector<Launch> launches;
};

/// Pieces that a row is cut into, at most.
constexpr Count mostPiecesOfRow = 192;
/// Pieces of all rows, at most.
Count mostPieces(Count entries, Count rows, const PieceLimits&);

/// begins: of every row's entries; then all entries.
Pieces cutIntoPieces(const Array<std::uint32_t>& begins, const PieceLimits&);

} // namespace kernels::observed_rows
