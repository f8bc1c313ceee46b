// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <vector>

namespace kernels::tucker_hooi {

/// The leading left singular vectors of X ×_{k<mode} A^(k)ᵀ, unfolded along the mode: the next step of an ST-HOSVD. By subspace
/// iteration from a random start: of the contracted tensor only one slice at a time is there. In fp64, the same bits for any number of
/// threads. Columns that there are no directions for are random, and orthonormal as well. Throws Cancelled.
Matrix sequentialVectors(const SparseTensor&, unsigned mode, const std::vector<Matrix>& before, unsigned count, std::uint64_t seed,
                         bool doubles, RunControl&);

/// What it takes at most, the result left out.
std::uint64_t sequentialBytes(const std::vector<Index>& dims, unsigned mode, Count entries, const std::vector<unsigned>& ranks,
                              unsigned valueBytes);

} // namespace kernels::tucker_hooi
