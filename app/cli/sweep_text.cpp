// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweep_text.h"

#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "app/model_match_text.h"
#include "app/setting_differences.h"
#include "io/csv.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace cli {
namespace {

using app::Judge;

const char* nameOf(Judge judge) { return judge == Judge::Fit ? "fit" : judge == Judge::TestRmse ? "test RMSE" : "train RMSE"; }

std::string spreadText(const std::vector<double>& values, std::string (*text)(double))
{
    const auto spread = app::spreadOf(values);
    if (!spread)
        return "–";
    return values.size() == 1 ? text(spread->mean)
                              : fmt::format("{} ({} to {})", text(spread->mean), text(spread->low), text(spread->high));
}

std::string scoreText(double value) { return app::agreementText(value, QLocale::c()).toStdString(); }
std::string consistencyText(double value) { return app::consistencyText(value, QLocale::c()).toStdString(); }

/// Core consistencies and agreements of a series; what was interrupted stays unknown. Of a sweep that was stopped before, agreements
/// are still told: they belong to what there is so far, and a second signal ends the program.
class Analysis {
public:
    Analysis(const app::SweepSeries& series, const app::OpenTensor& tensor, bool stoppedBefore)
    {
        const Judge judge = app::judgeOf(series);
        kernels::RunControl control;
        kernels::Progress& progress = Interrupt::progress();
        for (const auto& [i, j] : app::replicatePairs(series, judge)) {
            if (progress.cancelled() && !stoppedBefore)
                break;
            const app::SweepRun &a = series.runs[i], &b = series.runs[j];
            m_agreements[{a.id, b.id}] = app::agreementOf(*a.outcome, *b.outcome, control);
        }
        const StageLine line(progress);
        for (const app::SweepRun& run : series.runs)
            if (app::counts(run, series, judge) && !progress.cancelled())
                try {
                    m_consistencies[run.id] = app::consistencyOf(*run.outcome, tensor, progress);
                } catch (const kernels::Cancelled&) {
                    break;
                }
    }

