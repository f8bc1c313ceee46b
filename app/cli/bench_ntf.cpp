// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench_frame.h"
#include "app/cli/bench_ntf_online.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/base/several_devices.h"
#include "kernels/base/stopwatch.h"
#include "kernels/operations/divergence.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct BenchNtf : SolverBench {
    std::string divergences = "euclidean,kl,is";
    NtfOnlineOptions online;

    BenchNtf()
    {
        ranks = "32,64,128,256,512,1024";
        device = "cpu";
    }
    int run() const;
    std::vector<kernels::RunConfig> configs(const std::vector<kernels::DeviceId>&) const;
};

struct NtfRow {
    kernels::RunConfig config;
    std::string reason; ///< why there are no times
    double prepareSeconds = 0, evaluateSeconds = 0;
    Spread iteration;
    double flops = 0, bytes = 0; ///< of an iteration
    kernels::MemoryUse memory;

    std::string divergence() const { return std::get<std::string>(config.parameters.at("divergence")); }
    unsigned rank() const { return config.ranks.front(); }
    std::string devices() const { return kernels::toString(config.devices); }
};

NtfRow measure(const app::OpenTensor& open, const kernels::RunConfig& asked, std::uint64_t times)
{
    NtfRow row{asked, {}, 0, 0, {}, 0, 0, {}};
    try {
        const kernels::RunConfig config = kernels::resolve(asked, open.tensor.dims());
        const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
        kernels::RunControl control;
        const Interrupt::Watch watch(control);
        const TimedSolver timed = timeIterations(config, open.tensor, times, control);
        row.prepareSeconds = timed.prepareSeconds;
        row.iteration = timed.iteration;
        const kernels::Stopwatch evaluating(control);
        timed.solver->evaluate(control);
        row.evaluateSeconds = evaluating.seconds();
        row.memory = timed.solver->memoryUse();
        const kernels::ProblemShape shape{open.tensor.dims(), open.tensor.entries(), 0, open.tensor.hasDoubleValues() ? 8U : 4U};
        row.flops = info.flopsPerIteration(config, shape);
        row.bytes = info.bytesPerIteration(config, shape);
    } catch (const kernels::Error& error) { // what other rows measured is not thrown away
        row.reason = error.what();
    }
    return row;
}

std::string tableOf(const std::vector<NtfRow>& rows, bool onGpu)
{
    std::vector<std::vector<std::string>> table{{"divergence", "precision", "R", "on", "iteration", "per column", "GB/s", "GFLOP/s",
                                                 "evaluation", onGpu ? "on a GPU" : "on the host"}};
    std::string notes;
    for (const NtfRow& row : rows) {
        const std::string precision(toString(row.config.precision));
        if (!row.reason.empty()) {
            notes += fmt::format("{} {} {} on {}: {}\n", row.divergence(), precision, row.rank(), row.devices(), row.reason);
            continue;
        }
        const double seconds = row.iteration.median;
        table.push_back({row.divergence(), precision, std::to_string(row.rank()), row.devices(), secondsText(seconds),
                         secondsText(seconds / row.rank()), fmt::format("{:.3g}", row.bytes / seconds / 1e9),
                         fmt::format("{:.3g}", row.flops / seconds / 1e9), secondsText(row.evaluateSeconds),
                         kernels::formatBytes(onGpu ? row.memory.deviceBytes : row.memory.hostBytes)});
    }
    const std::string text =
        table.size() > 1 ? tableText(table, {false, false, true, false, true, true, true, true, true, true}) + '\n' : std::string();
    return text + notes;
}

ordered_json jsonOf(const NtfRow& row)
{
    ordered_json object{
        {"divergence", row.divergence()}, {"precision", toString(row.config.precision)}, {"rank", row.rank()}, {"device", row.devices()}};
    if (!row.reason.empty()) {
        object["reason"] = row.reason;
        return object;
    }
    object["seconds"] = {{"iteration", {{"median", row.iteration.median}, {"min", row.iteration.least}, {"max", row.iteration.most}}},
                         {"evaluation", row.evaluateSeconds},
                         {"prepare", row.prepareSeconds}};
    object["flops"] = row.flops;
    object["bytes"] = row.bytes;
    object["host_bytes"] = row.memory.hostBytes;
    object["device_bytes"] = row.memory.deviceBytes;
    return object;
}

