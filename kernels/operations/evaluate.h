// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/run_control.h"
#include "kernels/base/solver.h"

namespace kernels {

/// RMSE and MAE of a model over a tensor's entries, in fp64, in parallel, the same bits every time.
/// Throws Error(BadInput) when the dims do not fit the model's.
ErrorSums evaluateModel(const Model&, const SparseTensor&, Progress* = nullptr);
/// The same inside a run, by its thread.
ErrorSums evaluateModel(const Model&, const SparseTensor&, RunControl&);

/// 1 − ‖X−X̂‖/‖X‖ over all entries (missing = 0), without forming X̂.
double modelFit(const Model&, const SparseTensor&, Progress* = nullptr);

struct Prediction {
    Index index = 0;
    double value = 0;
};

/// The k largest x̂ along one free mode; index[freeMode] is ignored. Largest first. leaveOut: ascending, never among them.
std::vector<Prediction> topPredictions(const Model&, std::vector<Index> index, unsigned freeMode, std::size_t k,
                                       const std::vector<Index>& leaveOut = {});

} // namespace kernels
