// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/online.h"

#include <vector>

namespace kernels::ntf {

/// New entries by the rows they are in alone: what a model has besides costs an update no time but to be copied.
struct TouchedEntries {
    TouchedEntries(const SparseTensor& fresh, RunControl&);

    SparseTensor entries; ///< in the order of the fresh ones; mode n is as long as rows[n]
    std::vector<Array<Index>> rows; ///< [mode]: of the model afterwards, ascending
    std::vector<Array<Count>> entriesOfRows; ///< [mode]: of each of these, one at least
};

/// What is known of the touched rows of a mode: rows × R each, in fp64.
struct TouchedRows {
    Array<double> rows, up, down;
    Array<double> factorAt; ///< where up and down were taken
    Array<double> oldEntries; ///< empty: not kept
    Array<double> freshEntries; ///< one at least
    std::vector<bool> untold; ///< nothing is known of it: fitted before the others step
    std::vector<double> beginning; ///< of rows that begin, R; empty: none does
};
/// rows: of the model afterwards, which has `size` of them; entries: the touched ones. doubles: of the model, rows begin rounded to it.
TouchedRows touchedRows(const OnlineModel&, unsigned mode, const TouchedEntries&, Index size, bool doubles, RunControl&);

/// The model with these rows and sums in it. weight: η of the new entries.
OnlineModel withTouched(const OnlineModel&, const TouchedEntries&, const std::vector<TouchedRows>&, const std::vector<Index>& dims,
                        double weight, bool doubles, RunControl&);

} // namespace kernels::ntf
