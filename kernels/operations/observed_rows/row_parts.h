// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/types.h"

#include <vector>

/// Rows of one mode, renewed from what their own entries say of them: how the work is shared, and what is done to a row.
namespace kernels::observed_rows {

constexpr double partFlops = 2e7; ///< a few milliseconds of one processor

/// Rows that one task works on.
struct RowPart {
    Index firstRow = 0, endRow = 0;
    Count begin = 0, end = 0; ///< of a part of one giant row: not all of its entries
};
/// Rows with about equal work: whole rows in `shared`, each giant one in pieces. The same for any number of threads.
struct RowParts {
    std::vector<RowPart> shared;
    std::vector<std::vector<RowPart>> giants; ///< [giant row]: its pieces
};
/// begins: of every row's entries, then all entries. flops: of an entry, with what it does to its row.
RowParts splitRows(const Array<Count>& begins, double flops, unsigned rank);
/// Pieces of a giant row that are worked on at once, at most: what so many come to is kept.
Count piecesAtOnce(Count entries, double flops);

} // namespace kernels::observed_rows
