// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_results.h"

#include "app/sweep_plan.h"
#include "kernels/base/registry.h"
#include "kernels/operations/core_consistency.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {
namespace {

bool sameRun(const SweepRun& a, const SweepRun& b) { return a.config.ranks == b.config.ranks && a.config.seed == b.config.seed; }

unsigned long long columnsOf(const kernels::RunConfig& config)
{
    unsigned long long sum = 0;
    for (const unsigned rank : config.ranks)
        sum += rank;
    return sum;
}

bool before(const SweepRun& a, const SweepRun& b)
{
    if (a.config.largestRank() != b.config.largestRank())
        return a.config.largestRank() < b.config.largestRank();
    if (a.config.ranks != b.config.ranks)
        return columnsOf(a.config) != columnsOf(b.config) ? columnsOf(a.config) < columnsOf(b.config) : a.config.ranks < b.config.ranks;
    return a.config.seed < b.config.seed;
}

void addTo(SweepSeries& series, const SweepRun& run)
{
    const auto same = std::find_if(series.runs.begin(), series.runs.end(), [&](const SweepRun& other) { return sameRun(run, other); });
    if (same == series.runs.end())
        series.runs.push_back(run);
    else if (run.outcome || !same->outcome)
        *same = run;
}

const kernels::IterationRecord* bestRecord(const kernels::RunResult& result)
{
    const std::uint64_t best = result.bestIteration; // counted from 1, none left out
    return best >= 1 && best <= result.history.size() ? &result.history[best - 1] : nullptr;
}

} // namespace

std::vector<SweepSeries> sweepSeries(const std::vector<SweepRun>& runs)
{
    std::vector<SweepSeries> all;
    for (const SweepRun& run : runs) {
        const kernels::RunConfig settings = withoutRankAndSeed(run.config);
        auto at = std::find_if(all.begin(), all.end(),
                               [&](const SweepSeries& each) { return each.tensor == run.tensor && each.settings == settings; });
        if (at == all.end())
            at = all.insert(all.end(), {settings, run.tensor, {}});
        addTo(*at, run);
    }
    std::erase_if(all, [](const SweepSeries& each) { return each.runs.size() < 2; });
    for (SweepSeries& series : all)
        std::stable_sort(series.runs.begin(), series.runs.end(), before);
    return all;
}

double resultOf(const RunOutcome& outcome, Judge judge)
{
    const kernels::IterationRecord* const best = bestRecord(outcome.result);
    if (!best)
        return kernels::notMeasured;
    return judge == Judge::Fit ? best->fit : judge == Judge::TestRmse ? best->testRmse : best->trainRmse;
}

bool hasResult(const SweepRun& run, Judge judge)
{
    return run.outcome && run.outcome->result.reason != kernels::StopReason::Failed && std::isfinite(resultOf(*run.outcome, judge));
}

Judge judgeOf(const SweepSeries& series)
{
    if (kernels::algorithm(series.settings.algorithm).objective == kernels::Objective::All)
        return Judge::Fit;
    const bool tested =
        std::any_of(series.runs.begin(), series.runs.end(), [](const SweepRun& run) { return hasResult(run, Judge::TestRmse); });
    return tested || series.settings.split.kind != kernels::SplitKind::None ? Judge::TestRmse : Judge::TrainRmse;
}

std::vector<bool> stuckRuns(const SweepSeries& series, Judge judge)
{
    constexpr double muchWorse = 1.05; // times what the best left unexplained
    std::vector<bool> stuck(series.runs.size(), false);
    if (judge != Judge::Fit)
        return stuck;
    for (std::size_t begin = 0; begin < series.runs.size();) {
        std::size_t end = begin;
        double least = std::numeric_limits<double>::infinity();
        for (; end < series.runs.size() && series.runs[end].config.ranks == series.runs[begin].config.ranks; ++end)
            if (hasResult(series.runs[end], judge))
                least = std::min(least, 1 - resultOf(*series.runs[end].outcome, judge));
        for (std::size_t i = begin; i < end; ++i)
            stuck[i] = hasResult(series.runs[i], judge) && 1 - resultOf(*series.runs[i].outcome, judge) > muchWorse * least + 1e-6;
        begin = end;
    }
    return stuck;
}

