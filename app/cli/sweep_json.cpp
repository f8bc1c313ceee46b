// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep for programs.
#include "app/cli/sweep_text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace cli {
namespace {

using nlohmann::ordered_json;

ordered_json valuesOf(const app::SweepPlan& plan, const app::SweepRow& row)
{
    ordered_json values = ordered_json::object();
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
        values[plan.axes[a].field] = row.values[a];
    return values;
}

ordered_json planJson(const app::SweepPlan& plan)
{
    ordered_json rows = ordered_json::array();
    for (const app::SweepRow& row : plan.rows) {
        ordered_json each{{"values", valuesOf(plan, row)}};
        if (!row.refusal.isEmpty()) {
            each["left_out"] = row.refusal.toStdString();
        } else {
            each["memory_bytes"] = row.needs.bytes;
            if (row.seconds() > 0)
                each["seconds"] = row.seconds();
            if (row.seconds() > 0)
                each["seconds_range"] = {row.range().least, row.range().most};
        }
        rows.push_back(std::move(each));
    }
    return {{"runs", plan.runCount()},
            {"seconds", plan.seconds()},
            {"seconds_range", {plan.range().least, plan.range().most}},
            {"most_bytes", plan.mostBytes()},
            {"rows", rows}};
}

void addNumber(ordered_json& object, const char* key, double value)
{
    if (!std::isnan(value))
        object[key] = value;
}

ordered_json runJson(const app::SweepPlan& plan, const SweptRun& swept)
{
    ordered_json run{{"values", valuesOf(plan, *swept.row)}, {"wall_seconds", swept.wallSeconds}};
    if (swept.run.outcome) {
        const kernels::RunResult& result = swept.run.outcome->result;
        run["ended"] = kernels::toString(result.reason);
        run["converged"] = app::hadConverged(*swept.run.outcome);
        run["iterations"] = result.history.size();
        run["best_iteration"] = result.bestIteration;
        for (const kernels::IterationRecord& record : result.history)
            if (record.iteration == result.bestIteration) {
                addNumber(run, "test_rmse", record.testRmse);
                addNumber(run, "test_mae", record.testMae);
                addNumber(run, "train_rmse", record.trainRmse);
                addNumber(run, "train_mae", record.trainMae);
                addNumber(run, "fit", record.fit);
            }
    }
    if (!swept.failure.empty())
        run["failure"] = swept.failure;
    if (!swept.modelFile.empty())
        run["model"] = swept.modelFile;
    return run;
}

ordered_json seriesJson(const JudgedSeries& series)
{
    const app::Judge judge = series.evidence.judge;
    ordered_json values = ordered_json::array();
    for (const app::RankEvidence& rank : series.evidence.ranks)
        values.push_back({{"value", rank.text.toStdString()},
                          {"results", rank.values},
                          {"agreements", rank.agreements},
                          {"undefined_agreements", rank.trivial},
                          {"core_consistencies", rank.consistencies},
                          {"unstable_core_consistencies", rank.unstable},
                          {"results_not_converged", rank.unconverged},
                          {"results_stuck", rank.stuck},
                          {"failed", rank.failed}});
    ordered_json object{{"settings", series.heading},
                        {"field", series.evidence.field},
                        {"judge",
                         judge == app::Judge::Fit            ? "fit"
                             : judge == app::Judge::TestRmse ? "test_rmse"
                                                             : "train_rmse"},
                        {"values", values}};
    if (series.advice.choice)
        object["take"] = series.evidence.ranks[*series.advice.choice].text.toStdString();
    object["advice"] = series.advice.text().toStdString();
    if (!series.longer.empty())
        object["to_converge"] = series.longer;
    return object;
}

} // namespace

ordered_json sweepJson(const app::SweepPlan& plan, const std::vector<SweptRun>& swept, const std::vector<JudgedSeries>& judged)
{
    ordered_json object{{"plan", planJson(plan)}};
    if (swept.empty())
        return object;
    object["runs"] = ordered_json::array();
    for (const SweptRun& each : swept)
        object["runs"].push_back(runJson(plan, each));
    object["series"] = ordered_json::array();
    for (const JudgedSeries& each : judged)
        object["series"].push_back(seriesJson(each));
    return object;
}

} // namespace cli
