// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_needs.h"

#include "app/run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace app {
namespace {

/// What an iteration costs a CPU thread, in nanoseconds. Rows are those of all factors. Fitted on four tensors of 12 k to 230 k entries at
/// ranks 4 and 16 on a cloud machine of 2 threads: within a factor of two of what was measured, unless it was less than 2 ms.
struct CpuCost {
    std::string_view algorithm;
    double entry, row, operation;
};
constexpr CpuCost cpuCosts[] = {
    {"fasttucker-plus", 60, 30, 0.005},   {"fasttucker", 139, 33, 0.003}, {"fastertucker", 30, 149, 0.001}, {"cp-als", 23, 82, 0.009},
    {"cp-completion-als", 50, 149, 0.11}, {"cp-ccd", 139, 495, 0.145},    {"cp-sgd", 80, 40, 0.02},         {"ntf", 50, 149, 0.007},
    {"tucker-als", 139, 903, 0.036},      {"tucker-sgd", 83, 367, 0.048}, {"tucker-ccd", 39, 495, 0.083},   {"tucker-hooi", 139, 14, 0.03},
};
constexpr double cpuSpread = 2, unknownSpread = 5; ///< of a GPU and of an algorithm that nobody has measured

/// Seconds of an iteration by what such a device usually reaches.
void guessTime(RunNeeds& needs, const kernels::RunConfig& config, const kernels::ProblemShape& shape, double operations,
               const kernels::DeviceInfo& device)
{
    const double processors = std::max(1, device.processors);
    needs.spread = unknownSpread;
    if (device.id.kind != kernels::DeviceKind::Cpu) {
        constexpr double perMultiprocessor = 5e10; // bound by memory, far below the peak
        needs.secondsPerIteration = operations / (processors * perMultiprocessor) / static_cast<double>(config.devices.size());
        return;
    }
    CpuCost cost{{}, 80, 100, 0.03};
    for (const CpuCost& each : cpuCosts)
        if (each.algorithm == config.algorithm) {
            cost = each;
            needs.spread = cpuSpread;
        }
    const double rows = std::accumulate(shape.dims.begin(), shape.dims.end(), 0.0);
    const double threads = config.threads > 0 ? std::min<double>(config.threads, processors) : processors;
    needs.secondsPerIteration =
        1e-9 * (cost.entry * static_cast<double>(shape.trainEntries) + cost.row * rows + cost.operation * operations) / threads;
}

bool sameMethod(const kernels::RunConfig& a, const kernels::RunConfig& b)
{
    return a.algorithm == b.algorithm && a.variant == b.variant && a.format == b.format && a.precision == b.precision
        && a.devices == b.devices && a.deterministic == b.deterministic;
}

double distance(double a, double b) { return std::abs(std::log(std::max(a, 1.0) / std::max(b, 1.0))); }

/// Up to so many times the operations, or as many times fewer, a time is called measured.
constexpr double comparableWork = 4;

/// Of the same method on the same device, the one of about as much work; the newest of equals. Null: there is none.
const MeasuredTime* nearestOf(std::span<const MeasuredTime> known, const kernels::RunConfig& config, double operations)
{
    const MeasuredTime* nearest = nullptr;
    for (const MeasuredTime& each : known)
        if (sameMethod(each.config, config)
            && (!nearest || distance(each.operations, operations) < distance(nearest->operations, operations)))
            nearest = &each;
    return nearest;
}

/// With the entries the time grows as they do. With the rank it lies between not at all, while rows are waited for, and as the
/// operations do: their root is within a factor of three from rank 2 to 64, where operations grow a thousandfold.
double scaled(const MeasuredTime& from, double entries, double operations)
{
    const double byEntries = std::max(entries, 1.0) / std::max(from.entries, 1.0);
    const double perEntry = std::max(operations, 1.0) / std::max(from.operations, 1.0) / byEntries;
    return from.seconds * byEntries * std::sqrt(perEntry);
}

} // namespace

kernels::ProblemShape shapeOf(const kernels::RunConfig& config, const OpenTensor& tensor)
{
    kernels::ProblemShape shape;
    shape.dims = tensor.tensor.dims();
    shape.tensorValueBytes = tensor.tensor.hasDoubleValues() ? 8 : 4;
    const kernels::Count entries = tensor.tensor.entries();
    shape.trainEntries = entries;
    if (config.split.kind == kernels::SplitKind::Random) {
        shape.testEntries = static_cast<kernels::Count>(static_cast<double>(entries) * config.split.testFraction);
        shape.trainEntries -= std::min(entries, shape.testEntries);
    } else if (config.split.kind == kernels::SplitKind::File && config.split.testFile.empty()) {
        shape.testEntries = tensor.test.entries(); // a file's size is not known before it is read
    }
    return shape;
}

std::optional<MeasuredTime> measuredTime(const kernels::RunConfig& config, const OpenTensor& tensor,
                                         std::span<const kernels::IterationRecord> history)
{
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    if (history.size() < 3 || !info.flopsPerIteration)
        return {};
    constexpr std::size_t enough = 200; // a night's run has millions
    const auto last = history.last(std::min(history.size(), enough));
    double seconds = 0;
    for (const kernels::IterationRecord& r : last)
        seconds += r.secondsFactor + r.secondsCore + r.secondsEvaluate + r.secondsConvert;
    if (seconds <= 0)
        return {};
    const kernels::ProblemShape shape = shapeOf(config, tensor);
    return MeasuredTime{config, static_cast<double>(shape.trainEntries), info.flopsPerIteration(config, shape),
                        seconds / static_cast<double>(last.size())};
}

std::vector<MeasuredTime> measuredTimes(std::span<Run* const> runs)
{
    std::vector<MeasuredTime> times;
    for (auto at = runs.rbegin(); at != runs.rend(); ++at)
        if ((*at)->tensor()->isHere)
            if (const auto time = measuredTime((*at)->config(), *(*at)->tensor(), (*at)->history()))
                times.push_back(*time);
    return times;
}

RunNeeds needsOf(const kernels::RunConfig& config, const OpenTensor& tensor, const kernels::DeviceInfo& device,
                 std::optional<std::uint64_t> free, std::span<const MeasuredTime> known)
{
    RunNeeds needs;
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    const kernels::ProblemShape shape = shapeOf(config, tensor);
    if (info.estimateMemory) {
        needs.limit = config.memoryLimit ? config.memoryLimit : free.value_or(device.memoryTotal);
        needs.limitIsFree = free || config.memoryLimit;
        kernels::RunConfig planned = config;
        planned.memoryLimit = needs.limit; // a run makes itself fit where it can
        const kernels::MemoryUse use = info.estimateMemory(planned, shape);
        needs.bytes = device.id.kind == kernels::DeviceKind::Cpu ? use.hostBytes + use.deviceBytes : use.deviceBytes;
    }
    if (info.flopsPerIteration) {
        const double operations = info.flopsPerIteration(config, shape), entries = static_cast<double>(shape.trainEntries);
        const MeasuredTime* const nearest = nearestOf(known, config, operations);
        needs.measured = nearest && distance(nearest->operations, operations) <= std::log(comparableWork);
        if (nearest) {
            needs.secondsPerIteration = scaled(*nearest, entries, operations);
            needs.spread = needs.measured ? 1 : cpuSpread;
        } else {
            guessTime(needs, config, shape, operations, device);
        }
    }
    return needs;
}

} // namespace app
