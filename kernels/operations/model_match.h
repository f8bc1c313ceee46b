// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/models/model.h"

#include <cstddef>
#include <vector>

namespace kernels {

/// From this congruence on two components count as the same one: some 0.95 in each of three modes, where people no longer
/// tell two columns apart (Lorenzo-Seva and ten Berge, 2006).
constexpr double sameCongruence = 0.85;
/// From this cosine of a principal angle on (18 degrees) two spaces count as having the direction in common.
constexpr double sameCosine = 0.95;

/// Component `first` of one CP model and `second` of the other, counted from 0.
struct ComponentPair {
    std::size_t first = 0, second = 0;
    double congruence = 0; ///< product over the modes of the columns' cosines, without signs
    double score = 0; ///< the same, less where the weights differ
};

/// How alike two models of one tensor are, whatever the order, sign and scale of their columns.
struct ModelMatch {
    bool ofComponents = false; ///< both are CP; else the factors' column spaces are compared
    std::size_t firstRank = 0, secondRank = 0; ///< cp
    std::vector<ComponentPair> pairs; ///< cp: the best pairing, as many as the smaller rank, by `first`
    std::vector<std::vector<double>> cosines; ///< else: of the principal angles of every mode, largest first
    double score = 0; ///< cp: factor match score, the pairs' mean; else the cosines' mean
    double congruence = 0; ///< cp: the pairs' mean
};

/// In fp64, one pass over the factors' rows; besides, only matrices of rank × rank are held. Throws Error(BadArgument) for
/// models of other sizes, Cancelled.
ModelMatch matchModels(const Model& first, const Model& second, RunControl&);

} // namespace kernels
