// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_counters.h"

#include "kernels/base/error.h"
#include "kernels/telemetry/telemetry.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <numeric>
#include <thread>

namespace cli {
namespace {

namespace telemetry = kernels::telemetry;

constexpr std::chrono::milliseconds measuredFor{500};

/// Read beside the work, as often as a sampler reads them: where work waited for it, samples would be of an idle device. Throws
/// Error where too few can be had.
std::vector<double> samplesOf(telemetry::Source& source, const std::function<void()>& work)
{
    constexpr std::size_t fewest = 3;
    const std::chrono::milliseconds readEvery(std::max(source.info().readEveryMs, source.info().intervalMs));
    std::vector<double> percents;
    std::exception_ptr problem;
    std::atomic<bool> done = false;
    std::thread reader([&] {
        try {
            for (std::this_thread::sleep_for(readEvery); !done; std::this_thread::sleep_for(readEvery))
                for (const telemetry::Sample& sample : source.read())
                    if (!std::isnan(sample.smPercent))
                        percents.push_back(sample.smPercent);
        } catch (const kernels::Error&) {
            problem = std::current_exception();
        }
    });
    std::exception_ptr stopped;
    try {
        for (const auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < measuredFor;)
            work();
    } catch (...) {
        stopped = std::current_exception();
    }
    done = true;
    reader.join();
    if (stopped)
        std::rethrow_exception(stopped);
    if (percents.size() >= fewest)
        return percents; // what was told before a problem holds
    if (problem)
        std::rethrow_exception(problem);
    throw kernels::Error(kernels::ErrorKind::Device, "too few samples came");
}

CounterReading tryOne(const kernels::DeviceInfo& device, telemetry::Counters counters, const std::function<void()>& work)
{
    CounterReading reading{counters == telemetry::Counters::Caches ? "L1 throughput" : "SM throughput", {}, {}, {}};
    try {
        const auto source = telemetry::openCounters(device, counters);
        reading.quantity = source->info().quantity;
        reading.metric = source->info().metric;
        const std::vector<double> percents = samplesOf(*source, work);
        // The first one began before the work.
        reading.percent = std::accumulate(percents.begin() + 1, percents.end(), 0.0) / static_cast<double>(percents.size() - 1);
    } catch (const kernels::Error& error) {
        reading.percent = std::numeric_limits<double>::quiet_NaN();
        reading.reason = error.what();
    }
    return reading;
}

/// Sessions of CUPTI were seen to fail while they decode, one in a few; another one then tells.
CounterReading readOne(const kernels::DeviceInfo& device, telemetry::Counters counters, const std::function<void()>& work)
{
    constexpr int tries = 4;
    CounterReading reading = tryOne(device, counters, work);
    for (int i = 1; i < tries && !reading.reason.empty() && device.id.kind == kernels::DeviceKind::Cuda; ++i)
        reading = tryOne(device, counters, work);
    return reading;
}

} // namespace

std::vector<CounterReading> readCounters(const kernels::DeviceInfo& device, const std::function<void()>& work)
{
    return {readOne(device, telemetry::Counters::Processors, work), readOne(device, telemetry::Counters::Caches, work)};
}

} // namespace cli
