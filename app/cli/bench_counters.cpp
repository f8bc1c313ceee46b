// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_counters.h"

#include "kernels/base/error.h"
#include "kernels/telemetry/telemetry.h"

#include <chrono>
#include <cmath>
#include <numeric>

namespace cli {
namespace {

namespace telemetry = kernels::telemetry;

constexpr std::chrono::milliseconds measuredFor{500};

CounterReading tryOne(const kernels::DeviceInfo& device, telemetry::Counters counters, const std::function<void()>& work)
{
    CounterReading reading{counters == telemetry::Counters::Caches ? "L1 throughput" : "SM throughput", {}, {}, {}};
    try {
        const auto source = telemetry::openCounters(device, counters);
        reading.quantity = source->info().quantity;
        reading.metric = source->info().metric;
        const auto begin = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - begin < measuredFor)
            work();
        std::vector<double> percents;
        for (const telemetry::Sample& sample : source->read())
            if (!std::isnan(sample.smPercent))
                percents.push_back(sample.smPercent);
        if (percents.size() < 3)
            throw kernels::Error(kernels::ErrorKind::Device, "too few samples came");
        // The first one began before the work.
        reading.percent = std::accumulate(percents.begin() + 1, percents.end(), 0.0) / static_cast<double>(percents.size() - 1);
    } catch (const kernels::Error& error) {
        reading.percent = std::numeric_limits<double>::quiet_NaN();
        reading.reason = error.what();
    }
    return reading;
}

/// CUPTI's first session of a process was seen to fail while it decodes; the next one then tells.
CounterReading readOne(const kernels::DeviceInfo& device, telemetry::Counters counters, const std::function<void()>& work)
{
    const CounterReading first = tryOne(device, counters, work);
    return first.reason.empty() || device.id.kind != kernels::DeviceKind::Cuda ? first : tryOne(device, counters, work);
}

} // namespace

std::vector<CounterReading> readCounters(const kernels::DeviceInfo& device, const std::function<void()>& work)
{
    return {readOne(device, telemetry::Counters::Processors, work), readOne(device, telemetry::Counters::Caches, work)};
}

} // namespace cli
