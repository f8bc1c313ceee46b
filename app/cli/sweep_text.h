// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sweep_plan.h"
#include "app/sweep_results.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace cli {

/// One run of a sweep as it ended.
struct SweptRun {
    const app::SweepRow* row;
    app::SweepRun run;
    double wallSeconds = 0;
    std::string failure; ///< a sentence; empty: none
    std::string modelFile; ///< empty: not written
};

/// Runs of one tensor that differ in rank and seed alone, judged.
struct JudgedSeries {
    std::string heading; ///< what tells its settings from those of the others
    app::SweepEvidence evidence;
    app::RankAdvice advice;
    std::string longer = {}; ///< options that let runs converge that had not; empty: all had
};
/// Of what was run so far: with agreements of replicates and core consistencies, as far as nobody interrupts.
std::vector<JudgedSeries> judged(const std::vector<SweptRun>&, const app::OpenTensor&);

/// A row for each combination: what it needs, or why it is left out; then all in all.
std::string planText(const app::SweepPlan&);
/// "[3/45] rank 4, seed 42: test RMSE 0.912, best of 50 iterations (converged), 1.2 s"
std::string runLine(const app::SweepPlan&, const SweptRun&, std::size_t number, std::size_t of);
/// A table by rank and the advice, for each series; where more than rank and seed was varied also which combination did best.
std::string resultText(const app::SweepPlan&, const std::vector<SweptRun>&, const app::OpenTensor&);
/// Plan, runs and judged series for programs; without runs the plan alone.
nlohmann::ordered_json sweepJson(const app::SweepPlan&, const std::vector<SweptRun>&, const std::vector<JudgedSeries>&);
/// A row a run, failed ones too.
std::string sweepCsv(const app::SweepPlan&, const std::vector<SweptRun>&);

} // namespace cli
