// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/types.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <span>

namespace kernels {

/// How well the data keep to a cp model's own form: the Tucker core that explains them best beside the model's factors, held
/// against ones on the super-diagonal (Bro and Kiers, "A new efficient method for determining the number of components in PARAFAC
/// models", J. Chemometrics 17, 2003).
struct CoreConsistency {
    double percent = 0; ///< 100 (1 − ‖G − I‖² / R): 100 for data of exactly this form, low or negative with too many components
    Array<double> core; ///< G, R × … × R, row-major
    /// Of the least squares problem that gives G: the product of the factors' condition numbers, with columns of length 1. So many times
    /// its own relative size a change of the data or the factors may change G. Infinite where columns depend on each other.
    double condition = 1;

    bool isStable() const { return condition < largestStableCondition; }
    /// A run leaves factors uncertain by some thousandth. From about here on that moves the percentage by ten points and more.
    static constexpr double largestStableCondition = 3000;
};

/// The most numbers G may have; above, coreConsistency() refuses.
constexpr std::uint64_t largestConsistencyCore = std::uint64_t{1} << 24;
/// R^N; saturates.
std::uint64_t consistencyCoreSize(const Model& cp);

/// G = I + E ×_1 A^(1)† … ×_N A^(N)† with λ folded into A^(1). E is x − x̂ on the entries alone (Observed), or in all cells with
/// missing ones zero (All). Entries at the ascending positions `leftOut`, a run's test part, are taken for missing. fp64, the same bits
/// for any number of threads. An entry costs R numbers, a change of its n-th index from the right R^n: sorted entries are cheap.
/// Throws Error(BadArgument) for other kinds of model and cores that are too large, Error(BadInput) for other dims.
CoreConsistency coreConsistency(const Model& cp, const SparseTensor&, Objective, std::span<const Count> leftOut = {}, Progress* = nullptr);

} // namespace kernels