std::vector<std::pair<std::size_t, std::size_t>> replicatePairs(const SweepSeries& series, Judge judge)
{
    const std::vector<bool> stuck = stuckRuns(series, judge);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t begin = 0; begin < series.runs.size();) {
        std::vector<std::size_t> replicates;
        std::size_t end = begin;
        for (; end < series.runs.size() && series.runs[end].config.ranks == series.runs[begin].config.ranks; ++end)
            if (hasResult(series.runs[end], judge) && !stuck[end] && replicates.size() < mostReplicates)
                replicates.push_back(end);
        for (std::size_t i = 0; i < replicates.size(); ++i)
            for (std::size_t j = i + 1; j < replicates.size(); ++j)
                pairs.emplace_back(replicates[i], replicates[j]);
        begin = end;
    }
    return pairs;
}

double agreementOf(const kernels::ModelMatch& match, const kernels::Model& first, const kernels::Model& second)
{
    if (match.ofComponents)
        return match.score;
    double sum = 0;
    unsigned modes = 0;
    for (std::size_t n = 0; n < match.cosines.size() && n < first.dims.size(); ++n) {
        const double chance = static_cast<double>(std::max(first.ranks[n], second.ranks[n])) / static_cast<double>(first.dims[n]);
        if (chance >= 1 || match.cosines[n].empty())
            continue;
        double squares = 0;
        for (const double cosine : match.cosines[n])
            squares += cosine * cosine;
        sum += (squares / static_cast<double>(match.cosines[n].size()) - chance) / (1 - chance);
        ++modes;
    }
    return modes == 0 ? kernels::notMeasured : sum / modes;
}

double agreementOf(const RunOutcome& first, const RunOutcome& second, kernels::RunControl& control)
{
    const kernels::Model &a = first.result.best, &b = second.result.best;
    return agreementOf(kernels::matchModels(a, b, control), a, b);
}

std::optional<double> consistencyOf(const RunOutcome& outcome, const OpenTensor& tensor, kernels::Progress& progress)
{
    const kernels::Model& model = outcome.result.best;
    if (model.kind != kernels::ModelKind::Cp || !tensor.isHere || kernels::consistencyCoreSize(model) > kernels::largestConsistencyCore)
        return {};
    const kernels::Objective objective = kernels::algorithm(outcome.result.config.algorithm).objective;
    return kernels::coreConsistency(model, tensor.tensor, objective, outcome.testPositions, &progress).percent;
}

SweepEvidence evidenceOf(const SweepSeries& series, const std::function<std::optional<double>(const SweepRun&)>& consistency,
                         const std::function<std::optional<double>(const SweepRun&, const SweepRun&)>& agreement)
{
    SweepEvidence evidence;
    evidence.judge = judgeOf(series);
    evidence.ofComponents = kernels::algorithm(series.settings.algorithm).model == kernels::ModelKind::Cp;
    const std::vector<bool> stuck = stuckRuns(series, evidence.judge);
    const kernels::RunConfig* last = nullptr;
    for (std::size_t i = 0; i < series.runs.size(); ++i) {
        const SweepRun& run = series.runs[i];
        if (!last || last->ranks != run.config.ranks)
            evidence.ranks.push_back({run.config.largestRank(), rankText(run.config), {}, {}, {}, 0, 0, 0, {}});
        last = &run.config;
        RankEvidence& rank = evidence.ranks.back();
        if (hasResult(run, evidence.judge)) {
            rank.values.push_back(resultOf(*run.outcome, evidence.judge));
            rank.seeds.push_back(run.config.seed);
            rank.stuck += stuck[i];
            if (const auto percent = stuck[i] ? std::nullopt : consistency(run); percent && std::isfinite(*percent))
                rank.consistencies.push_back(*percent);
        } else {
            ++(run.ended ? rank.failed : rank.waiting);
        }
    }
    std::size_t place = 0;
    for (const auto& [i, j] : replicatePairs(series, evidence.judge)) {
        const SweepRun& run = series.runs[i];
        while (evidence.ranks[place].text != rankText(run.config))
            ++place;
        if (const auto score = agreement(run, series.runs[j]); score && std::isfinite(*score))
            evidence.ranks[place].agreements.push_back(*score);
    }
    return evidence;
}

} // namespace app
