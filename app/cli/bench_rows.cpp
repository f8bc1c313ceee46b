// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_rows.h"

#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/run_job.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"
#include "kernels/base/stale_pass.h"
#include "kernels/base/stopwatch.h"
#include "kernels/base/time_limit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace cli {
namespace {

using nlohmann::ordered_json;

void takeTimes(BenchRow& row, const std::vector<kernels::IterationRecord>& history, std::uint64_t warmUp)
{
    std::vector<double> factor, core, evaluate, iteration;
    if (!history.empty())
        warmUp = std::min<std::uint64_t>(warmUp, history.size() - 1); // the time was up
    for (const kernels::IterationRecord& record : history) {
        if (record.iteration <= warmUp)
            continue;
        factor.push_back(record.secondsFactor);
        core.push_back(record.secondsCore);
        evaluate.push_back(record.secondsEvaluate);
        iteration.push_back(record.secondsFactor + record.secondsCore + record.secondsConvert);
    }
    if (iteration.empty())
        throw kernels::Error(kernels::ErrorKind::Internal, "The run ended before anything was measured.");
    row.factor = spreadOf(factor);
    row.core = spreadOf(core);
    row.evaluate = spreadOf(evaluate);
    row.iteration = spreadOf(iteration);
}

/// Of pass(solver, t, control), which is no part of an iteration; prepare(…) comes before each. Nothing where the algorithm, or
/// this variant of it, has no such pass.
template <class Prepare, class Pass>
std::optional<Spread> passTimes(const kernels::RunConfig& config, const app::OpenTensorPtr& open, const BenchEffort& effort,
                                const Prepare& prepare, const Pass& pass)
{
    app::TrainTestCache cache;
    kernels::RunControl control;
    const Interrupt::Watch watch(control);
    const app::TrainTest parts = cache.get(open, config, Interrupt::progress());
    const auto solver = kernels::algorithm(config.algorithm).makeSolver({config, *parts.train, parts.test.get()});
    solver->prepare(control);
    std::vector<double> seconds;
    for (std::uint64_t t = 0; t < effort.warmUp + effort.repeat; ++t) {
        prepare(*solver, t, control);
        const kernels::Stopwatch watched(control);
        if (!pass(*solver, t, control))
            return std::nullopt;
        if (t >= effort.warmUp)
            seconds.push_back(watched.seconds());
    }
    return spreadOf(seconds);
}

std::optional<Spread> accessTimes(const kernels::RunConfig& config, const app::OpenTensorPtr& open, const BenchEffort& effort)
{
    return passTimes(
        config, open, effort, [](auto&&...) {},
        [](kernels::Solver& solver, std::uint64_t t, kernels::RunControl& control) { return solver.touchRows(t, control); });
}

/// Each after an iteration, which leaves the projected rows it goes by.
std::optional<Spread> staleTimes(const kernels::RunConfig& config, const app::OpenTensorPtr& open, const BenchEffort& effort)
{
    return passTimes(
        config, open, effort, [](kernels::Solver& solver, std::uint64_t t, kernels::RunControl& control) { solver.iterate(t, control); },
        [](kernels::Solver& solver, std::uint64_t t, kernels::RunControl& control) {
            auto* const has = dynamic_cast<kernels::HasStalePass*>(&solver);
            return has && has->stalePass(t, control);
        });
}

/// What is counted: the variant a run worked as where its note says so, "as calculate, …".
kernels::RunConfig workedAs(const kernels::RunResult& result)
{
    kernels::RunConfig config = result.config;
    const std::string& note = result.variantNote;
    for (const kernels::AlgorithmVariant& variant : kernels::algorithm(config.algorithm).variants)
        if (note == "as " + variant.id || note.rfind("as " + variant.id + ",", 0) == 0)
            config.variant = variant.id;
    return config;
}

std::string operationsText(double operations) { return bigText(operations) + " operations"; }

void measure(BenchRow& row, const app::OpenTensorPtr& open, const BenchEffort& effort)
{
    app::TrainTestCache cache;
    kernels::RunObserver silent;
    kernels::RunControl control;
    const Interrupt::Watch watch(control);
    const kernels::AlgorithmInfo& info = kernels::algorithm(row.config.algorithm);
    const auto shapeOf = [&](kernels::Count train, kernels::Count test) { return kernels::ProblemShape{open->tensor.dims(), train, test}; };
    row.flops = info.flopsPerIteration(row.config, shapeOf(row.trainEntries, 0));
    kernels::TimeLimit limit(control);
    std::optional<kernels::TimeLimit::Guard> untilThen;
    if (effort.secondsLimit > 0)
        untilThen.emplace(limit, effort.secondsLimit);
    app::RunOutcome outcome;
    try {
        outcome = app::executeRun(row.config, open, cache, silent, control, Interrupt::progress());
    } catch (const kernels::Cancelled&) {
        Interrupt::progress().throwIfCancelled(); // an interrupted measurement is none
        row.outOfTime = limit.passed();
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             fmt::format("out of time: the first iteration, of {}, was not done after {} with its preparation",
                                         operationsText(row.flops), secondsText(effort.secondsLimit)));
    }
    Interrupt::progress().throwIfCancelled();
    const kernels::RunResult& result = outcome.result;
    takeTimes(row, result.history, effort.warmUp);
    kernels::ProblemShape shape = shapeOf(result.trainEntries, result.testEntries);
    shape.fibreCounts = result.fibreCounts;
    shape.workingNumberBytes = result.workingNumberBytes;
    row.config = result.config;
    row.variantNote = result.variantNote;
    const kernels::RunConfig counted = workedAs(result);
    row.flops = info.flopsPerIteration(counted, shape);
    row.bytes = info.bytesPerIteration ? info.bytesPerIteration(counted, shape) : 0;
    row.memory = result.memory;
    row.fibreCounts = result.fibreCounts;
    row.workingNumberBytes = result.workingNumberBytes;
    row.trainEntries = result.trainEntries;
    row.testEntries = result.testEntries;
    if (effort.access)
        row.access = accessTimes(result.config, open, effort);
    if (effort.stale && result.config.variant == "store")
        row.stale = staleTimes(result.config, open, effort);
}

