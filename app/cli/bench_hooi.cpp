// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench_frame.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "kernels/algorithms/tucker_hooi/sweep_seconds.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cli {
namespace {

using kernels::tucker_hooi::ModeSeconds;
using nlohmann::ordered_json;

struct BenchHooi : SolverBench {
    std::string vectors = "auto";

    BenchHooi()
    {
        ranks = "16";
        device = "auto";
    }
    int run() const;
    std::vector<kernels::RunConfig> configs(const kernels::DeviceInfo&) const;
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
        std::vector<std::vector<ModeSeconds>> sweeps;
        const TimedSolver timed = timeIterations(config, open.tensor, times, control, [&](kernels::Solver& solver) {
            sweeps.push_back(kernels::tucker_hooi::lastSweep(solver));
        });
        row.prepareSeconds = timed.prepareSeconds;
        row.note = timed.solver->variantNote();
        row.sweep = timed.iteration;
        row.memory = timed.solver->memoryUse();
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

std::vector<kernels::RunConfig> BenchHooi::configs(const kernels::DeviceInfo& computer) const
{
    kernels::RunConfig config = configOf("tucker-hooi");
    config.devices = {computer.id};
    config.parameters["vectors"] = vectors;
    std::vector<kernels::RunConfig> all;
    for (const kernels::Precision precision : parsePrecisions(precisions)) {
        config.precision = precision;
        for (const std::string& rank : splitAt(ranks, ',')) {
            config.ranks.clear();
            for (const std::string& one : splitAt(rank, 'x'))
                config.ranks.push_back(parseRank("--rank", one, kernels::algorithm(config.algorithm).maxRank));
            all.push_back(config);
        }
    }
    return all;
}

int BenchHooi::run() const
{
    const kernels::DeviceInfo computer = benchDevice(device);
    const std::uint64_t iterations = times();
    const std::vector<kernels::RunConfig> all = configs(computer);
    const auto tensorOpen = open(all);
    std::vector<HooiRow> rows;
    for (const kernels::RunConfig& one : all)
        rows.push_back(measure(*tensorOpen, one, iterations));
    const BenchSubject subject(tensor.text, tensorOpen->tensor.dims(), tensorOpen->tensor.entries(), computer);
    if (!json) {
        print(benchHead(subject, fmt::format("median of {} sweeps after 1", iterations)) + tableOf(rows));
        return fine;
    }
    ordered_json object = benchFrame("hooi", subject);
    object["repeat"] = iterations;
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
    command->addTo(*sub,
                   {"Columns of all factors, or of each: 16,32 are two benches, 16x16x8 is one (16)", "J,...",
                    "auto, cpu or cuda:0 (auto: the first GPU, else the CPU)", "Sweeps after one warm-up (5)",
                    "What a run may take; with less, products are made in blocks"});
    sub->add_option("--vectors", command->vectors, "auto, gram or range: as the parameter of a run (auto)")->type_name("V");
    sub->footer("chain: the tensor contracted with all factors but the mode's. dense: Gram matrices and products of its rows.\n"
                "eigen: what the host computes of small matrices. What does not fit is told in place of its times.");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
