// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

namespace kernels {

/// What becomes of entries with equal coordinates. Session files hold the number: new ones at the end.
enum class Duplicates { Sum, Mean, Last, Error, Keep, Max };

/// Stable lexicographic order of the entries, in parallel: position in the result → entry.
Array<Count> lexicographicOrder(const SparseTensor&, Progress* = nullptr);
Array<Count> lexicographicOrder(const SparseTensor&, RunControl&);

/// Sorts in place (stable).
void sortLexicographically(SparseTensor&, Progress* = nullptr);
/// Inside a run, for a copy of the run's own: a stop leaves its entries undefined.
void sortLexicographically(SparseTensor&, RunControl&);
/// A copy whose modes are these of the tensor's, all of them in another order, sorted; values of the type that is asked for.
SparseTensor sortedCopy(const SparseTensor&, const std::vector<unsigned>& modeOrder, bool doubleValues, RunControl&);
/// The most that sorting takes beside the tensor.
std::uint64_t sortBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes);

/// Merges equal coordinates of a sorted tensor; returns how many entries went away.
/// Keep only counts. Error throws Error(BadInput) with the coordinate (counted from 1).
Count mergeDuplicates(SparseTensor& sorted, Duplicates, Progress* = nullptr);

/// The entries at these positions, in this order.
SparseTensor gather(const SparseTensor&, const Array<Count>& positions);
SparseTensor gather(const SparseTensor&, const Array<Count>& positions, RunControl&);

} // namespace kernels
