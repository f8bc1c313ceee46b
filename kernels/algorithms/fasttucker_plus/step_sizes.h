// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/algorithms/fasttucker_plus/start.h"

#include <vector>

/// How large the steps of a run are: chosen once, before its first iteration, from settings, entries, start and what its device works on
/// at once.
namespace kernels::fasttucker_plus {

/// What the solver needs to know of where the entries lie.
struct ModeLoad {
    std::vector<float> share; ///< of all entries, per row
    double entriesPerRow = 1; ///< mean over rows that have any
    float largestShare = 0;
};

/// Of every mode.
std::vector<ModeLoad> measureLoads(const SparseTensor& train, RunControl&);
/// Of a single row, of any mode.
double largestShare(const std::vector<ModeLoad>&);
/// Numbers of the rows that have entries, beside the entries.
double numbersPerEntry(const std::vector<unsigned>& ranks, const std::vector<ModeLoad>&);

/// Rates per mode in the units of the updates. Relative ones are divided by the slopes of the loss at the start and penalties
/// multiplied, by |d^(n)|²/J_n of the flattest mode and by the core's slope.
struct StepSizes {
    double rateA = 0; ///< as asked for, or less where the values' tail bears less
    double decay = 0; ///< by chooseFading()
    std::vector<double> ratesA; ///< [mode]
    std::vector<double> shares; ///< [mode]: of an entry's error that a row takes away at the start
    std::vector<double> damping; ///< [mode]: FactorPass::damping at these rates; empty: none
    double lambdaA = 0, rateB = 0, lambdaB = 0;
    double slowness = 1; ///< by chooseFading(): iterations in which the rows that learn least do what elsewhere they do in one
};
/// damped: steps are to be, so that their rates need not be less the further values reach.
StepSizes chooseSteps(const Settings&, const Model& start, const StartSlopes&, const std::vector<ModeLoad>&, const ValueScale&,
                      bool damped);

/// The largest value over what predictions are about.
double reachOf(const ValueScale&);
/// Whether that is so much that steps are better damped than all kept small. Ratings' and uniform values do not reach so far, counts with
/// a tail do.
bool reachFar(const ValueScale&);

/// The largest rate that orders bear, and values that reach so far, unless steep entries' steps are held by something else: an entry far
/// above the others must not throw its rows so far that the next step overshoots. A step changes a row by about rate · e / x̂ of its
/// length, N rows multiply, and each of the N slopes grows with N − 1 of them. The bound is measured on noise and on counts with heavy
/// tails, orders 3 to 10.
double mostRate(std::size_t modes, double reach = 1);

/// Per mode and row a factor of at most 1 on its steps; no modes where no row is hot, no rows in a mode that has no hot ones. A row
/// that many entries in flight share gets all their steps at once: together they must not overshoot.
struct HotRows {
    const std::vector<std::vector<float>>& shares; ///< of all entries, per mode and row
    const std::vector<Concurrency>& concurrency; ///< [mode]
    double entries = 0;
    double cap = 0; ///< of an entry's error that all steps at once may take away
    bool modesAddUp = true; ///< all modes' steps are of the same moment

    /// Of a row that has this share of all entries.
    double entriesAtOnce(std::size_t mode, float share) const;
    float hottest(std::size_t mode) const; ///< a row's share
    /// Of each mode's part of the cap, where one entry's step takes so much of its error away: modes whose hottest row
    /// takes less than their part leave the rest to the others.
    std::vector<double> partsOfCap(const std::vector<double>& shareOfError) const;
};
std::vector<std::vector<float>> scalesOfHotRows(const HotRows&, const std::vector<double>& shareOfError, RunControl&);

/// Chooses decay and slowness, by how often the rows that learn least take an entry's error away in an iteration. Hot rows' scales make
/// that less: where all rows are hot, rates that fade as if none were have ended before a slow component was learnt.
void chooseFading(StepSizes&, const Settings&, const std::vector<ModeLoad>&, const std::vector<std::vector<float>>& shares,
                  const std::vector<std::vector<float>>& rowScales);

/// What damps the steps of a run (FactorPass::damping) at its rates: where slopes are so steep that the divisor is all there is, the
/// steps of a moment, of all modes and entries that share a row, take no more than its error, and less than twice that where a hot mode
/// has what cold ones leave of the cap: so nothing grows. |d|² is taken for what the start's cores make of |w|²; how far cores move from
/// there is the business of whoever steps back.
std::vector<double> dampings(const Model& start, const StepSizes&, const std::vector<ModeLoad>&, const HotRows&);

} // namespace kernels::fasttucker_plus
