// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

namespace kernels::cp_als {

/// The leading eigenvectors of X_(n) X_(n)ᵀ as columns, each with its largest element positive, by subspace iteration from a
/// random start over the entries alone: neither the product nor any dense matrix of I_n × I_n stands anywhere. The same bits for
/// any number of threads. Columns that the mode does not have, by its size or its rank, are drawn from (0, 1). Throws Cancelled.
Matrix leadingVectors(const SparseTensor&, unsigned mode, unsigned count, std::uint64_t seed, bool doubles, RunControl&);

/// What it takes at most, the result left out.
std::uint64_t leadingVectorsBytes(const std::vector<Index>& dims, unsigned mode, Count entries, unsigned count, unsigned valueBytes);

} // namespace kernels::cp_als
