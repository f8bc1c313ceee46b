// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "kernels/algorithms/tucker_hooi/sweep_seconds.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/base/stopwatch.h"
#include "kernels/base/version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cli {
namespace {

using kernels::tucker_hooi::ModeSeconds;
using nlohmann::ordered_json;

struct BenchHooi {
    TensorArgument tensor;
    std::string ranks = "16", precisions = "fp32", device = "auto", repeat = "5", memoryLimit, threads = "0", vectors = "auto";
    bool json = false;

    int run() const;
};

/// A mode of a sweep, medians of some.
struct ModeRow {
    double all = 0;
    ModeSeconds parts;
};

struct HooiRow {
    std::string precision, note, reason; ///< reason: why there are no times
    std::vector<unsigned> ranks;
    double prepareSeconds = 0;
    Spread sweep;
    std::vector<ModeRow> modes;
    kernels::MemoryUse memory;
};

double medianOf(const std::vector<std::vector<ModeSeconds>>& sweeps, std::size_t mode, double ModeSeconds::*part)
{
    std::vector<double> values;
    for (const auto& sweep : sweeps)
        values.push_back(part ? sweep[mode].*part : sweep[mode].trees + sweep[mode].chain + sweep[mode].dense + sweep[mode].eigen);
    return spreadOf(values).median;
}

HooiRow measure(const app::OpenTensor& open, const kernels::RunConfig& asked, std::uint64_t times)
{
    HooiRow row;
    row.precision = toString(asked.precision);
    row.ranks = asked.ranks;
    try {
        const kernels::RunConfig config = kernels::resolve(asked, open.tensor.dims());
        row.ranks = config.ranks;
        kernels::RunControl control;
        const Interrupt::Watch watch(control);
        const auto solver = kernels::algorithm(config.algorithm).makeSolver({config, open.tensor, nullptr});
        const kernels::Stopwatch preparing(control);
        solver->prepare(control);
        row.prepareSeconds = preparing.seconds();
        row.note = solver->variantNote();
        solver->iterate(0, control); // a warm-up
        std::vector<std::vector<ModeSeconds>> sweeps;
        std::vector<double> seconds;
        for (std::uint64_t t = 1; t <= times; ++t) {
            const kernels::Stopwatch sweep(control);
            solver->iterate(t, control);
            seconds.push_back(sweep.seconds());
            sweeps.push_back(kernels::tucker_hooi::lastSweep(*solver));
        }
        row.sweep = spreadOf(seconds);
        row.memory = solver->memoryUse();
        for (std::size_t n = 0; n < sweeps.front().size(); ++n) {
            ModeRow mode{medianOf(sweeps, n, nullptr), sweeps.front()[n]};
            for (double ModeSeconds::*part : {&ModeSeconds::trees, &ModeSeconds::chain, &ModeSeconds::dense, &ModeSeconds::eigen})
                mode.parts.*part = medianOf(sweeps, n, part);
            row.modes.push_back(mode);
        }
    } catch (const kernels::Error& error) { // what other rows measured is not thrown away
        row.reason = error.what();
    }
    return row;
}

std::string ranksText(const HooiRow& row) { return fmt::format("{}", fmt::join(row.ranks, " x ")); }

std::string tableOf(const std::vector<HooiRow>& rows)
{
    std::vector<std::vector<std::string>> table{
        {"precision", "core", "mode", "all", "chain", "dense", "eigen", "trees again", "vectors by"}};
    std::string notes;
    for (const HooiRow& row : rows) {
        const std::string name = row.precision + " " + ranksText(row);
        if (!row.reason.empty()) {
            notes += fmt::format("{}: {}\n", name, row.reason);
            continue;
        }
        ModeRow sum;
        for (std::size_t n = 0; n < row.modes.size(); ++n) {
            const ModeRow& mode = row.modes[n];
            table.push_back({n == 0 ? row.precision : "", n == 0 ? ranksText(row) : "", std::to_string(n + 1), secondsText(mode.all),
                             secondsText(mode.parts.chain), secondsText(mode.parts.dense), secondsText(mode.parts.eigen),
                             secondsText(mode.parts.trees), mode.parts.vectors});
            for (double ModeSeconds::*part : {&ModeSeconds::trees, &ModeSeconds::chain, &ModeSeconds::dense, &ModeSeconds::eigen})
                sum.parts.*part += mode.parts.*part;
        }
        table.push_back({"", "", "sweep", secondsText(row.sweep.median), secondsText(sum.parts.chain), secondsText(sum.parts.dense),
                         secondsText(sum.parts.eigen), secondsText(sum.parts.trees), ""});
        notes += fmt::format("{}: sweep {}, prepared in {}, {} on the host{}{}{}\n", name, spreadText(row.sweep),
                             secondsText(row.prepareSeconds), kernels::formatBytes(row.memory.hostBytes),
                             row.memory.deviceBytes ? ", " + kernels::formatBytes(row.memory.deviceBytes) + " on the GPU" : std::string(),
                             row.note.empty() ? "" : "; ", row.note);
    }
    const std::string text =
        table.size() > 1 ? tableText(table, {false, false, true, true, true, true, true, true, false}) + '\n' : std::string();
    return text + notes;
}

ordered_json jsonOf(const HooiRow& row)
{
    ordered_json object{{"precision", row.precision}, {"ranks", row.ranks}};
    if (!row.reason.empty()) {
        object["reason"] = row.reason;
        return object;
    }
    if (!row.note.empty())
        object["note"] = row.note;
    object["seconds"] = {{"sweep", {{"median", row.sweep.median}, {"min", row.sweep.least}, {"max", row.sweep.most}}},
                         {"prepare", row.prepareSeconds}};
    for (const ModeRow& mode : row.modes)
        object["seconds"]["modes"].push_back({{"all", mode.all},
                                              {"chain", mode.parts.chain},
                                              {"dense", mode.parts.dense},
                                              {"eigen", mode.parts.eigen},
                                              {"trees", mode.parts.trees},
                                              {"vectors", mode.parts.vectors}});
    object["host_bytes"] = row.memory.hostBytes;
    object["device_bytes"] = row.memory.deviceBytes;
    return object;
}

int BenchHooi::run() const
{
    const kernels::DeviceInfo computer = benchDevice(device);
    kernels::RunConfig config;
    config.algorithm = "tucker-hooi";
    config.format = kernels::algorithm(config.algorithm).formats.front();
    config.devices = {computer.id};
    config.memoryLimit = memoryLimit.empty() ? 0 : parseBytes("--memory-limit", memoryLimit);
    config.threads = static_cast<unsigned>(parseWhole("--threads", threads, 0, 4096));
    config.parameters["vectors"] = vectors;
    const std::uint64_t times = parseCount("--repeat", repeat, 1);
    std::vector<kernels::RunConfig> configs;
    for (const std::string& id : splitAt(precisions, ',')) {
        const auto precision = kernels::precisionFromString(id);
        if (!precision)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"there is no such precision", "--precision", id, "fp32, fp64 or fp32,fp64", {}});
        config.precision = *precision;
        for (const std::string& rank : splitAt(ranks, ',')) {
            config.ranks.clear();
            for (const std::string& one : splitAt(rank, 'x'))
                config.ranks.push_back(parseRank("--rank", one, kernels::algorithm(config.algorithm).maxRank));
            configs.push_back(config);
        }
    }
    const auto open = tensor.open(app::Statistics::Skip);
    if (open->tensor.entries() == 0)
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"there is nothing to decompose", open->name.toStdString(), "0 entries", "at least 1", {}});
    for (const kernels::RunConfig& one : configs) // what would be refused is, before anything is measured
        kernels::resolve(one, open->tensor.dims());
    std::vector<HooiRow> rows;
    for (const kernels::RunConfig& one : configs)
        rows.push_back(measure(*open, one, times));
    if (!json) {
        print(fmt::format("{}: {}, {}\n{} ({}), median of {} sweeps after 1\n\n{}", tensor.text, fmt::join(open->tensor.dims(), " x "),
                          countText(open->tensor.entries(), "entry", "entries"), computer.name, kernels::toString(computer.id), times,
                          tableOf(rows)));
        return fine;
    }
    ordered_json object{{"bench", "hooi"},
                        {"version", kernels::version()},
                        {"tensor", tensor.text},
                        {"dims", open->tensor.dims()},
                        {"entries", open->tensor.entries()},
                        {"device", kernels::toString(computer.id)},
                        {"device_name", computer.name},
                        {"repeat", times}};
    for (const HooiRow& row : rows)
        object["rows"].push_back(jsonOf(row));
    print(object.dump(2) + '\n');
    return fine;
}

} // namespace

