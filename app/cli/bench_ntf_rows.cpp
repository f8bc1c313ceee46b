// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_ntf_rows.h"

#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"
#include "kernels/base/stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct NtfRow {
    kernels::RunConfig config;
    std::string reason; ///< why there are no times
    double prepareSeconds = 0, evaluateSeconds = 0;
    Spread iteration;
    std::uint64_t times = 0; ///< that were measured: fewer than wanted where the time was up
    double flops = 0, bytes = 0; ///< of an iteration; no bytes: the algorithm does not count them
    kernels::MemoryUse memory;

    bool measured() const { return reason.empty(); }
    std::string name() const
    {
        return fmt::format("{} {} {} on {}", methodOf(config), toString(config.precision), config.ranks.front(),
                           kernels::toString(config.devices));
    }
};

NtfRow measure(const app::OpenTensor& open, const kernels::RunConfig& asked, std::uint64_t times, double secondsLimit)
{
    NtfRow row;
    row.config = asked;
    try {
        const kernels::RunConfig config = kernels::resolve(asked, open.tensor.dims());
        const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
        kernels::RunControl iterating, evaluating; // a limit stops the first
        const TimedSolver timed = [&] {
            const Interrupt::Watch watch(iterating);
            return timeIterations(config, open.tensor, times, iterating, {}, secondsLimit);
        }();
        row.prepareSeconds = timed.prepareSeconds;
        row.iteration = timed.iteration;
        row.times = timed.times;
        const Interrupt::Watch watch(evaluating);
        const kernels::Stopwatch since(evaluating);
        timed.solver->evaluate(evaluating);
        row.evaluateSeconds = since.seconds();
        row.memory = timed.solver->memoryUse();
        const kernels::ProblemShape shape{open.tensor.dims(), open.tensor.entries(), 0, open.tensor.hasDoubleValues() ? 8U : 4U};
        row.flops = info.flopsPerIteration(config, shape);
        row.bytes = info.bytesPerIteration ? info.bytesPerIteration(config, shape) : 0;
    } catch (const kernels::Error& error) { // what other rows measured is not thrown away
        row.reason = error.what();
    }
    return row;
}

/// How many times as fast as the same on one device; nothing of that itself.
std::optional<double> speedUp(const NtfRow& row, const std::vector<NtfRow>& rows)
{
    const auto alone = std::find_if(rows.begin(), rows.end(), [&](const NtfRow& other) {
        kernels::RunConfig config = row.config;
        config.devices = other.config.devices;
        return other.measured() && other.config.devices.size() == 1 && config == other.config;
    });
    if (!row.measured() || row.config.devices.size() == 1 || alone == rows.end())
        return std::nullopt;
    return alone->iteration.median / row.iteration.median;
}

/// The time of what stands beside ntf over that of ntf's first divergence, alike in the rest.
std::optional<double> timesNtf(const NtfRow& row, const std::vector<NtfRow>& rows)
{
    const auto ntf = std::find_if(rows.begin(), rows.end(), [&](const NtfRow& other) {
        return other.measured() && isNtf(other.config) && other.config.precision == row.config.precision
            && other.config.ranks == row.config.ranks && other.config.devices == row.config.devices;
    });
    if (!row.measured() || isNtf(row.config) || ntf == rows.end())
        return std::nullopt;
    return row.iteration.median / ntf->iteration.median;
}

std::string timesText(const std::optional<double>& times) { return times ? fmt::format("{:.2f} x", *times) : ""; }

