// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_results.h"

#include "app/sweep_field_values.h"
#include "app/sweep_plan.h"
#include "kernels/base/progression.h"
#include "kernels/base/registry.h"
#include "kernels/operations/core_consistency.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <system_error>

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

std::optional<double> numberOf(const std::string& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Numbers as such, words as they came; seeds within a value.
void sortByValue(SweepSeries& series)
{
    std::vector<std::string> values;
    std::map<std::string, std::size_t> places;
    std::vector<std::pair<std::string, SweepRun>> runs;
    for (SweepRun& run : series.runs) {
        runs.emplace_back(sweepValueOf(run.config, series.field), std::move(run));
        if (places.try_emplace(runs.back().first, values.size()).second)
            values.push_back(runs.back().first);
    }
    if (std::all_of(values.begin(), values.end(), [](const std::string& value) { return numberOf(value).has_value(); })) {
        std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return *numberOf(a) < *numberOf(b); });
        for (std::size_t i = 0; i < values.size(); ++i)
            places[values[i]] = i;
    }
    std::stable_sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) {
        const std::size_t first = places.at(a.first), second = places.at(b.first);
        return first != second ? first < second : a.second.config.seed < b.second.config.seed;
    });
    series.runs.clear();
    for (auto& [value, run] : runs) {
        run.group = QString::fromStdString(series.field == "algorithm" ? kernels::algorithm(value).title : value);
        series.runs.push_back(std::move(run));
    }
}

/// Of those of one rank the ones that differ in one other field come together; they leave `all`.
std::vector<SweepSeries> seriesOfFields(std::vector<SweepSeries>& all)
{
    std::vector<SweepSeries*> single; // of one rank
    for (SweepSeries& series : all)
        if (std::all_of(series.runs.begin(), series.runs.end(),
                        [&](const SweepRun& run) { return run.config.ranks == series.runs.front().config.ranks; }))
            single.push_back(&series);
    std::vector<std::string> fields;
    std::map<std::pair<int, std::string>, const SweepRun*> firsts; // of each tensor, and of each tensor and algorithm
    for (const SweepSeries* series : single) {
        const SweepRun& run = series->runs.front();
        for (const std::string& algorithm : {std::string(), run.config.algorithm}) {
            const SweepRun* const first = firsts.try_emplace({series->tensor, algorithm}, &run).first->second;
            for (const std::string& field : differingFields(first->config, run.config))
                if (std::find(fields.begin(), fields.end(), field) == fields.end())
                    fields.push_back(field);
        }
    }
    std::vector<SweepSeries> found;
    std::set<const SweepSeries*> taken;
    for (const std::string& field : fields) {
        std::vector<std::pair<SweepSeries, std::vector<const SweepSeries*>>> groups;
        for (const SweepSeries* series : single) {
            SweepSeries key{withoutField(series->settings, field), series->tensor, field, {}};
            key.settings.ranks = series->runs.front().config.ranks;
            auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first.isSameAs(key); });
            if (at == groups.end())
                at = groups.insert(groups.end(), {std::move(key), {}});
            at->second.push_back(series);
        }
        for (auto& [series, parts] : groups) {
            if (parts.size() < 2)
                continue;
            for (const SweepSeries* part : parts) {
                series.runs.insert(series.runs.end(), part->runs.begin(), part->runs.end());
                taken.insert(part);
            }
            sortByValue(series);
            found.push_back(std::move(series));
        }
    }
    std::vector<SweepSeries> rest;
    for (SweepSeries& series : all)
        if (!taken.contains(&series))
            rest.push_back(std::move(series));
    all = std::move(rest);
    return found;
}

void takeLimits(kernels::RunConfig& config, const kernels::StoppingRules& from)
{
    config.stopping.iterations = from.iterations;
    config.stopping.secondsLimit = from.secondsLimit;
}

/// Runs of one tensor with the same limits of iterations and time, and those that come together with them.
struct LimitGroup {
    kernels::StoppingRules limits;
    int tensor = 0;
    std::vector<SweepRun*> runs;

    bool isOf(const SweepRun& run) const
    {
        const kernels::StoppingRules& own = run.config.stopping;
        return tensor == run.tensor && limits.iterations == own.iterations && limits.secondsLimit == own.secondsLimit;
    }
    /// Alike but for the limits: then somebody varied them.
    bool hasTwinOf(const SweepRun& run) const
    {
        return std::any_of(runs.begin(), runs.end(), [&](const SweepRun* each) {
            if (!sameRun(*each, run))
                return false;
            kernels::RunConfig same = run.config;
            takeLimits(same, each->config.stopping);
            return same == each->config;
        });
    }
    bool isDisjoint(const LimitGroup& other) const
    {
        return tensor == other.tensor && std::none_of(runs.begin(), runs.end(), [&](const SweepRun* run) { return other.hasTwinOf(*run); });
    }
};

