// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_summary.h"

#include "app/baseline_text.h"
#include "app/cli/formatting.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"
#include "kernels/operations/sparsity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

/// "20.3 ms": the mean of one of the seconds.
template <class Field> double meanSeconds(const std::vector<kernels::IterationRecord>& history, Field field)
{
    double sum = 0;
    for (const kernels::IterationRecord& record : history)
        sum += record.*field;
    return history.empty() ? kernels::notMeasured : sum / static_cast<double>(history.size());
}

/// An algorithm without a core has two other things to do: the products of the entries, and the equations of the rows.
std::string iterationText(const kernels::RunResult& result)
{
    using Record = kernels::IterationRecord;
    const kernels::AlgorithmInfo& info = kernels::algorithm(result.config.algorithm);
    const bool cp = info.model == kernels::ModelKind::Cp && info.objective == kernels::Objective::All;
    const auto mean = [&](double Record::*field) { return secondsText(meanSeconds(result.history, field)); };
    if (info.model == kernels::ModelKind::Cp && !cp)
        return fmt::format("per iteration: factors {}, evaluation {}\n", mean(&Record::secondsFactor), mean(&Record::secondsEvaluate));
    return fmt::format("per iteration: {} {}, {} {}, evaluation {}\n", cp ? "products" : "factors", mean(&Record::secondsFactor),
                       cp ? "equations" : "core", mean(&Record::secondsCore), mean(&Record::secondsEvaluate));
}

std::string errorsText(const char* part, double rmse, double mae)
{
    return std::isnan(rmse) ? std::string() : fmt::format("  {} RMSE {}, MAE {}\n", part, numberText(rmse), numberText(mae));
}

/// With the variant where there are several: what tells one line of a log from the next.
std::string methodText(const kernels::RunResult& result)
{
    const kernels::AlgorithmInfo& info = kernels::algorithm(result.config.algorithm);
    if (!result.variantNote.empty())
        return fmt::format("{} ({}: {})", info.title, result.config.variant, result.variantNote);
    if (info.variants.size() == 1 && info.formats.size() > 1) // then the format is what tells runs apart
        return fmt::format("{} ({})", info.title, result.config.format);
    return info.variants.size() > 1 ? fmt::format("{} ({})", info.title, result.config.variant) : info.title;
}

std::string ranksText(const kernels::RunConfig& config)
{
    if (kernels::algorithm(config.algorithm).model == kernels::ModelKind::Cp)
        return fmt::format("rank {}", config.largestRank());
    const std::string ranks = fmt::format("{}", fmt::join(config.ranks, " x "));
    const bool asRanks = kernels::algorithm(config.algorithm).model != kernels::ModelKind::FastTucker
        || std::all_of(config.ranks.begin(), config.ranks.end(), [&](unsigned rank) { return rank == config.effectiveCoreRank(); });
    return asRanks ? "ranks " + ranks : fmt::format("ranks {}, core rank {}", ranks, config.effectiveCoreRank());
}

std::string lossText(const kernels::IterationRecord& best)
{
    if (std::isnan(best.divergence))
        return {};
    const std::string ofTest =
        std::isnan(best.testDivergence) ? std::string() : fmt::format(", {} a test entry", numberText(best.testDivergence));
    return fmt::format("  divergence {} a training entry{}, loss + penalty {}\n", numberText(best.divergence), ofTest,
                       numberText(best.objective));
}

std::string bestText(const kernels::IterationRecord& best)
{
    const std::string fit =
        std::isnan(best.fit) ? std::string() : fmt::format("  fit   {} (all cells, missing ones zero)\n", numberText(best.fit));
    return fmt::format("best iteration {}:\n", best.iteration) + fit + errorsText("test ", best.testRmse, best.testMae)
        + errorsText("train", best.trainRmse, best.trainMae) + lossText(best);
}

std::string adviceText(const app::BaselineComparison& comparison)
{
    return fmt::format(" Try {} or another algorithm.",
                       comparison.overfits() ? "smaller ranks, a larger penalty" : "larger ranks, more iterations");
}

/// What the model is worth: where values hardly differ, the mean is never far away.
std::string baselineText(const kernels::Baselines* baselines, const kernels::IterationRecord& best)
{
    const auto comparison = baselines ? app::compareWith(*baselines, best) : std::nullopt;
    if (!comparison)
        return {};
    const std::string verdict = app::baselineVerdict(*comparison).toStdString();
    return app::baselinesText(*comparison).toStdString() + '\n' + (verdict.empty() ? verdict : verdict + adviceText(*comparison) + '\n');
}

} // namespace

std::string divergenceText(const kernels::DivergenceAdvice& advice)
{
    return fmt::format("divergence={}, which auto took: {}\n", kernels::toString(advice.divergence), advice.because());
}

std::string resumedText(std::size_t before, const kernels::RunResult& result)
{
    if (result.history.size() > before)
        return fmt::format("went on after iteration {}; iterations and compute are the whole run's\n", before);
    const std::string done = countText(before, "iteration", "iterations");
    switch (result.reason) {
    case kernels::StopReason::Iterations:
        return fmt::format("nothing was left to do: the checkpoint has {} already; raise --iterations to go on\n", done);
    case kernels::StopReason::Converged:
        return fmt::format("nothing was left to do: after the checkpoint's {} the run counts as converged; raise --patience or lower "
                           "--tolerance (0: never) to go on\n",
                           done);
    case kernels::StopReason::TimeLimit:
        return fmt::format("nothing was left to do: the checkpoint's {} took the time limit already; raise --time-limit to go on\n", done);
    default:
        return fmt::format("nothing was done after the checkpoint's {}\n", done);
    }
}

std::string summary(const kernels::RunResult& result, double wallSeconds, const kernels::Baselines* baselines)
{
    using Record = kernels::IterationRecord;
    const kernels::RunConfig& config = result.config;
    const auto& history = result.history;
    std::string text = fmt::format("{} on {}, {}, {}, seed {}, {} training and {} test entries\n", methodText(result),
                                   kernels::toString(config.devices), kernels::toString(config.precision), ranksText(config), config.seed,
                                   countText(result.trainEntries), countText(result.testEntries));
    text +=
        fmt::format("{}, {} compute, {} in all; ended: {}\n", countText(history.size(), "iteration", "iterations"),
                    secondsText(history.empty() ? 0 : history.back().elapsed), secondsText(wallSeconds), kernels::toString(result.reason));
    if (!history.empty())
        text += iterationText(result);
    const std::string onDevice = result.memory.deviceBytes > 0
        ? kernels::formatBytes(result.memory.deviceBytes) + (config.devices.size() > 1 ? " on each device, " : " on the device, ")
        : std::string();
    text += fmt::format("memory: {}{} on the host\n", onDevice, kernels::formatBytes(result.memory.hostBytes));
    for (const Record& record : history)
        if (record.iteration == result.bestIteration)
            text += bestText(record) + baselineText(baselines, record);
    if (const kernels::Sparsity zeros = kernels::sparsityOf(result.best); result.best.kind == kernels::ModelKind::Tucker && zeros.any())
        text +=
            fmt::format("  zeros {:.1f} % of the core's numbers, {:.1f} % of the factors'\n", zeros.corePercent(), zeros.factorPercent());
    return text;
}

} // namespace cli
