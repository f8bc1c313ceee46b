// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

namespace kernels {

/// ‖X‖² over cells, in fp64, the same bits for any number of threads: sorted entries of equal coordinates are one cell, their
/// sum, as products with the tensor have it. Entries that are not sorted are taken for cells of their own.
/// asSingles: of the values as single precision has them.
double squaredNormOfCells(const SparseTensor&, RunControl&, bool asSingles = false);
double squaredNormOfCells(const SparseTensor&, Progress* = nullptr);

} // namespace kernels
