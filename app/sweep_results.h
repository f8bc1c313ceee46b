// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/rank_advice.h"
#include "app/run_job.h"
#include "kernels/base/run_control.h"
#include "kernels/operations/model_match.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace app {

/// A run as a sweep's results need it.
struct SweepRun {
    int id = 0;
    int tensor = 0; ///< its id
    kernels::RunConfig config; ///< resolved
    bool ended = false; ///< by itself or stopped
    std::shared_ptr<const RunOutcome> outcome; ///< null: none (yet)
    QString group = {}; ///< the rank, or the field's value, for people: given by sweepSeries()
};

/// Runs of one tensor that differ in one field and the seed alone.
struct SweepSeries {
    kernels::RunConfig settings; ///< withoutRankAndSeed(); of another field withoutField(), and its ranks
    int tensor = 0;
    std::string field = "rank";
    std::vector<SweepRun> runs; ///< by rank or value, then by seed; of two with the same the later one

    bool isSameAs(const SweepSeries& other) const { return tensor == other.tensor && field == other.field && settings == other.settings; }
};

/// Those of several ranks, in the order of their first runs, and those of one rank that differ in another field, or in the seed alone.
/// Limits of iterations and time keep runs apart only where they were varied: runs that were continued stay with their series.
std::vector<SweepSeries> sweepSeries(const std::vector<SweepRun>&);

/// Its run came to a result: all numbers that count are finite.
bool hasResult(const SweepRun&, Judge);
/// Whether the run's error had stopped falling when it ended: by its stopping rules, or by three iterations that gained less than its
/// tolerance, which is the default's where the rules have none.
bool hadConverged(const RunOutcome&);
bool isStoppingRule(const std::string& field);
/// What is judged: runs with a result that had converged. Where a stopping rule is what was varied, all with a result.
bool counts(const SweepRun&, const SweepSeries&, Judge);
/// Of the best iteration; NaN where it was not measured.
double resultOf(const RunOutcome&, Judge);
/// Fit for algorithms over all cells, to which held-out entries would be zeros; else test RMSE where it was measured.
Judge judgeOf(const SweepSeries&);

/// For each run of the series whether it stopped on a plateau, clearly worse than the best of its rank: other starts of the same
/// settings get further. By what it learned from, and on held-out entries it is no better.
std::vector<bool> stuckRuns(const SweepSeries&, Judge);

/// Pairs of replicates to be compared, as places in the series' runs, without stuck ones; seldom more than a person waits for: the
/// first mostReplicates of a rank count.
std::vector<std::pair<std::size_t, std::size_t>> replicatePairs(const SweepSeries&, Judge);
constexpr std::size_t mostReplicates = 20;

/// kernels::ModelMatch::agreement of two runs' best models; blocks. Throws Cancelled.
double agreementOf(const RunOutcome& first, const RunOutcome& second, kernels::RunControl&);
struct Consistency {
    double percent = 0;
    bool stable = true;
};
/// Core consistency of the best model; blocks. Nothing for other models than CP, for cores that are too large and for a tensor
/// that is not open. Throws Cancelled.
std::optional<Consistency> consistencyOf(const RunOutcome&, const OpenTensor&, kernels::Progress&);

/// What of it is known; the functions answer nothing where they do not know (yet), an agreement that is not defined is NaN.
SweepEvidence evidenceOf(const SweepSeries&, const std::function<std::optional<Consistency>(const SweepRun&)>& consistency,
                         const std::function<std::optional<double>(const SweepRun&, const SweepRun&)>& agreement);

} // namespace app