/// The limits of the first runs, for those that can come together with them.
std::vector<SweepRun> withCommonLimits(std::vector<SweepRun> runs)
{
    std::vector<LimitGroup> groups, merged;
    for (SweepRun& run : runs) {
        auto at = std::find_if(groups.begin(), groups.end(), [&](const LimitGroup& group) { return group.isOf(run); });
        if (at == groups.end())
            at = groups.insert(groups.end(), {run.config.stopping, run.tensor, {}});
        at->runs.push_back(&run);
    }
    for (LimitGroup& group : groups) {
        const auto at = std::find_if(merged.begin(), merged.end(), [&](const LimitGroup& each) { return each.isDisjoint(group); });
        if (at == merged.end())
            merged.push_back(std::move(group));
        else
            at->runs.insert(at->runs.end(), group.runs.begin(), group.runs.end());
    }
    for (const LimitGroup& group : merged)
        for (SweepRun* run : group.runs)
            takeLimits(run->config, group.limits);
    return runs;
}

const kernels::IterationRecord* bestRecord(const kernels::RunResult& result)
{
    const std::uint64_t best = result.bestIteration; // counted from 1, none left out
    return best >= 1 && best <= result.history.size() ? &result.history[best - 1] : nullptr;
}

/// How far a run came with what it learned from.
struct Reached {
    Reached() = default; ///< a run that does not count
    Reached(const RunOutcome& outcome, Judge judge)
        : tested(judge == Judge::TestRmse ? resultOf(outcome, judge) : kernels::notMeasured)
    {
        if (judge == Judge::Fit) {
            left = 1 - resultOf(outcome, judge);
            slack = 1e-6;
            return;
        }
        for (const kernels::IterationRecord& record : outcome.result.history)
            left = std::fmin(left, record.trainRmse);
        slack = 1e-3 * outcome.result.history.front().trainRmse;
    }

    /// Seeds hold out other entries. A few of extreme value make either the training or the test error large, a plateau both.
    bool isFarFrom(const Reached& best) const
    {
        constexpr double muchWorse = 1.05;
        return std::isfinite(left) && left > muchWorse * best.left + slack && !(tested <= best.tested);
    }

    double left = std::numeric_limits<double>::infinity(); ///< unexplained
    double slack = 0; ///< nobody minds so much of it
    double tested = kernels::notMeasured;
};

} // namespace