    app::SweepEvidence evidence(const app::SweepSeries& series) const
    {
        const auto consistency = [this](const app::SweepRun& run) {
            const auto at = m_consistencies.find(run.id);
            return at == m_consistencies.end() ? std::nullopt : at->second;
        };
        const auto agreement = [this](const app::SweepRun& a, const app::SweepRun& b) {
            const auto at = m_agreements.find({a.id, b.id});
            return at == m_agreements.end() ? std::nullopt : std::optional(at->second);
        };
        return app::evidenceOf(series, consistency, agreement);
    }

private:
    std::map<int, std::optional<app::Consistency>> m_consistencies;
    std::map<std::pair<int, int>, double> m_agreements;
};

/// Of what counts; where nothing does, of the rest with the reason.
std::string countedText(const std::vector<double>& counted, const std::vector<double>& rest, const char* reason,
                        std::string (*text)(double))
{
    return counted.empty() && !rest.empty() ? fmt::format("{} {}", spreadText(rest, text), reason) : spreadText(counted, text);
}

std::string seriesText(const JudgedSeries& series)
{
    const app::SweepEvidence& evidence = series.evidence;
    const bool consistency = std::any_of(evidence.ranks.begin(), evidence.ranks.end(),
                                         [](const auto& rank) { return !rank.consistencies.empty() || !rank.unstable.empty(); });
    std::vector<std::vector<std::string>> rows{{evidence.field, nameOf(evidence.judge), "agreement", "runs"}};
    if (consistency)
        rows.front().insert(rows.front().begin() + 2, "core consistency");
    for (const app::RankEvidence& rank : evidence.ranks) {
        const std::size_t all = rank.results() + rank.failed;
        rows.push_back({rank.text.toStdString(), countedText(rank.values, rank.unconverged, "not converged", numberText),
                        spreadText(rank.agreements, scoreText),
                        rank.values.size() == all ? fmt::format("{}", all) : fmt::format("{} of {}", rank.values.size(), all)});
        if (consistency)
            rows.back().insert(rows.back().begin() + 2, countedText(rank.consistencies, rank.unstable, "unstable", consistencyText));
    }
    const std::string longer = series.longer.empty() ? "" : "To let them converge, sweep again with " + series.longer + ".\n";
    return tableText(rows) + '\n' + series.advice.text().toStdString() + '\n' + longer;
}

/// "--iterations 200": four times the limit that ended runs of the series.
std::string longerOptions(const app::SweepSeries& series)
{
    constexpr unsigned times = 4;
    const app::Judge judge = app::judgeOf(series);
    std::uint64_t iterations = 0;
    double seconds = 0;
    for (const app::SweepRun& run : series.runs) {
        if (!app::hasResult(run, judge) || app::counts(run, series, judge))
            continue;
        const kernels::RunResult& result = run.outcome->result;
        if (result.reason == kernels::StopReason::Iterations)
            iterations = std::max(iterations, times * result.config.stopping.iterations);
        else if (result.reason == kernels::StopReason::TimeLimit)
            seconds = std::max(seconds, times * result.config.stopping.secondsLimit);
    }
    std::vector<std::string> options;
    if (iterations > 0)
        options.push_back(fmt::format("--iterations {}", iterations));
    if (seconds > 0)
        options.push_back(fmt::format("--time-limit {:g}", seconds));
    return joined(options, " ");
}

/// "Algorithm CP-ALS, Precision fp64": what tells this series from the others.
std::string headingOf(const std::vector<app::SweepSeries>& all, std::size_t which)
{
    std::vector<kernels::RunConfig> settings;
    for (const app::SweepSeries& series : all)
        settings.push_back(series.settings);
    std::vector<std::string> parts;
    for (const app::SettingRow& row : app::settingDifferences(settings))
        parts.push_back((row.label + u' ' + row.values[static_cast<qsizetype>(which)]).toStdString());
    return joined(parts, ", ");
}

const kernels::IterationRecord* bestRecord(const kernels::RunResult& result)
{
    for (const kernels::IterationRecord& record : result.history)
        if (record.iteration == result.bestIteration)
            return &record;
    return nullptr;
}

/// "rank 4, lambda-a 0.1": what replicates have in common.
std::string combinationOf(app::SweepPlan plan, app::SweepRow row)
{
    if (!plan.axes.empty() && plan.axes.back().field == "seed") {
        plan.axes.pop_back();
        row.values.pop_back();
    }
    return plan.rowName(row).toStdString();
}

/// "lowest mean test RMSE: lambda-a 0.1 (0.94236)"
std::string bestText(const app::SweepPlan& plan, const std::vector<SweptRun>& swept, Judge judge)
{
    std::vector<std::pair<std::string, std::vector<double>>> combinations;
    const bool limitsVary =
        std::any_of(plan.axes.begin(), plan.axes.end(), [](const app::SweepAxis& axis) { return app::isStoppingRule(axis.field); });
    for (const SweptRun& each : swept) {
        if (!app::hasResult(each.run, judge) || (!limitsVary && !app::hadConverged(*each.run.outcome)))
            continue;
        const std::string name = combinationOf({plan.axes, {}}, *each.row);
        if (std::none_of(combinations.begin(), combinations.end(), [&](const auto& c) { return c.first == name; }))
            combinations.push_back({name, {}});
        for (auto& [known, values] : combinations)
            if (known == name)
                values.push_back(app::resultOf(*each.run.outcome, judge));
    }
    if (combinations.size() < 2)
        return {};
    const auto mean = [](const auto& combination) { return app::spreadOf(combination.second)->mean; };
    const auto less = [&](const auto& a, const auto& b) { return mean(a) < mean(b); };
    const auto best = judge == Judge::Fit ? std::max_element(combinations.begin(), combinations.end(), less)
                                          : std::min_element(combinations.begin(), combinations.end(), less);
    return fmt::format("{} mean {}: {} ({})\n", judge == Judge::Fit ? "highest" : "lowest", nameOf(judge), best->first,
                       numberText(mean(*best)));
}

std::string timeText(const app::TimeRange& range)
{
    if (range.least == range.most)
        return secondsText(range.least);
    return range.most < 1 ? "< 1 s" : fmt::format("{} to {}", secondsText(range.least), secondsText(range.most));
}

std::string cell(double value) { return std::isnan(value) ? std::string() : fmt::format("{}", value); }

} // namespace

std::vector<JudgedSeries> judged(const std::vector<SweptRun>& swept, const app::OpenTensor& tensor)
{
    std::vector<app::SweepRun> runs;
    for (const SweptRun& each : swept)
        runs.push_back(each.run);
    const std::vector<app::SweepSeries> all = app::sweepSeries(runs);
    const bool stoppedBefore = Interrupt::progress().cancelled();
    std::vector<JudgedSeries> result;
    for (std::size_t i = 0; i < all.size(); ++i) {
        result.push_back({headingOf(all, i), Analysis(all[i], tensor, stoppedBefore).evidence(all[i]), {}});
        const app::SweepEvidence& evidence = result.back().evidence;
        result.back().advice = evidence.field == "rank" ? app::adviseRank(evidence, QLocale::c())
                                                        : app::adviseField(evidence, QString::fromStdString(evidence.field), QLocale::c());
        result.back().longer = longerOptions(all[i]);
    }
    return result;
}

