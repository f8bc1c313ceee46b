// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_job.h"

#include "app/environment.h"
#include "app/tensor_source.h"
#include "io/error.h"
#include "kernels/base/registry.h"

#include <cmath>

namespace app {
namespace {

io::InputDescription describeInput(const RunOutcome& outcome, const OpenTensor& tensor)
{
    io::InputDescription input;
    input.fileName = tensor.path.isEmpty() ? tensor.origin.toStdString() : fileNameOf(tensor.path.toStdString());
    input.layout = tensor.report.layout;
    input.indexBase = tensor.report.indexBase;
    input.dims = tensor.tensor.dims();
    input.entries = tensor.tensor.entries();
    input.trainEntries = outcome.result.trainEntries;
    input.testEntries = outcome.result.testEntries;
    input.valueMin = tensor.statistics.valueMin;
    input.valueMax = tensor.statistics.valueMax;
    input.valueMean = tensor.statistics.valueMean;
    input.testPositions = outcome.testPositions;
    return input;
}

} // namespace

kernels::RunConfig resolveFor(const kernels::RunConfig& chosen, const OpenTensor& tensor)
{
    kernels::RunConfig config = chosen;
    config.split = effectiveSplit(chosen.split, tensor);
    return kernels::resolve(config, tensor.tensor.dims());
}

RunOutcome executeRun(const kernels::RunConfig& config, const OpenTensorPtr& tensor, TrainTestCache& cache, kernels::RunObserver& observer,
                      kernels::RunControl& control, kernels::Progress& preparation)
{
    observer.phaseChanged(kernels::RunPhase::Preparing);
    preparation.throwIfCancelled();
    const TrainTest parts = cache.get(tensor, config, preparation);
    control.checkpoint();
    RunOutcome outcome;
    outcome.result = kernels::run(config, *parts.train, parts.test.get(), observer, control);
    if (outcome.result.reason == kernels::StopReason::Stopped && outcome.result.history.empty())
        throw kernels::Cancelled{};
    if (parts.testPositions)
        outcome.testPositions = *parts.testPositions;
    outcome.entries = tensor->tensor.entries();
    return outcome;
}

double watchedNumber(const kernels::IterationRecord& record)
{
    if (!std::isnan(record.testRmse))
        return record.testRmse;
    if (!std::isnan(record.trainRmse))
        return record.trainRmse;
    return std::isnan(record.fit) ? record.divergence : -record.fit;
}

io::ModelFile describeRun(const RunOutcome& outcome, const OpenTensor& tensor, std::vector<io::TelemetrySeries> telemetry,
                          TimePoint started, TimePoint finished, std::string command)
{
    const kernels::RunResult& result = outcome.result;
    const kernels::AlgorithmInfo& algorithm = kernels::algorithm(result.config.algorithm);
    io::ModelFile file;
    file.model = result.best;
    file.objective = algorithm.objective;
    file.config = result.config;
    file.equation = algorithm.equation;
    file.bestIteration = result.bestIteration;
    file.history = result.history;
    std::erase_if(telemetry, [](const io::TelemetrySeries& series) { return series.info.id.empty(); }); // nothing was measured
    file.telemetry = std::move(telemetry);
    file.status = result.reason == kernels::StopReason::Stopped ? "stopped"
        : result.reason == kernels::StopReason::Failed          ? "failed"
                                                                : "finished";
    if (!result.failure.empty())
        file.log += result.failure + '\n';
    file.stopReason = kernels::toString(result.reason);
    file.startedUtc = utcText(started);
    file.finishedUtc = utcText(finished);
    file.environment = environmentDescription();
    file.command = std::move(command);
    file.input = describeInput(outcome, tensor);
    file.modes = tensor.tensor.modes;
    return file;
}

void addChecksum(io::ModelFile& file, const OpenTensor& tensor, kernels::Progress& progress)
{
    if (tensor.path.isEmpty())
        return;
    std::string path = tensor.path.toStdString();
    if (const auto group = path.find(":/"); group != std::string::npos)
        path.resize(group);
    try {
        file.input.sha256 = io::sha256OfFile(path, progress);
    } catch (const io::Error&) {
        // Moved or removed since it was opened: a model without the checksum is better than none.
        file.log += "The tensor's file could not be read again for its checksum.\n";
    }
}

} // namespace app