/// Of an iteration's median, by one of its ceilings: of all its devices together, of which the first was measured.
double shareOf(const BenchRow& row, double work, double perSecond)
{
    return work / row.iteration.median / (perSecond * static_cast<double>(row.config.devices.size()));
}

std::optional<double> shareOfMemory(const BenchRow& row, const Ceilings& ceilings)
{
    if (row.bytes <= 0 || !ceilings.memory)
        return std::nullopt;
    return shareOf(row, row.bytes, ceilings.memory->bytesPerSecond);
}

std::optional<double> shareOfArithmetic(const BenchRow& row, const Ceilings& ceilings)
{
    const kernels::ArithmeticRate* const rate = ceilings.arithmeticOf(row.config);
    if (!rate)
        return std::nullopt;
    return shareOf(row, row.flops, rate->operationsPerSecond);
}

bool hasCoreRank(const kernels::RunConfig& config) { return kernels::algorithm(config.algorithm).model == kernels::ModelKind::FastTucker; }

bool isCp(const kernels::RunConfig& config) { return kernels::algorithm(config.algorithm).model == kernels::ModelKind::Cp; }

std::string ranksText(const kernels::RunConfig& config)
{
    if (isCp(config))
        return fmt::format("{}", config.largestRank());
    const std::string ranks = fmt::format("{}", fmt::join(config.ranks, "x"));
    return hasCoreRank(config) ? fmt::format("{}, R {}", ranks, config.effectiveCoreRank()) : ranks;
}

bool isOfAPaper(const kernels::RunConfig& config)
{
    const auto& variants = kernels::algorithm(config.algorithm).variants;
    return std::any_of(variants.begin(), variants.end(),
                       [&](const kernels::AlgorithmVariant& v) { return v.id == config.variant && !v.paperName.empty(); });
}

bool alikeButForPrecision(kernels::RunConfig config, const kernels::RunConfig& base)
{
    config.precision = base.precision;
    return config == base;
}

bool alikeButForVariant(kernels::RunConfig config, const kernels::RunConfig& base)
{
    config.variant = base.variant;
    config.format = base.format; // the variant's
    return config == base && isOfAPaper(base);
}

/// Against the first one measured of the same tensor that is alike; over: what is not alike there.
template <class Alike, class Over>
void compareWithFirst(BenchRow& row, const std::vector<BenchRow>& rows, const Alike& alike, const Over& over)
{
    const auto base = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& one) {
        return one.measured() && one.tensor == row.tensor && alike(row.config, one.config);
    });
    if (base != rows.end() && &*base != &row)
        row.speedUps.push_back({over(base->config), base->iteration.median / row.iteration.median});
}

