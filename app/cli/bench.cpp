// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench.h"

#include "app/cli/formatting.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

#include <sys/resource.h>

namespace cli {

Spread spreadOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    const double median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return {median, values.front(), values.back()};
}

std::string spreadText(const Spread& spread)
{
    return fmt::format("{} ({} … {})", secondsText(spread.median), secondsText(spread.least), secondsText(spread.most));
}

kernels::DeviceInfo benchDevice(const std::string& option)
{
    const std::vector<kernels::DeviceId> ids = kernels::devicesFromString(option);
    if (ids.size() > 1)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"a bench is of one device", "--device", '"' + option + '"', "one device", {}});
    if (!ids.empty())
        return kernels::device(ids.front());
    for (const kernels::DeviceInfo& info : kernels::devices())
        if (info.id.kind == kernels::DeviceKind::Cuda && info.problem.empty())
            return info;
    return kernels::device(kernels::DeviceId{});
}

std::vector<kernels::DeviceId> benchDevices(const std::string& option)
{
    std::vector<kernels::DeviceId> ids = kernels::devicesFromString(option);
    if (ids.empty())
        ids = {benchDevice(option).id};
    for (const kernels::DeviceId& id : ids)
        kernels::device(id); // throws where there is none
    return ids;
}

std::uint64_t peakResidentBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024; // Linux counts KiB
}

void addBench(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("bench", "Measure: repeatable timings, the median of several after a warm-up");
    sub->require_subcommand(1);
    addBenchLoad(*sub, action);
    addBenchFastTucker(*sub, action);
    addBenchTucker(*sub, action);
    addBenchCp(*sub, action);
    addBenchFormats(*sub, action);
    addBenchMttkrp(*sub, action);
    addBenchSpttm(*sub, action);
    addBenchHooi(*sub, action);
    addBenchNtf(*sub, action);
    sub->footer("Examples:\n"
                "  polyad-cli bench load flights.tns --repeat 9\n"
                "  polyad-cli bench import flights.csv --modes carrier,origin,dest --count\n"
                "  polyad-cli bench fasttucker preset:netflix-like:0.01 --rank 16 --precision fp64,fp32 --device cuda:0 --json\n"
                "  polyad-cli bench tucker preset:netflix-like:0.01 --rank 8\n"
                "  polyad-cli bench cp preset:netflix-like:0.01 --rank 16,32\n"
                "  polyad-cli bench formats preset:netflix-like:0.1 --format bcsf --leaves\n"
                "  polyad-cli bench mttkrp preset:nell2-like:0.1 --rank 16,32 --format runs,csf\n"
                "  polyad-cli bench spttm preset:nell2-like:0.1 --rank 16 --variant balanced,tbb\n"
                "  polyad-cli bench hooi preset:netflix-like:0.01 --rank 8,16\n"
                "  polyad-cli bench ntf preset:netflix-like:0.01 --rank 32,64 --divergence kl\n"
                "  polyad-cli bench ntf --table fig13");
}

} // namespace cli
