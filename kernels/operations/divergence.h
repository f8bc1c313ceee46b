// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/divergence_kind.h"
#include "kernels/tensor/sparse_tensor.h"

#include <optional>
#include <string>
#include <string_view>

namespace kernels {

std::string_view toString(Divergence); ///< "euclidean" | "kl" | "is"
std::string_view titleOf(Divergence); ///< "Kullback-Leibler"
std::optional<Divergence> divergenceFromString(std::string_view);

/// What suits a tensor's values, and why.
struct DivergenceAdvice {
    enum class Reason { Counts, Spread, Even, Negative };

    Divergence divergence = Divergence::Euclidean;
    Reason reason = Reason::Even;
    double spread = 1; ///< nine in ten of the values lie within this factor, where they are positive

    std::string because() const; ///< a part of a sentence: "the values are whole numbers that vary as counts do"
};
/// Whole numbers with a long tail: Kullback-Leibler; positive numbers that lie decades apart: Itakura-Saito; all others: Euclidean.
/// Looks at 65,536 values at most. If Itakura-Saito would fit and hasZeros is not said, it looks for zeros among all.
DivergenceAdvice adviseDivergence(const SparseTensor&, std::optional<bool> hasZeros = {});
DivergenceAdvice adviseDivergence(const std::vector<double>& sortedSample, bool hasZeros);

} // namespace kernels
