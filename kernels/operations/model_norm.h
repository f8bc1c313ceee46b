// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/models/model.h"

namespace kernels {

/// AᵀA in fp64, columns × columns row-major; the same bits for any number of threads.
std::vector<double> gram(const Matrix&, Progress* = nullptr);

/// ‖X̂‖² over all cells of the model, from its modes' Gram matrices: O(Σ I_n J_n²), no X̂.
double squaredNorm(const Model&, Progress* = nullptr);

} // namespace kernels