/// Divergence by divergence, each with growing ranks, on one device and then on one more and one more of them.
std::vector<kernels::RunConfig> BenchNtf::configs(const std::vector<kernels::DeviceId>& computers) const
{
    kernels::RunConfig config = configOf("ntf");
    if (!online.wanted)
        config.parameters["row-steps"] = std::int64_t{1}; // an iteration alone; models are what runs make of them
    std::vector<kernels::RunConfig> all;
    for (const std::string& divergence : splitAt(divergences, ',')) {
        if (!kernels::divergenceFromString(divergence))
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"there is no such divergence", "--divergence", divergence, "some of euclidean, kl, is", {}});
        config.parameters["divergence"] = divergence;
        for (const kernels::Precision precision : parsePrecisions(precisions)) {
            config.precision = precision;
            for (const std::string& rank : splitAt(ranks, ',')) {
                config.ranks = {parseRank("--rank", rank, kernels::algorithm(config.algorithm).maxRank)};
                for (auto end = computers.begin(); end != computers.end();) {
                    config.devices.assign(computers.begin(), ++end);
                    all.push_back(config);
                }
            }
        }
    }
    return all;
}

int BenchNtf::run() const
{
    online.requireEffective();
    const std::vector<kernels::DeviceId> computers = benchDevices(device);
    const kernels::DeviceInfo computer = kernels::device(computers.front());
    const std::uint64_t iterations = times();
    const std::optional<NtfOnlinePlan> plan = online.wanted ? std::optional(online.plan(computers)) : std::nullopt;
    const std::vector<kernels::RunConfig> all = configs(computers);
    const auto tensorOpen = open(all);
    BenchSubject subject(tensor.text, tensorOpen->tensor.dims(), tensorOpen->tensor.entries(), computer);
    subject.devices = computers;
    if (plan) {
        print(ntfOnlineText(subject, *tensorOpen, all, *plan, json));
        return fine;
    }
    std::vector<NtfRow> rows;
    for (const kernels::RunConfig& one : all)
        rows.push_back(measure(*tensorOpen, one, iterations));
    if (!json) {
        print(benchHead(subject, fmt::format("median of {} iterations after 1, a row renewed once", iterations))
              + tableOf(rows, computer.id.kind == kernels::DeviceKind::Cuda));
        return fine;
    }
    ordered_json object = benchFrame("ntf", subject);
    object["repeat"] = iterations;
    for (const NtfRow& row : rows)
        object["rows"].push_back(jsonOf(row));
    print(object.dump(2) + '\n');
    return fine;
}

} // namespace

void addBenchNtf(CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand("ntf", "An iteration of ntf by every divergence, over ranks");
    auto command = std::make_shared<BenchNtf>();
    command->addTo(*sub,
                   {"Columns of the factors (32,64,128,256,512,1024)", "R,...",
                    "cpu, cuda:K, or cuda:K,L: on the first, then on both, and so on (cpu)", "Iterations after one warm-up (5)",
                    "What a run may take; one that needs more is told of"});
    sub->add_option("--divergence", command->divergences, "Some of euclidean, kl, is (all three)")->type_name("D,...");
    command->online.addTo(*sub);
    sub->footer(
        "per column: the iteration over R, which stays about the same where time is linear in R. GB/s: indices, values and rows\n"
        "that an iteration asks for, from whatever cache has them. What cannot be run is told in place of its times.\n"
        "\n"
        "--online: a run on what came first, then batches that are learnt one by one as `polyad-cli update` does it, from files to\n"
        "a file, and runs on all that came so far; at a rank of 32 where none is named. A tenth of the entries is held out, unless\n"
        "the tensor has a test part; old entries, for passes over them, are in memory. \"of a run\": the update with its files as a\n"
        "share of the last run that was on no more entries, whose own files are not in its time. --memory-limit holds runs, not updates.");
    sub->callback([sub, command, &action] {
        const bool hasRanks = sub->count("--rank") > 0, hasRepeat = sub->count("--repeat") > 0;
        action = [command, hasRanks, hasRepeat] {
            requireEffect("--repeat", hasRepeat, !command->online.wanted, "with --online");
            if (command->online.wanted && !hasRanks)
                command->ranks = "32";
            return command->run();
        };
    });
}

} // namespace cli