std::string planText(const app::SweepPlan& plan)
{
    std::vector<std::string> head{""};
    std::vector<bool> right{true};
    for (const app::SweepAxis& axis : plan.axes) {
        head.push_back(axis.field);
        right.push_back(true);
    }
    head.insert(head.end(), {"memory", "time", ""});
    right.insert(right.end(), {true, true, false});
    std::vector<std::vector<std::string>> rows{head};
    std::size_t number = 0;
    for (const app::SweepRow& row : plan.rows) {
        const bool runs = row.refusal.isEmpty();
        rows.push_back({runs ? fmt::format("{}", ++number) : "–"});
        rows.back().insert(rows.back().end(), row.values.begin(), row.values.end());
        rows.back().push_back(runs && row.needs.bytes ? kernels::formatBytes(row.needs.bytes) : "");
        rows.back().push_back(runs && row.seconds() > 0 ? timeText(row.range()) : "");
        rows.back().push_back(runs ? std::string() : "left out: " + row.refusal.toStdString());
    }
    std::string text = tableText(rows, right) + countText(plan.runCount(), "run", "runs");
    if (plan.runCount() < plan.rows.size())
        text += fmt::format(", {} left out", countText(plan.rows.size() - plan.runCount(), "combination", "combinations"));
    if (plan.seconds() > 0)
        text += fmt::format("; about {} in all, {}", timeText(plan.range()), plan.secondsMeasured() ? "measured" : "a guess");
    if (plan.mostBytes() > 0)
        text += fmt::format("; at most {} at once", kernels::formatBytes(plan.mostBytes()));
    return text + '\n';
}

std::string runLine(const app::SweepPlan& plan, const SweptRun& swept, std::size_t number, std::size_t of)
{
    std::string text = fmt::format("[{}/{}] {}: ", number, of, plan.rowName(*swept.row).toStdString());
    if (!swept.run.outcome)
        return text + swept.failure + '\n';
    const kernels::RunResult& result = swept.run.outcome->result;
    const auto* best = bestRecord(result);
    const bool byFit = kernels::algorithm(result.config.algorithm).objective == kernels::Objective::All;
    if (best && byFit)
        text += fmt::format("fit {}, ", numberText(best->fit));
    if (best && !(byFit && std::isnan(best->testRmse)))
        text += std::isnan(best->testRmse) ? fmt::format("train RMSE {}, ", numberText(best->trainRmse))
                                           : fmt::format("test RMSE {}, ", numberText(best->testRmse));
    const bool falls = best && result.reason != kernels::StopReason::Failed && !app::hadConverged(*swept.run.outcome);
    text += fmt::format("{} ({}{}), {}\n", countText(result.history.size(), "iteration", "iterations"), kernels::toString(result.reason),
                        falls ? ", not converged" : "", secondsText(swept.wallSeconds));
    return swept.failure.empty() ? text : text + "        " + swept.failure + '\n';
}

std::string resultText(const app::SweepPlan& plan, const std::vector<SweptRun>& swept, const app::OpenTensor& tensor)
{
    const std::vector<JudgedSeries> all = judged(swept, tensor);
    std::string text;
    for (const JudgedSeries& series : all)
        text += '\n' + (all.size() > 1 ? series.heading + '\n' : std::string()) + seriesText(series);
    const bool more = std::any_of(plan.axes.begin(), plan.axes.end(),
                                  [](const app::SweepAxis& axis) { return axis.field != "rank" && axis.field != "seed"; });
    if (const std::string best = more ? bestText(plan, swept, Judge::TestRmse) + bestText(plan, swept, Judge::Fit) : ""; !best.empty())
        text += '\n' + best;
    return text;
}

std::string sweepCsv(const app::SweepPlan& plan, const std::vector<SweptRun>& swept)
{
    std::string text;
    for (const app::SweepAxis& axis : plan.axes)
        text += io::csvCell(axis.field) + ',';
    text += "best_iteration,test_rmse,test_mae,train_rmse,train_mae,fit,iterations,compute_seconds,ended,converged,model\n";
    for (const SweptRun& each : swept) {
        for (const std::string& value : each.row->values)
            text += io::csvCell(value) + ',';
        const kernels::IterationRecord none{};
        const auto* best = each.run.outcome ? bestRecord(each.run.outcome->result) : nullptr;
        const kernels::IterationRecord& record = best ? *best : none;
        text += fmt::format("{},{},{},{},{},{},", best ? fmt::format("{}", record.iteration) : "", cell(record.testRmse),
                            cell(record.testMae), cell(record.trainRmse), cell(record.trainMae), cell(record.fit));
        if (each.run.outcome) {
            const kernels::RunResult& result = each.run.outcome->result;
            text += fmt::format("{},{},{},{},", result.history.size(), result.history.empty() ? 0 : result.history.back().elapsed,
                                kernels::toString(result.reason), app::hadConverged(*each.run.outcome) ? "yes" : "no");
        } else {
            text += ",," + io::csvCell(each.failure) + ",,";
        }
        text += io::csvCell(each.modelFile) + '\n';
    }
    return text;
}

} // namespace cli
