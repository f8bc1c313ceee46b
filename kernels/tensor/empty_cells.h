// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sparse_tensor.h"

namespace kernels {

/// What empty cells probably mean, and what in the values says so.
struct EmptyCellsAdvice {
    enum class Reason { NoValues, Negative, Ratings, Measured, StoredZeros, FarFromZero, Counts, Added, Aggregated };
    EmptyCells meaning = EmptyCells::Unsaid; ///< unsaid: there are no values
    Reason reason = Reason::NoValues; ///< Added, Aggregated: of a table, which the caller knows
    double lowest = 0, highest = 0; ///< of the values looked at
};

/// Looks at 2^16 values at most: a few milliseconds.
EmptyCellsAdvice adviseEmptyCells(const SparseTensor&);
EmptyCellsAdvice adviseEmptyCells(const std::vector<double>& sortedSample);

/// Whether there is a cell without an entry. Only then their meaning matters.
bool hasEmptyCells(const SparseTensor&);

} // namespace kernels
