// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/solver.h"

namespace kernels {

/// Errors of who predicts every entry of `measured` to be the mean of `train`: what a model has to be better than.
ErrorSums errorsOfMean(const SparseTensor& train, const SparseTensor& measured);

} // namespace kernels