/// "2.13 x fp32, 1.20 x calculate"
std::string speedUpText(const BenchRow& row)
{
    std::vector<std::string> texts;
    for (const auto& [over, times] : row.speedUps)
        texts.push_back(fmt::format("{:.2f} x {}", times, over));
    return texts.empty() ? "–" : joined(texts, ", ");
}

std::vector<std::string> cells(const BenchRow& row, const Ceilings& ceilings)
{
    const std::string none = "–";
    const auto shareText = [&](std::optional<double> share) { return share ? percentText(*share) : none; };
    return {secondsText(row.factor.median),
            secondsText(row.core.median),
            row.access ? secondsText(row.access->median) : none,
            row.stale ? secondsText(row.stale->median) : none,
            secondsText(row.evaluate.median),
            spreadText(row.iteration),
            speedUpText(row),
            bigText(row.entriesPerSecond()),
            bigText(row.gflops()),
            shareText(shareOfArithmetic(row, ceilings)),
            row.bytes > 0 ? bigText(row.gigabytesPerSecond()) : none,
            shareText(shareOfMemory(row, ceilings)),
            kernels::formatBytes(row.memory.deviceBytes),
            kernels::formatBytes(row.memory.hostBytes)};
}

/// Of a reason among those told so far, from 1.
std::size_t numberOf(const std::string& reason, std::vector<std::string>& reasons)
{
    const auto at = std::find(reasons.begin(), reasons.end(), reason);
    const std::size_t number = static_cast<std::size_t>(at - reasons.begin()) + 1;
    if (at == reasons.end())
        reasons.push_back(reason);
    return number;
}

std::string variantText(const BenchRow& row, std::vector<std::string>& reasons)
{
    return row.variantNote.empty() ? row.config.variant : fmt::format("{} ({})", row.config.variant, numberOf(row.variantNote, reasons));
}

ordered_json spreadJson(const Spread& s) { return {{"median", s.median * 1e3}, {"min", s.least * 1e3}, {"max", s.most * 1e3}}; }

} // namespace

BenchRow measureRow(const std::string& tensor, const kernels::RunConfig& config, const app::OpenTensorPtr& open, const BenchEffort& effort)
{
    BenchRow row;
    row.tensor = tensor;
    row.dims = open->tensor.dims();
    row.config = config;
    row.trainEntries = open->tensor.entries();
    try {
        measure(row, open, effort);
    } catch (const kernels::Error& error) {
        row.reason = error.what();
        row.outOfMemory = error.kind() == kernels::ErrorKind::OutOfMemory;
        row.problem = std::current_exception();
    }
    return row;
}

void compareRows(std::vector<BenchRow>& rows)
{
    for (BenchRow& row : rows) {
        row.speedUps.clear();
        if (!row.measured())
            continue;
        compareWithFirst(row, rows, alikeButForPrecision,
                         [](const kernels::RunConfig& base) { return std::string(kernels::toString(base.precision)); });
        if (row.variantNote.rfind("as ", 0) != 0) // else it is what it is compared with
            compareWithFirst(row, rows, alikeButForVariant, [](const kernels::RunConfig& base) { return base.variant; });
    }
}

