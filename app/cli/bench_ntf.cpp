// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/base/several_devices.h"
#include "kernels/base/stopwatch.h"
#include "kernels/base/version.h"
#include "kernels/operations/divergence.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct BenchNtf {
    TensorArgument tensor;
    std::string ranks = "32,64,128,256,512,1024", divergences = "euclidean,kl,is", precisions = "fp32", device = "cpu", repeat = "5",
                memoryLimit, threads = "0";
    bool json = false;

    int run() const;
    std::vector<kernels::DeviceId> devices() const;
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
        const auto solver = info.makeSolver({config, open.tensor, nullptr});
        const kernels::Stopwatch preparing(control);
        solver->prepare(control);
        row.prepareSeconds = preparing.seconds();
        solver->iterate(0, control); // a warm-up
        std::vector<double> seconds;
        for (std::uint64_t t = 1; t <= times; ++t) {
            const kernels::Stopwatch iteration(control);
            solver->iterate(t, control);
            seconds.push_back(iteration.seconds());
        }
        const kernels::Stopwatch evaluating(control);
        solver->evaluate(control);
        row.evaluateSeconds = evaluating.seconds();
        row.iteration = spreadOf(seconds);
        row.memory = solver->memoryUse();
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

std::vector<kernels::DeviceId> BenchNtf::devices() const
{
    std::vector<kernels::DeviceId> ids = kernels::devicesFromString(device);
    if (ids.empty())
        ids = {benchDevice(device).id};
    for (const kernels::DeviceId& id : ids)
        kernels::device(id); // throws where there is none
    return ids;
}

/// Divergence by divergence, each with growing ranks, on one device and then on one more and one more of them.
std::vector<kernels::RunConfig> BenchNtf::configs(const std::vector<kernels::DeviceId>& computers) const
{
    kernels::RunConfig config;
    config.algorithm = "ntf";
    config.format = kernels::algorithm(config.algorithm).formats.front();
    config.memoryLimit = memoryLimit.empty() ? 0 : parseBytes("--memory-limit", memoryLimit);
    config.threads = static_cast<unsigned>(parseWhole("--threads", threads, 0, 4096));
    config.parameters["row-steps"] = std::int64_t{1};
    std::vector<kernels::RunConfig> all;
    for (const std::string& divergence : splitAt(divergences, ',')) {
        if (!kernels::divergenceFromString(divergence))
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"there is no such divergence", "--divergence", divergence, "some of euclidean, kl, is", {}});
        config.parameters["divergence"] = divergence;
        for (const std::string& id : splitAt(precisions, ',')) {
            const auto precision = kernels::precisionFromString(id);
            if (!precision)
                throw kernels::Error(kernels::ErrorKind::BadArgument,
                                     {"there is no such precision", "--precision", id, "fp32, fp64 or fp32,fp64", {}});
            config.precision = *precision;
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
    const std::vector<kernels::DeviceId> computers = devices();
    const kernels::DeviceInfo computer = kernels::device(computers.front());
    const std::uint64_t times = parseCount("--repeat", repeat, 1);
    const std::vector<kernels::RunConfig> all = configs(computers);
    const auto open = tensor.open(app::Statistics::Skip);
    if (open->tensor.entries() == 0)
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"there is nothing to decompose", open->name.toStdString(), "0 entries", "at least 1", {}});
    for (const kernels::RunConfig& one : all) // what would be refused is, before anything is measured
        kernels::resolve(one, open->tensor.dims());
    std::vector<NtfRow> rows;
    for (const kernels::RunConfig& one : all)
        rows.push_back(measure(*open, one, times));
    if (!json) {
        print(fmt::format("{}: {}, {}\n{} ({}), median of {} iterations after 1, a row renewed once\n\n{}", tensor.text,
                          fmt::join(open->tensor.dims(), " x "), countText(open->tensor.entries(), "entry", "entries"), computer.name,
                          kernels::toString(computers), times, tableOf(rows, computer.id.kind == kernels::DeviceKind::Cuda)));
        return fine;
    }
    ordered_json object{{"bench", "ntf"},
                        {"version", kernels::version()},
                        {"tensor", tensor.text},
                        {"dims", open->tensor.dims()},
                        {"entries", open->tensor.entries()},
                        {"device", kernels::toString(computers)},
                        {"device_name", computer.name},
                        {"repeat", times}};
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
    command->tensor.addTo(*sub, "TENSOR", "preset:ID[:SCALE], or a tensor file", true);
    sub->add_option("--rank", command->ranks, "Columns of the factors (32,64,128,256,512,1024)")->type_name("R,...");
    sub->add_option("--divergence", command->divergences, "Some of euclidean, kl, is (all three)")->type_name("D,...");
    sub->add_option("--precision", command->precisions, "fp32, fp64 or fp32,fp64 (fp32)")->type_name("P,...");
    sub->add_option("--device", command->device, "cpu, cuda:K, or cuda:K,L: on the first, then on both, and so on (cpu)")->type_name("D");
    sub->add_option("--threads", command->threads, "CPU threads (0: all)")->type_name("N");
    sub->add_option("--repeat", command->repeat, "Iterations after one warm-up (5)")->type_name("N");
    sub->add_option("--memory-limit", command->memoryLimit, "What a run may take; one that needs more is told of")->type_name("SIZE");
    sub->add_flag("--json", command->json, "For programs");
    sub->footer("per column: the iteration over R, which stays about the same where time is linear in R. GB/s: indices, values and rows\n"
                "that an iteration asks for, from whatever cache has them. What cannot be run is told in place of its times.");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
