// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/models/model.h"

#include <Eigen/Core>

namespace kernels::tucker_hooi {

/// Columns from `found` on drawn anew and made orthonormal, to those before as well, which are and stay. For factors with fewer
/// directions than columns: a mode of few slices with entries, ranks above the product of the others'. In place, by chunks of rows on
/// all threads of the arena, the same bits for any number of them. Returns AᵀA of what is stored, nothing where no column was missing.
/// Throws Cancelled.
Eigen::MatrixXd completeColumns(Matrix&, unsigned found, std::uint64_t seed, RunControl&);

/// What it takes beside the matrix, at most.
std::uint64_t completeBytes(std::uint64_t columns);

} // namespace kernels::tucker_hooi
