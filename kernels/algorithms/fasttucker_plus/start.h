// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <cstdint>
#include <vector>

namespace kernels::fasttucker_plus {

/// Mean, root mean square and largest magnitude of the training values. Throws Error(BadInput) when one is not a finite number.
struct ValueScale {
    double mean = 0;
    double rootMeanSquare = 0;
    double largest = 0;
    double least = 0; ///< below 0, or 0
};

/// The size a prediction should have at the start: |mean|, or half the root mean square where that is more.
double predictionScale(const ValueScale&);
double deviation(const ValueScale&); ///< from their mean
/// How far values lie from each other beside their mean: 1 where by a quarter of it or more, 0 where they are all the same.
double relativeSpread(const ValueScale&);

ValueScale valueScale(const SparseTensor&, RunControl&);

struct StartSpec {
    std::vector<Index> dims;
    std::vector<unsigned> ranks;
    unsigned coreRank = 0;
    bool doubles = false;
    bool paper = false; ///< the papers' uniform start instead of the balanced one
    bool nonnegative = false;
    double noise = 0; ///< balanced: relative standard deviation of factor rows
    std::uint64_t seed = 0;
    ValueScale values;
    bool steep = false; ///< rows of the shortest mode are 1, the others' so much the smaller
};

/// The factors an iteration starts from; every number is a function of the seed and its place alone.
///
/// Balanced: B^(n) copies column j of a row into term r = j (wrapped around, shifted from mode to mode, where
/// J and R differ), and every row is ± (t/R)^(1/N) (1 + noise z), or where steep ± (t/R)^(1/(N − 1)) (1 + noise z) of all modes but one,
/// whose rows are learnt along larger slopes then, where t is predictionScale(). As many terms are positive as make x̂ the
/// mean: all of them where values spread little around it, half of them where the mean is 0.
Model drawStart(const StartSpec&, RunControl&);

/// How steep the loss is at a start, from a sample of entries: what relative learning rates are measured in.
struct StartSlopes {
    std::vector<double> rows; ///< [n]: mean of |d^(n)|² over entries, no terms cancelling
    double core = 1; ///< mean of |a^(n)|² |w^(n)|², the largest of all modes
};
StartSlopes startSlopes(const Model& start, const SparseTensor& train, std::uint64_t seed, RunControl&);

} // namespace kernels::fasttucker_plus
