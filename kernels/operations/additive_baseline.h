// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/solver.h"

#include <vector>

namespace kernels {

/// x̂ = mean + Σ_n effects[n][i_n]: what a model has to be better than. Without effects it is the mean alone.
struct AdditiveModel {
    double mean = 0;
    std::vector<std::vector<double>> effects; ///< [mode][index]; 0 where training had no entry
    std::vector<double> ridge; ///< [mode]; infinite: the mode has no effects
    unsigned sweeps = 0;
};

/// When a fit ends, and what it is penalised by.
struct AdditiveRule {
    std::vector<double> ridge; ///< [mode]; empty: estimated from the entries
    double tolerance = 1e-3; ///< of the residual that a sweep may still change: the error then moves by its square
    unsigned sweeps = 20; ///< at most
};

AdditiveModel meanModel(const SparseTensor& train, Progress* = nullptr);

/// Minimises Σ_e (x_e − x̂_e)² + Σ_n ridge_n Σ_i effects[n][i]² by closed-form updates of one mode after the other. All sums are in
/// fp64 and have the same bits for any number of threads. A sweep reads the entries once a mode. Beside the entries it takes two
/// numbers per index, and at most 64 MiB.
///
/// The ridge of a mode is σ²/τ²: residual variance over the variance of its effects, as one-way analysis of variance finds both
/// in what the other modes leave over. That is the best linear shrinkage of effects that are drawn at random, and takes no
/// further pass, unlike a search on held-out entries. A mode without a sign of effects gets none.
/// Throws Cancelled.
AdditiveModel fitAdditiveModel(const SparseTensor& train, Progress* = nullptr, const AdditiveRule& = {});

/// Of entries of the same dims.
ErrorSums errorsOf(const AdditiveModel&, const SparseTensor& measured, Progress* = nullptr);

/// 1 − ‖X−X̂‖/‖X‖ over all cells, missing ones zero, of the mean of all cells and of the additive model that fits them best.
struct CellFits {
    double mean = notMeasured, additive = notMeasured;
};
CellFits fitsOfAllCells(const SparseTensor&, Progress* = nullptr);

} // namespace kernels
