// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/run_options.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/run_job.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/version.h"
#include "kernels/device/device_list.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct BenchFastTucker {
    TensorArgument tensor;
    MethodOptions method;
    std::string repeat = "5", warmUp = "1";
    bool json = false;

    int run() const;

private:
    kernels::RunConfig config(const std::string& variant, const std::string& precision, const app::OpenTensor&) const;
};

/// One row of the table.
struct Measurement {
    kernels::RunConfig config;
    Spread factor, core, evaluate, iteration; ///< seconds; an iteration is factors, core and conversion
    double flops = 0; ///< of one iteration
    kernels::MemoryUse memory;
    kernels::Count trainEntries = 0, testEntries = 0;

    double entriesPerSecond() const { return static_cast<double>(trainEntries) / iteration.median; }
    double gflops() const { return flops / iteration.median * 1e-9; }
};

Measurement measure(const kernels::RunConfig& config, const app::OpenTensorPtr& open, std::uint64_t warmUp)
{
    app::TrainTestCache cache;
    kernels::RunObserver silent;
    kernels::RunControl control;
    const Interrupt::Watch watch(control);
    const app::RunOutcome outcome = app::executeRun(config, open, cache, silent, control, Interrupt::progress());
    Interrupt::progress().throwIfCancelled(); // an interrupted measurement is none
    std::vector<double> factor, core, evaluate, iteration;
    for (const kernels::IterationRecord& record : outcome.result.history) {
        if (record.iteration <= warmUp)
            continue;
        factor.push_back(record.secondsFactor);
        core.push_back(record.secondsCore);
        evaluate.push_back(record.secondsEvaluate);
        iteration.push_back(record.secondsFactor + record.secondsCore + record.secondsConvert);
    }
    if (iteration.empty())
        throw kernels::Error(kernels::ErrorKind::Internal, "The run ended before anything was measured.");
    const kernels::ProblemShape shape{open->tensor.dims(), outcome.result.trainEntries, outcome.result.testEntries};
    return {outcome.result.config,
            spreadOf(factor),
            spreadOf(core),
            spreadOf(evaluate),
            spreadOf(iteration),
            kernels::algorithm(config.algorithm).flopsPerIteration(outcome.result.config, shape),
            outcome.result.memory,
            outcome.result.trainEntries,
            outcome.result.testEntries};
}

kernels::RunConfig BenchFastTucker::config(const std::string& variant, const std::string& precision, const app::OpenTensor& open) const
{
    kernels::RunConfig config;
    MethodOptions options = method;
    if (!variant.empty())
        options.variant = variant;
    if (!precision.empty())
        options.precision = precision;
    options.applyTo(config);
    config.split.kind = open.hasTestPart() ? kernels::SplitKind::File : kernels::SplitKind::None;
    config.stopping.iterations = parseCount("--warm-up", warmUp) + parseCount("--repeat", repeat, 1);
    config.stopping.tolerance = 0; // never early: every iteration is a measurement
    return app::resolveFor(config, open);
}

std::string tableOf(const std::vector<Measurement>& rows)
{
    std::vector<std::vector<std::string>> table{{"algorithm", "variant", "precision", "rank", "factors", "core", "evaluate",
                                                 "iteration (least … most)", "entries/s", "GFLOP/s", "device memory", "host memory"}};
    for (const Measurement& m : rows)
        table.push_back({m.config.algorithm, m.config.variant, std::string(kernels::toString(m.config.precision)),
                         fmt::format("{}, R {}", fmt::join(m.config.ranks, "x"), m.config.effectiveCoreRank()),
                         secondsText(m.factor.median), secondsText(m.core.median), secondsText(m.evaluate.median), spreadText(m.iteration),
                         bigText(m.entriesPerSecond()), bigText(m.gflops()), kernels::formatBytes(m.memory.deviceBytes),
                         kernels::formatBytes(m.memory.hostBytes)});
    return tableText(table, {false, false, false, false, true, true, true, true, true, true, true, true});
}

