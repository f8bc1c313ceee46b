// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/solver.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <vector>

/// FastTucker written down once more as plain fp64 loops over one entry at a time, straight from the
/// formulas and sharing no code with the kernels.
namespace test::oracle {

using Vector = std::vector<double>;

/// c^(n), w^(n), d^(n) of one entry and its prediction.
struct Projections {
    std::vector<Vector> c, w, d;
    double predicted = 0;
};
Projections projections(const kernels::Model&, const kernels::SparseTensor&, kernels::Count entry);

/// The model with every number in fp64.
kernels::Model inDoubles(const kernels::Model&);

struct FactorStep {
    std::vector<double> rates;
    std::vector<std::vector<float>> rowScales; ///< empty: 1
    std::vector<double> damping; ///< per mode: rows step by e / (1 + damping |w|²); empty: by e
    double lambda = 0;
    bool nonnegative = false;
    bool clipsBatches = false; ///< nonnegative, one mode: rows are clipped when a batch ends, not after every entry
    int mode = -1; ///< the only one whose rows are updated; negative: all
};

/// Entries in this order, in batches: within one, every entry sees the rows as they stood when it began.
void factorPass(kernels::Model&, const kernels::SparseTensor&, const std::vector<kernels::Count>& order, kernels::Count batch,
                const FactorStep&);

/// B^(n) ← B^(n) − rate (Σ e aᵀ w / |Ω| + λ B^(n)) of one mode, or (negative) of all modes from the same point.
void corePass(kernels::Model&, const kernels::SparseTensor&, double rate, double lambda, bool nonnegative, int mode = -1);

kernels::ErrorSums errors(const kernels::Model&, const kernels::SparseTensor&);

/// Largest difference of two models of one shape, in factors and core matrices, each relative to the
/// largest element of the expected matrix.
double distance(const kernels::Model& actual, const kernels::Model& expected);

} // namespace test::oracle
