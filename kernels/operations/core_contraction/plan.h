// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/types.h"

#include <vector>

/// How a dense core is contracted with the rows of many entries. Entries stand sorted by their modes in some order of these, the
/// positions. Those at positions [first, last) are contracted at once: neighbours that agree in all of them are a tuple, and the
/// Kronecker products of the rows of some tuples, times the core as a matrix, are their parts. What a part still has is contracted position
/// after position, each only where an index changes. Position 0 may stay open (first = 1): its mode's columns come last in a part, and a
/// part contracted with all the rest is δ.
namespace kernels::core_contraction {

struct Shape {
    std::vector<Index> dims;
    std::vector<unsigned> ranks;
    Count entries = 0;

    Count coreNumbers() const;
};

struct Walk {
    std::vector<unsigned> modes; ///< by position
    std::vector<unsigned> ranks; ///< by position
    unsigned first = 0, last = 0; ///< positions of a tuple; none: the core is the one part
    bool open = false;
    bool tabled = false; ///< parts of all rows of the one tuple mode are kept
    double flops = 0; ///< of one walk over all entries, without gradients; with those of the table

    unsigned order() const { return static_cast<unsigned>(modes.size()); }
    unsigned openRank() const { return open ? ranks.front() : 1; }
    Count tupleNumbers() const; ///< of a Kronecker product
    Count partNumbers(unsigned position) const; ///< of what is left before that position is contracted, the open mode's included
    Count partNumbers() const { return partNumbers(last); }
    bool hasTuples() const { return first < last; }
    unsigned tupleMode() const { return modes[first]; } ///< where a table is: of that mode's rows
    /// The core's modes as a matrix of tuples times parts has them.
    std::vector<unsigned> coreOrder() const;
};

/// δ of a mode's entries: that mode, then the others by growing size. With a table only if `mostTableNumbers` hold it and it
/// saves arithmetic.
Walk openWalk(const Shape&, unsigned mode, Count mostTableNumbers);
Count tableNumbers(const Walk&, const std::vector<Index>& dims);
/// x̂ of entries sorted by modes in that order, and gradients of the core.
Walk closedWalk(const Shape&, std::vector<unsigned> modes);
/// The cheapest of those that begin as openWalk's do.
Walk cheapestClosedWalk(const Shape&);

/// Tuples whose parts are worked out together: what they take stays in a cache.
Count tuplesAtOnce(const Walk&, unsigned valueBytes);

/// The core with its modes in another order.
template <class T> void arrange(const Array<double>& core, const std::vector<unsigned>& ranks, const std::vector<unsigned>& order, T* to);
/// to ← from, which is arranged so.
void arrangeBack(const Array<double>& from, const std::vector<unsigned>& ranks, const std::vector<unsigned>& order, Array<double>& to);

} // namespace kernels::core_contraction
