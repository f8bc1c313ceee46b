// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/tensor/sparse_tensor.h"

namespace kernels {

struct Split {
    SparseTensor train;
    SparseTensor test;
    Array<Count> testPositions; ///< ascending, in the lexicographically sorted tensor
};

/// Holds out each entry with probability testFraction, decided by (seed, sorted position) alone:
/// the same for any number of threads. At least one entry stays on either side of a non-empty split.
Split splitRandom(const SparseTensor&, double testFraction, std::uint64_t seed, Progress* = nullptr);
/// The same of a tensor that nobody needs afterwards: its columns are freed one by one, so that it takes a quarter of the memory.
Split splitRandom(SparseTensor&&, double testFraction, std::uint64_t seed, Progress* = nullptr);

/// The same split again from stored positions.
Split splitAt(const SparseTensor&, const Array<Count>& testPositions, Progress* = nullptr);

} // namespace kernels
