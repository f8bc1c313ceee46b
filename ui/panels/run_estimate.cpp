// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/run_estimate.h"

#include "kernels/base/registry.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <optional>

namespace ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("RunEstimate", text); }

kernels::ProblemShape shapeOf(const kernels::RunConfig& config, const app::OpenTensor& tensor)
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

/// Operations per second that stochastic updates reach as a rule: bound by memory, far below the peak.
double usualSpeed(const kernels::DeviceInfo& device)
{
    constexpr double perCpuThread = 2e10, perMultiprocessor = 5e10;
    return std::max(1, device.processors) * (device.id.kind == kernels::DeviceKind::Cpu ? perCpuThread : perMultiprocessor);
}

/// Operations per second of the newest comparable run; 0: there is none.
double measuredSpeed(const kernels::RunConfig& config, const app::Session& session)
{
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    const auto& runs = session.runs();
    for (auto at = runs.rbegin(); at != runs.rend(); ++at) {
        const app::Run& run = **at;
        const kernels::RunConfig& other = run.config();
        if (!run.tensor()->isHere || run.history().size() < 3 || other.algorithm != config.algorithm || other.variant != config.variant
            || other.format != config.format || other.precision != config.precision || other.devices != config.devices
            || other.deterministic != config.deterministic)
            continue;
        double seconds = 0;
        for (const kernels::IterationRecord& r : run.history())
            seconds += r.secondsFactor + r.secondsCore + r.secondsEvaluate + r.secondsConvert;
        if (seconds > 0)
            return info.flopsPerIteration(other, shapeOf(other, *run.tensor())) * static_cast<double>(run.history().size()) / seconds;
    }
    return 0;
}

} // namespace

RunEstimate estimateRun(const kernels::RunConfig& config, const app::OpenTensor& tensor, const kernels::DeviceInfo& device,
                        const app::Session& session)
{
    RunEstimate estimate;
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    const kernels::ProblemShape shape = shapeOf(config, tensor);
    if (info.estimateMemory) {
        const std::optional<std::uint64_t> free = session.freeMemory(device.id);
        const std::uint64_t limit = config.memoryLimit ? config.memoryLimit : free.value_or(device.memoryTotal);
        kernels::RunConfig planned = config;
        planned.memoryLimit = limit; // a run makes itself fit where it can
        const kernels::MemoryUse use = info.estimateMemory(planned, shape);
        const bool cpu = device.id.kind == kernels::DeviceKind::Cpu;
        const std::uint64_t needed = cpu ? use.hostBytes + use.deviceBytes : use.deviceBytes;
        estimate.fits = limit == 0 || needed <= limit;
        estimate.sentence = (free || config.memoryLimit ? tr("Needs about %1 of %2 free on %3.") : tr("Needs about %1 of %2 on %3."))
                                .arg(formatting::bytes(needed), formatting::bytes(limit), deviceText(device.id));
    }
    if (info.flopsPerIteration) {
        const double measured = measuredSpeed(config, session);
        const double perIteration = info.flopsPerIteration(config, shape) / (measured > 0 ? measured : usualSpeed(device));
        const QString source = measured > 0 ? tr("measured") : tr("a guess");
        estimate.sentence += QLatin1Char('\n')
            + tr("About %1 for %2 iterations, %3.")
                  .arg(formatting::roughDuration(perIteration * static_cast<double>(config.stopping.iterations)),
                       formatting::grouped(config.stopping.iterations), source);
    }
    if (config.precision == kernels::Precision::Fp64 && tensor.report.valuesRounded > 0)
        estimate.sentence += QLatin1Char('\n')
            + tr("Values rounded to single precision when %1 was read: %2. polyad-cli keeps them with --values fp64.")
                  .arg(tensor.name, formatting::grouped(tensor.report.valuesRounded));
    return estimate;
}

} // namespace ui
