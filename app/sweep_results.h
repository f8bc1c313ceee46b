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
std::vector<SweepSeries> sweepSeries(const std::vector<SweepRun>&);

/// Its run came to a result: all numbers that count are finite.
bool hasResult(const SweepRun&, Judge);
/// Of the best iteration; NaN where it was not measured.
double resultOf(const RunOutcome&, Judge);
/// Fit for algorithms over all cells, to which held-out entries would be zeros; else test RMSE where it was measured.
Judge judgeOf(const SweepSeries&);

/// For each run of the series whether it ended in another, worse optimum than the best of its rank, as alternating least squares
/// do from some starts: it tells nothing of whether the best one is found again. Fit alone can tell: all saw the same entries.
std::vector<bool> stuckRuns(const SweepSeries&, Judge);

/// Pairs of replicates to be compared, as places in the series' runs, without stuck ones; seldom more than a person waits for: the
/// first mostReplicates of a rank count.
std::vector<std::pair<std::size_t, std::size_t>> replicatePairs(const SweepSeries&, Judge);
constexpr std::size_t mostReplicates = 20;

/// 1: the same model, 0: what chance gives. CP: the factor match score. Others: the mean over modes of the squared cosines between
/// the factors' spaces beyond what random spaces have, J / I; modes with J ≥ I, where any two spaces are the same, are left out.
/// NaN where nothing is left.
double agreementOf(const kernels::ModelMatch&, const kernels::Model& first, const kernels::Model& second);

/// The same of two runs' best models; blocks. Throws Cancelled.
double agreementOf(const RunOutcome& first, const RunOutcome& second, kernels::RunControl&);
/// Core consistency of the best model, percent; blocks. Nothing for other models than CP, for cores that are too large and for a tensor
/// that is not open. Throws Cancelled.
std::optional<double> consistencyOf(const RunOutcome&, const OpenTensor&, kernels::Progress&);

/// What of it is known; the functions answer nothing where they do not know (yet).
SweepEvidence evidenceOf(const SweepSeries&, const std::function<std::optional<double>(const SweepRun&)>& consistency,
                         const std::function<std::optional<double>(const SweepRun&, const SweepRun&)>& agreement);

} // namespace app
