// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"

#include <vector>

namespace kernels::tucker_hooi {

/// Whose leading left singular vectors a start is made of: of the unfolded tensor, or of what the modes before it leave.
enum class Hosvd { Truncated, SequentiallyTruncated };

/// All factors, in fp64 arithmetic and the run's master type. What the modes before leave is contracted once and held where `room` bytes
/// take it, else some of it at a time. By eigenvectors of the smaller of M Mᵀ and MᵀM where that is small, else by subspace iteration
/// on that side from a random start. The same bits for any number of threads. Columns that there are no directions for are random, and
/// orthonormal as well. Throws Cancelled.
std::vector<Matrix> hosvd(Hosvd, const SparseTensor&, const std::vector<unsigned>& ranks, std::uint64_t seed, bool doubles,
                          std::uint64_t room, RunControl&);

/// What it takes at most, the factors included. valueBytes: of the tensor's values.
std::uint64_t hosvdBytes(Hosvd, const std::vector<Index>& dims, Count entries, const std::vector<unsigned>& ranks, unsigned valueBytes,
                         bool doubles, std::uint64_t room);

} // namespace kernels::tucker_hooi
