// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_needs.h"

#include "app/run.h"

#include <algorithm>

namespace app {
namespace {

/// Operations per second that stochastic updates reach as a rule: bound by memory, far below the peak.
double usualSpeed(const kernels::DeviceInfo& device)
{
    constexpr double perCpuThread = 2e10, perMultiprocessor = 5e10;
    return std::max(1, device.processors) * (device.id.kind == kernels::DeviceKind::Cpu ? perCpuThread : perMultiprocessor);
}

bool sameMethod(const kernels::RunConfig& a, const kernels::RunConfig& b)
{
    return a.algorithm == b.algorithm && a.variant == b.variant && a.format == b.format && a.precision == b.precision
        && a.devices == b.devices && a.deterministic == b.deterministic;
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

double measuredSpeed(const kernels::RunConfig& config, const OpenTensor& tensor, std::span<const kernels::IterationRecord> history)
{
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    if (history.size() < 3 || !info.flopsPerIteration)
        return 0;
    double seconds = 0;
    for (const kernels::IterationRecord& r : history)
        seconds += r.secondsFactor + r.secondsCore + r.secondsEvaluate + r.secondsConvert;
    return seconds > 0 ? info.flopsPerIteration(config, shapeOf(config, tensor)) * static_cast<double>(history.size()) / seconds : 0;
}

double measuredSpeed(const kernels::RunConfig& config, std::span<Run* const> runs)
{
    for (auto at = runs.rbegin(); at != runs.rend(); ++at) {
        const Run& run = **at;
        if (run.tensor()->isHere && sameMethod(run.config(), config))
            if (const double speed = measuredSpeed(run.config(), *run.tensor(), run.history()); speed > 0)
                return speed;
    }
    return 0;
}

std::vector<KnownSpeed> knownSpeeds(std::span<Run* const> runs)
{
    std::vector<KnownSpeed> known;
    for (auto at = runs.rbegin(); at != runs.rend(); ++at) {
        const Run& run = **at;
        if (!run.tensor()->isHere || measuredSpeed(run.config(), known) > 0)
            continue;
        if (const double speed = measuredSpeed(run.config(), *run.tensor(), run.history()); speed > 0)
            known.push_back({run.config(), speed});
    }
    return known;
}

double measuredSpeed(const kernels::RunConfig& config, const std::vector<KnownSpeed>& known)
{
    const auto at = std::find_if(known.begin(), known.end(), [&](const KnownSpeed& each) { return sameMethod(each.config, config); });
    return at == known.end() ? 0 : at->operationsPerSecond;
}

RunNeeds needsOf(const kernels::RunConfig& config, const OpenTensor& tensor, const kernels::DeviceInfo& device,
                 std::optional<std::uint64_t> free, double speed)
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
        needs.measured = speed > 0;
        needs.secondsPerIteration = info.flopsPerIteration(config, shape) / (speed > 0 ? speed : usualSpeed(device));
    }
    return needs;
}

} // namespace app