std::string tableOf(const std::vector<NtfRow>& rows, std::uint64_t wanted, bool onGpu)
{
    const bool shared = std::any_of(rows.begin(), rows.end(), [](const NtfRow& row) { return row.config.devices.size() > 1; });
    const bool beside = std::any_of(rows.begin(), rows.end(), [](const NtfRow& row) { return !isNtf(row.config); });
    std::vector<std::vector<std::string>> table{{beside ? "method" : "divergence", "precision", "R", "on", "iteration", "per column",
                                                 "GB/s", "GFLOP/s", "evaluation", onGpu ? "on a GPU" : "on the host"}};
    if (shared)
        table.front().emplace_back("speed-up");
    if (beside)
        table.front().emplace_back("time of ntf's");
    std::string notes;
    for (const NtfRow& row : rows) {
        if (!row.measured()) {
            notes += fmt::format("{}: {}\n", row.name(), row.reason);
            continue;
        }
        if (row.times < wanted)
            notes += fmt::format("{}: the time was up after {}\n", row.name(), countText(row.times, "iteration", "iterations"));
        const double seconds = row.iteration.median;
        const unsigned rank = row.config.ranks.front();
        table.push_back({methodOf(row.config), std::string(toString(row.config.precision)), std::to_string(rank),
                         kernels::toString(row.config.devices), secondsText(seconds), secondsText(seconds / rank),
                         row.bytes > 0 ? fmt::format("{:.3g}", row.bytes / seconds / 1e9) : "–",
                         fmt::format("{:.3g}", row.flops / seconds / 1e9), secondsText(row.evaluateSeconds),
                         kernels::formatBytes(onGpu ? row.memory.deviceBytes : row.memory.hostBytes)});
        if (shared)
            table.back().push_back(timesText(speedUp(row, rows)));
        if (beside)
            table.back().push_back(timesText(timesNtf(row, rows)));
    }
    std::vector<bool> right(table.front().size(), true);
    for (const std::size_t text : {0, 1, 3})
        right[text] = false;
    return (table.size() > 1 ? tableText(table, right) + '\n' : "") + notes;
}

ordered_json jsonOf(const BenchSubject& subject, const NtfRow& row, const std::vector<NtfRow>& rows)
{
    ordered_json object = rowJson(subject, row.config);
    if (!row.measured()) {
        object["reason"] = row.reason;
        return object;
    }
    object["seconds"] = {{"iteration", {{"median", row.iteration.median}, {"min", row.iteration.least}, {"max", row.iteration.most}}},
                         {"evaluation", row.evaluateSeconds},
                         {"prepare", row.prepareSeconds}};
    object["iterations"] = row.times;
    object["flops"] = row.flops;
    if (row.bytes > 0)
        object["bytes"] = row.bytes;
    object["host_bytes"] = row.memory.hostBytes;
    object["device_bytes"] = row.memory.deviceBytes;
    if (const auto times = speedUp(row, rows))
        object["speed_up"] = *times;
    if (const auto times = timesNtf(row, rows))
        object["times_ntf"] = *times;
    return object;
}

} // namespace

bool isNtf(const kernels::RunConfig& config) { return config.algorithm == kernels::ntf::algorithmId; }

std::string methodOf(const kernels::RunConfig& config)
{
    return isNtf(config) ? std::get<std::string>(config.parameters.at("divergence")) : config.algorithm;
}

ordered_json rowJson(const BenchSubject& subject, const kernels::RunConfig& config)
{
    ordered_json object{{"tensor", subject.tensor}, {"algorithm", config.algorithm}};
    if (isNtf(config))
        object["divergence"] = methodOf(config);
    object["precision"] = toString(config.precision);
    object["rank"] = config.ranks.front();
    object["device"] = kernels::toString(config.devices);
    return object;
}

std::string stoppedText(std::size_t rows, std::size_t wanted)
{
    return rows < wanted ? fmt::format("\nstopped after {} of {} models\n", rows, wanted) : std::string();
}

NtfSection ntfIterations(const BenchSubject& subject, const app::OpenTensor& open, const std::vector<kernels::RunConfig>& configs,
                         std::uint64_t times, double secondsLimit)
{
    const std::vector<NtfRow> rows =
        rowsOf(configs, [&](const kernels::RunConfig& config) { return measure(open, config, times, secondsLimit); });
    NtfSection section;
    section.stopped = rows.size() < configs.size();
    section.text = benchHead(subject, fmt::format("median of {} iterations after 1, a row renewed once", times))
        + tableOf(rows, times, subject.computer.id.kind == kernels::DeviceKind::Cuda) + stoppedText(rows.size(), configs.size());
    for (const NtfRow& row : rows)
        section.rows.push_back(jsonOf(subject, row, rows));
    return section;
}

} // namespace cli