ordered_json spreadJson(const Spread& s) { return {{"median", s.median * 1e3}, {"min", s.least * 1e3}, {"max", s.most * 1e3}}; }

ordered_json rowJson(const Measurement& m)
{
    return {{"algorithm", m.config.algorithm},
            {"variant", m.config.variant},
            {"format", m.config.format},
            {"precision", kernels::toString(m.config.precision)},
            {"ranks", m.config.ranks},
            {"core_rank", m.config.effectiveCoreRank()},
            {"deterministic", m.config.deterministic},
            {"ms_factor", spreadJson(m.factor)},
            {"ms_core", spreadJson(m.core)},
            {"ms_evaluate", spreadJson(m.evaluate)},
            {"ms_iteration", spreadJson(m.iteration)},
            {"entries_per_second", m.entriesPerSecond()},
            {"gflops", m.gflops()},
            {"device_bytes", m.memory.deviceBytes},
            {"host_bytes", m.memory.hostBytes}};
}

int BenchFastTucker::run() const
{
    const auto variants = method.variant ? splitAt(*method.variant, ',') : std::vector<std::string>{""};
    const auto precisions = method.precision ? splitAt(*method.precision, ',') : std::vector<std::string>{""};
    const app::OpenTensorPtr open = tensor.open(app::Statistics::Skip);
    std::vector<kernels::RunConfig> configs; // all checked before the first is measured
    for (const std::string& variant : variants)
        for (const std::string& precision : precisions)
            configs.push_back(config(variant, precision, *open));
    std::vector<Measurement> rows;
    for (const kernels::RunConfig& one : configs) {
        if (stderrIsTerminal())
            std::fprintf(stderr, "\r\033[Kmeasuring %zu of %zu", rows.size() + 1, configs.size());
        rows.push_back(measure(one, open, parseCount("--warm-up", warmUp)));
    }
    if (stderrIsTerminal())
        std::fputs("\r\033[K", stderr);

    const kernels::DeviceInfo device = kernels::device(configs.front().devices.front());
    if (json) {
        ordered_json object{{"bench", "fasttucker"},
                            {"version", kernels::version()},
                            {"tensor", tensor.text},
                            {"dims", open->tensor.dims()},
                            {"entries", rows.front().trainEntries},
                            {"test_entries", rows.front().testEntries},
                            {"device", kernels::toString(device.id)},
                            {"device_name", device.name},
                            {"threads", configs.front().threads},
                            {"warm_up", parseCount("--warm-up", warmUp)},
                            {"repeat", parseCount("--repeat", repeat)},
                            {"peak_host_bytes", peakResidentBytes()}};
        for (const Measurement& row : rows)
            object["rows"].push_back(rowJson(row));
        print(object.dump(2) + '\n');
        return fine;
    }
    print(fmt::format("{}: {}, {} entries, {} for testing\n{} ({}), median of {} iterations after {}\n\n", tensor.text,
                      fmt::join(open->tensor.dims(), " x "), countText(rows.front().trainEntries), countText(rows.front().testEntries),
                      device.name, kernels::toString(device.id), repeat, warmUp));
    print(tableOf(rows) + fmt::format("\npeak memory of this process {}\n", kernels::formatBytes(peakResidentBytes())));
    return fine;
}

} // namespace

void addBenchFastTucker(CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand("fasttucker", "Time the iterations of the FastTucker family");
    auto command = std::make_shared<BenchFastTucker>();
    command->tensor.addTo(*sub, "TENSOR", "preset:ID[:SCALE], or a tensor file", true);
    command->method.addTo(*sub);
    sub->add_option("--repeat", command->repeat, "Iterations measured (5)")->type_name("N");
    sub->add_option("--warm-up", command->warmUp, "Iterations before them (1)")->type_name("N");
    sub->add_flag("--json", command->json, "For programs; times in milliseconds");
    sub->footer("--precision and --variant take lists here (fp64,fp32): a row for each, on the same tensor.\n"
                "entries/s counts training entries per time of an iteration (factors and core); GFLOP/s the arithmetic the algorithm needs "
                "at least.");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