std::vector<SweepSeries> sweepSeries(const std::vector<SweepRun>& given)
{
    const std::vector<SweepRun> runs = withCommonLimits(given);
    std::vector<SweepSeries> all;
    for (const SweepRun& run : runs) {
        const kernels::RunConfig settings = withoutRankAndSeed(run.config);
        auto at = std::find_if(all.begin(), all.end(),
                               [&](const SweepSeries& each) { return each.tensor == run.tensor && each.settings == settings; });
        if (at == all.end())
            at = all.insert(all.end(), {settings, run.tensor, "rank", {}});
        SweepRun named = run;
        named.group = rankText(run.config);
        addTo(*at, named);
    }
    std::vector<SweepSeries> result = seriesOfFields(all);
    for (SweepSeries& series : all)
        if (series.runs.size() > 1) {
            std::stable_sort(series.runs.begin(), series.runs.end(), before);
            result.push_back(std::move(series));
        }
    const auto first = [&](const SweepSeries& series) {
        const auto at = std::find_if(runs.begin(), runs.end(), [&](const SweepRun& run) {
            return std::any_of(series.runs.begin(), series.runs.end(), [&](const SweepRun& each) { return each.id == run.id; });
        });
        return at - runs.begin();
    };
    std::vector<std::pair<std::ptrdiff_t, SweepSeries>> placed;
    for (SweepSeries& series : result) {
        const std::ptrdiff_t place = first(series);
        placed.emplace_back(place, std::move(series));
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    result.clear();
    for (auto& each : placed)
        result.push_back(std::move(each.second));
    return result;
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

bool hadConverged(const RunOutcome& outcome)
{
    const kernels::RunResult& result = outcome.result;
    if (result.reason == kernels::StopReason::Converged)
        return true;
    const kernels::Objective objective = kernels::algorithm(result.config.algorithm).objective;
    const bool ofFit = objective == kernels::Objective::All;
    kernels::StoppingRules rules;
    if (result.config.stopping.tolerance > 0)
        rules.tolerance = result.config.stopping.tolerance;
    kernels::Progression watched(rules, ofFit);
    double leastTrainRmse = kernels::notMeasured;
    const auto watch = [&](const kernels::IterationRecord& record) {
        constexpr double fast = 0.02; // as in the run itself: while the training error falls so fast, the test error says nothing yet
        const bool learns = !ofFit && std::isfinite(record.testRmse) && record.trainRmse < (1 - fast) * leastTrainRmse;
        leastTrainRmse = std::fmin(leastTrainRmse, record.trainRmse);
        watched.improves(ofFit ? record.fit : watchedNumber(record, objective), learns);
    };
    constexpr std::size_t tail = 100; // of what was long before, the best is all that counts
    const std::size_t begin = result.history.size() - std::min(tail, result.history.size());
    if (const kernels::IterationRecord* best = bestRecord(result); best && result.bestIteration <= begin)
        watch(*best);
    for (std::size_t i = begin; i < result.history.size(); ++i)
        watch(result.history[i]);
    return watched.converged();
}

bool isStoppingRule(const std::string& field) { return field == "iterations" || field == "tolerance" || field == "patience"; }

bool counts(const SweepRun& run, const SweepSeries& series, Judge judge)
{
    return hasResult(run, judge) && (isStoppingRule(series.field) || hadConverged(*run.outcome));
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
    std::vector<bool> stuck(series.runs.size(), false);
    if (isStoppingRule(series.field))
        return stuck; // when a run stops is what was varied
    for (std::size_t begin = 0; begin < series.runs.size();) {
        std::size_t end = begin;
        std::vector<Reached> reached;
        for (; end < series.runs.size() && series.runs[end].group == series.runs[begin].group; ++end)
            reached.push_back(counts(series.runs[end], series, judge) ? Reached(*series.runs[end].outcome, judge) : Reached());
        const Reached& best =
            *std::min_element(reached.begin(), reached.end(), [](const Reached& a, const Reached& b) { return a.left < b.left; });
        for (std::size_t i = begin; i < end; ++i)
            stuck[i] = reached[i - begin].isFarFrom(best);
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
        for (; end < series.runs.size() && series.runs[end].group == series.runs[begin].group; ++end)
            if (counts(series.runs[end], series, judge) && !stuck[end] && replicates.size() < mostReplicates)
                replicates.push_back(end);
        for (std::size_t i = 0; i < replicates.size(); ++i)
            for (std::size_t j = i + 1; j < replicates.size(); ++j)
                pairs.emplace_back(replicates[i], replicates[j]);
        begin = end;
    }
    return pairs;
}

double agreementOf(const RunOutcome& first, const RunOutcome& second, kernels::RunControl& control)
{
    return kernels::matchModels(first.result.best, second.result.best, control).agreement;
}

std::optional<Consistency> consistencyOf(const RunOutcome& outcome, const OpenTensor& tensor, kernels::Progress& progress)
{
    const kernels::Model& model = outcome.result.best;
    if (model.kind != kernels::ModelKind::Cp || !tensor.isHere || kernels::consistencyCoreSize(model) > kernels::largestConsistencyCore)
        return {};
    const kernels::Objective objective = kernels::algorithm(outcome.result.config.algorithm).objective;
    const auto found = kernels::coreConsistency(model, tensor.tensor, objective, outcome.testPositions, &progress);
    return Consistency{found.percent, found.isStable()};
}

SweepEvidence evidenceOf(const SweepSeries& series, const std::function<std::optional<Consistency>(const SweepRun&)>& consistency,
                         const std::function<std::optional<double>(const SweepRun&, const SweepRun&)>& agreement)
{
    SweepEvidence evidence;
    evidence.judge = judgeOf(series);
    evidence.field = series.field;
    evidence.ofComponents = std::all_of(series.runs.begin(), series.runs.end(), [](const SweepRun& run) {
        return kernels::algorithm(run.config.algorithm).model == kernels::ModelKind::Cp;
    });
    const std::vector<bool> stuck = stuckRuns(series, evidence.judge);
    const SweepRun* last = nullptr;
    for (std::size_t i = 0; i < series.runs.size(); ++i) {
        const SweepRun& run = series.runs[i];
        if (!last || last->group != run.group) {
            const bool byRank = series.field == "rank";
            const unsigned number = byRank ? run.config.largestRank() : static_cast<unsigned>(evidence.ranks.size());
            RankEvidence& next = evidence.ranks.emplace_back();
            next.rank = number;
            next.text = run.group;
        }
        last = &run;
        RankEvidence& rank = evidence.ranks.back();
        if (stuck[i]) {
            rank.stuck.push_back(resultOf(*run.outcome, evidence.judge));
        } else if (counts(run, series, evidence.judge)) {
            rank.values.push_back(resultOf(*run.outcome, evidence.judge));
            rank.seeds.push_back(run.config.seed);
            if (const auto found = consistency(run); found && std::isfinite(found->percent))
                (found->stable ? rank.consistencies : rank.unstable).push_back(found->percent);
        } else if (run.ended && hasResult(run, evidence.judge)) { // one that goes on is waited for
            rank.unconverged.push_back(resultOf(*run.outcome, evidence.judge));
        } else {
            ++(run.ended ? rank.failed : rank.waiting);
        }
    }
    std::size_t place = 0;
    for (const auto& [i, j] : replicatePairs(series, evidence.judge)) {
        const SweepRun& run = series.runs[i];
        while (evidence.ranks[place].text != run.group)
            ++place;
        const auto score = agreement(run, series.runs[j]);
        if (score && std::isfinite(*score))
            evidence.ranks[place].agreements.push_back(*score);
        else if (score)
            ++evidence.ranks[place].trivial;
    }
    return evidence;
}

} // namespace app
