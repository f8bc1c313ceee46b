// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/models/model.h"

#include <cstddef>
#include <limits>
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
    double chance = 0; ///< the congruence that the two have on average with the rows of one in random order

    bool isDefined() const; ///< false: any order of the rows gives nearly this congruence
    bool isSame() const; ///< beyond what chance gives
};

/// How alike two models of one tensor are, whatever the order, sign and scale of their columns.
struct ModelMatch {
    bool ofComponents = false; ///< both are CP; else the factors' column spaces are compared
    std::size_t firstRank = 0, secondRank = 0; ///< cp
    std::vector<ComponentPair> pairs; ///< cp: the best pairing, as many as the smaller rank, by `first`
    std::vector<std::vector<double>> cosines; ///< else: of the principal angles of every mode, largest first
    std::vector<std::size_t> trivial; ///< else: cosines of every mode that are 1 for any two bases of these ranks: J1 + J2 − I
    double score = 0; ///< cp: factor match score, the pairs' mean; else the cosines' mean
    double congruence = 0; ///< cp: the pairs' mean
    /// How far beyond chance they agree: 1 for the same model, about 0 for models that have nothing to do with each other. NaN: not
    /// defined, since chance gives nearly all there can be.
    double agreement = std::numeric_limits<double>::quiet_NaN();
};
/// Where chance gives so much of what can be, nothing is left to agree on.
constexpr double allByChance = 0.99;

/// In fp64, one pass over the factors' rows. Besides matrices of rank × rank it holds copies of small factors. Throws Error(BadArgument)
/// for models of other sizes, Cancelled.
ModelMatch matchModels(const Model& first, const Model& second, RunControl&);

} // namespace kernels
