// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/solver.h"

namespace kernels {

/// What predicting without a decomposition comes to, named as in IterationRecord; notMeasured where there is nothing to compare.
struct BaselineErrors {
    double testRmse = notMeasured, testMae = notMeasured;
    double trainRmse = notMeasured, trainMae = notMeasured;
    double fit = notMeasured;
};

struct Baselines {
    BaselineErrors mean, additive;
};

/// What runs of this objective compare with. Observed: errors of training and test entries, learnt from the training entries.
/// All: the fit over all cells, since a model of mostly zeros is not meant to come near the observed values. Throws Cancelled.
Baselines measureBaselines(const SparseTensor& train, const SparseTensor* test, Objective, Progress* = nullptr);

} // namespace kernels