void addBenchHooi(CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand("hooi", "A sweep of tucker-hooi, mode by mode: chains, dense products, eigenvectors");
    auto command = std::make_shared<BenchHooi>();
    command->tensor.addTo(*sub, "TENSOR", "preset:ID[:SCALE], or a tensor file", true);
    sub->add_option("--rank", command->ranks, "Columns of all factors, or of each: 16,32 are two benches, 16x16x8 is one (16)")
        ->type_name("J,...");
    sub->add_option("--precision", command->precisions, "fp32, fp64 or fp32,fp64 (fp32)")->type_name("P,...");
    sub->add_option("--vectors", command->vectors, "auto, gram or range: as the parameter of a run (auto)")->type_name("V");
    sub->add_option("--device", command->device, "auto, cpu or cuda:0 (auto: the first GPU, else the CPU)")->type_name("D");
    sub->add_option("--threads", command->threads, "CPU threads (0: all)")->type_name("N");
    sub->add_option("--repeat", command->repeat, "Sweeps after one warm-up (5)")->type_name("N");
    sub->add_option("--memory-limit", command->memoryLimit, "What a run may take; with less, products are made in blocks")
        ->type_name("SIZE");
    sub->add_flag("--json", command->json, "For programs");
    sub->footer("chain: the tensor contracted with all factors but the mode's. dense: Gram matrices and products of its rows.\n"
                "eigen: what the host computes of small matrices. What does not fit is told in place of its times.");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