std::string benchTable(const std::vector<BenchRow>& rows, const Ceilings& ceilings, bool severalTensors)
{
    const auto any = [&](const auto& has) { return std::any_of(rows.begin(), rows.end(), has); };
    const bool access = any([](const BenchRow& row) { return row.access.has_value(); });
    const bool stale = any([](const BenchRow& row) { return row.stale.has_value(); });
    const bool compared = any([](const BenchRow& row) { return !row.speedUps.empty(); });
    const bool severalDevices = any([](const BenchRow& row) { return row.config.devices.size() > 1; });
    std::vector<std::vector<std::string>> table{
        {"tensor",        "algorithm",  "variant",      "precision",          "rank",     "on",
         "factors",       "core",       "access alone", "factors by stale C", "evaluate", "iteration (least … most)",
         "speed-up",      "entries/s",  "GFLOP/s",      "of arithmetic",      "GB/s",     "of memory",
         "device memory", "host memory"}};
    constexpr std::size_t deviceColumn = 5, texts = 6, coreColumn = 7, accessColumn = 8, staleColumn = 9, iterationColumn = 11,
                          speedUpColumn = iterationColumn + 1;
    std::vector<std::string> reasons;
    for (const BenchRow& row : rows) {
        table.push_back({row.tensor, row.config.algorithm, variantText(row, reasons), std::string(kernels::toString(row.config.precision)),
                         ranksText(row.config), kernels::toString(row.config.devices)});
        const auto numbers = row.measured() ? cells(row, ceilings) : std::vector<std::string>(table.front().size() - texts, "–");
        table.back().insert(table.back().end(), numbers.begin(), numbers.end());
        if (!row.measured())
            table.back()[iterationColumn] = fmt::format("{} ({})",
                                                        row.outOfMemory     ? "out of memory"
                                                            : row.outOfTime ? "out of time"
                                                                            : "not measured",
                                                        numberOf(row.reason, reasons));
    }
    std::vector<bool> right(table.front().size(), true);
    std::fill_n(right.begin(), texts, false);
    const auto remove = [&](std::size_t column) {
        right.erase(right.begin() + static_cast<std::ptrdiff_t>(column));
        for (auto& line : table)
            line.erase(line.begin() + static_cast<std::ptrdiff_t>(column));
    };
    if (!compared)
        remove(speedUpColumn);
    if (!stale)
        remove(staleColumn);
    if (!access)
        remove(accessColumn);
    if (std::all_of(rows.begin(), rows.end(), [](const BenchRow& row) { return isCp(row.config); })) // such models have none
        remove(coreColumn);
    if (!severalDevices)
        remove(deviceColumn);
    if (!severalTensors)
        remove(0);
    std::string text = tableText(table, right);
    for (std::size_t i = 0; i < reasons.size(); ++i)
        text += fmt::format("{}({}) {}\n", i == 0 ? "\n" : "", i + 1, reasons[i]);
    return text;
}

ordered_json benchJson(const BenchRow& row, const Ceilings& ceilings)
{
    ordered_json json{{"tensor", row.tensor},
                      {"dims", row.dims},
                      {"entries", row.trainEntries},
                      {"algorithm", row.config.algorithm},
                      {"variant", row.config.variant},
                      {"format", row.config.format},
                      {"precision", kernels::toString(row.config.precision)},
                      {"ranks", row.config.ranks},
                      {"device", kernels::toString(row.config.devices)},
                      {"deterministic", row.config.deterministic}};
    if (hasCoreRank(row.config))
        json["core_rank"] = row.config.effectiveCoreRank();
    if (!row.variantNote.empty())
        json["variant_note"] = row.variantNote;
    if (!row.measured()) {
        json["reason"] = row.reason;
        if (row.outOfMemory || row.outOfTime)
            json["out_of"] = row.outOfMemory ? "memory" : "time";
        if (row.outOfTime)
            json["flops_per_iteration"] = row.flops;
        return json;
    }
    json["ms_factor"] = spreadJson(row.factor);
    json["ms_core"] = spreadJson(row.core);
    json["ms_evaluate"] = spreadJson(row.evaluate);
    json["ms_iteration"] = spreadJson(row.iteration);
    if (row.access)
        json["ms_access"] = spreadJson(*row.access);
    if (row.stale)
        json["ms_factor_stale"] = spreadJson(*row.stale);
    for (const auto& [over, times] : row.speedUps)
        json["speed_up_over"][over] = times;
    json["entries_per_second"] = row.entriesPerSecond();
    json["flops_per_iteration"] = row.flops;
    json["gflops"] = row.gflops();
    if (row.bytes > 0) {
        json["bytes_per_iteration"] = row.bytes;
        json["gb_per_second"] = row.gigabytesPerSecond();
    }
    const auto ofMemory = shareOfMemory(row, ceilings), ofArithmetic = shareOfArithmetic(row, ceilings);
    if (ofMemory)
        json["share_of_memory"] = *ofMemory;
    if (ofArithmetic)
        json["share_of_arithmetic"] = *ofArithmetic;
    if (row.workingNumberBytes > 0)
        json["working_number_bytes"] = row.workingNumberBytes;
    if (!row.fibreCounts.empty())
        json["fibres"] = row.fibreCounts;
    json["device_bytes"] = row.memory.deviceBytes;
    json["host_bytes"] = row.memory.hostBytes;
    return json;
}

} // namespace cli
