// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_frame.h"

#include "app/cli/arguments.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/base/several_devices.h"
#include "kernels/base/stopwatch.h"
#include "kernels/base/time_limit.h"
#include "kernels/base/version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace cli {

BenchSubject::BenchSubject(std::string tensorText, std::vector<kernels::Index> tensorDims, kernels::Count tensorEntries,
                           const kernels::DeviceInfo& where)
    : tensor(std::move(tensorText))
    , dims(std::move(tensorDims))
    , entries(tensorEntries)
    , computer(where)
    , devices{where.id}
{
}

std::string benchHead(const BenchSubject& subject, const std::string& how)
{
    return fmt::format("{}: {}, {}\n{} ({}), {}\n\n", subject.tensor, fmt::join(subject.dims, " x "),
                       countText(subject.entries, "entry", "entries"), subject.computer.name, kernels::toString(subject.devices), how);
}

nlohmann::ordered_json benchFrame(const char* bench, const BenchSubject& subject)
{
    return {{"bench", bench},
            {"version", kernels::version()},
            {"tensor", subject.tensor},
            {"dims", subject.dims},
            {"entries", subject.entries},
            {"device", kernels::toString(subject.devices)},
            {"device_name", subject.computer.name}};
}

std::vector<kernels::Precision> parsePrecisions(const std::string& text)
{
    std::vector<kernels::Precision> list;
    for (const std::string& id : splitAt(text, ',')) {
        const auto precision = kernels::precisionFromString(id);
        if (!precision)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"there is no such precision", "--precision", id, "fp64, fp32, tf32, fp16 or bf16", {}});
        list.push_back(*precision);
    }
    return list;
}

void SolverBench::addTo(CLI::App& sub, const Help& help)
{
    tensor.addTo(sub, "TENSOR", "preset:ID[:SCALE], or a tensor file", true);
    sub.add_option("--rank", ranks, help.ranks)->type_name(help.ranksType);
    sub.add_option("--precision", precisions, "Some of fp64, fp32, tf32, fp16, bf16, where the algorithm has them (fp32)")
        ->type_name("P,...");
    sub.add_option("--device", device, help.device)->type_name("D");
    sub.add_option("--threads", threads, "CPU threads (0: all)")->type_name("N");
    sub.add_option("--repeat", repeat, help.repeat)->type_name("N");
    sub.add_option("--memory-limit", memoryLimit, help.memoryLimit)->type_name("SIZE");
    sub.add_flag("--json", json, "For programs");
}

kernels::RunConfig SolverBench::configOf(const char* algorithm) const
{
    kernels::RunConfig config;
    config.algorithm = algorithm;
    config.format = kernels::algorithm(algorithm).formats.front();
    config.memoryLimit = memoryLimit.empty() ? 0 : parseBytes("--memory-limit", memoryLimit);
    config.threads = static_cast<unsigned>(parseWhole("--threads", threads, 0, 4096));
    return config;
}

std::uint64_t SolverBench::times() const { return parseCount("--repeat", repeat, 1); }

std::shared_ptr<app::OpenTensor> SolverBench::open(const std::vector<kernels::RunConfig>& configs) const
{
    auto open = tensor.open(app::Statistics::Skip);
    if (open->tensor.entries() == 0)
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"there is nothing to decompose", open->name.toStdString(), "0 entries", "at least 1", {}});
    for (const kernels::RunConfig& config : configs)
        kernels::resolve(config, open->tensor.dims());
    return open;
}

TimedSolver timeIterations(const kernels::RunConfig& config, const kernels::SparseTensor& tensor, std::uint64_t times,
                           kernels::RunControl& control, const std::function<void(kernels::Solver&)>& done, double secondsLimit)
{
    TimedSolver timed;
    timed.solver = kernels::algorithm(config.algorithm).makeSolver({config, tensor, nullptr});
    kernels::TimeLimit limit(control);
    std::optional<kernels::TimeLimit::Guard> untilThen;
    if (secondsLimit > 0)
        untilThen.emplace(limit, secondsLimit);
    std::vector<double> seconds;
    try {
        const kernels::Stopwatch preparing(control);
        timed.solver->prepare(control);
        timed.prepareSeconds = preparing.seconds();
        timed.solver->iterate(0, control); // a warm-up
        for (std::uint64_t t = 1; t <= times; ++t) {
            const kernels::Stopwatch iteration(control);
            timed.solver->iterate(t, control);
            seconds.push_back(iteration.seconds());
            if (done)
                done(*timed.solver);
        }
    } catch (const kernels::Cancelled&) {
        Interrupt::progress().throwIfCancelled(); // an interrupted measurement is none
        if (!limit.passed())
            throw;
        if (seconds.empty())
            throw kernels::Error(
                kernels::ErrorKind::BadArgument,
                fmt::format("out of time: no iteration was done after {} with preparation and warm-up", secondsText(secondsLimit)));
    }
    timed.iteration = spreadOf(seconds);
    timed.times = seconds.size();
    return timed;
}

} // namespace cli
