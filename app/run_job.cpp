// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_job.h"

#include "app/environment.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "kernels/base/registry.h"

#include <fmt/format.h>

#include <cmath>

namespace app {
namespace {

io::InputDescription describeInput(const RunOutcome& outcome, const OpenTensor& tensor)
{
    io::InputDescription input;
    input.fileName = tensor.path.isEmpty() ? tensor.origin.toStdString() : io::fileNameOf(tensor.path.toStdString());
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

/// What a person would like to read again later: how the tensor was read, what the run was, how it ended.
std::string logOf(const RunRecord& record)
{
    const OpenTensor& tensor = *record.tensor;
    const kernels::RunResult& result = record.outcome->result;
    std::string log = fmt::format("{}: {} entries, {}\n", tensor.name.toStdString(), tensor.tensor.entries(), tensor.report.layout);
    for (const auto& lines : {tensor.report.notes, tensor.report.warnings})
        for (const std::string& line : lines)
            log += line + '\n';
    log += fmt::format("{} started: {}, {} entries for training, {} for testing\n", utcText(record.started), result.config.algorithm,
                       result.trainEntries, result.testEntries);
    log += fmt::format("{} ended ({}) after {}, the best was iteration {}\n", utcText(record.finished), kernels::toString(result.reason),
                       io::counted(result.history.size(), "iteration", "iterations"), result.bestIteration);
    return result.failure.empty() ? log : log + result.failure + '\n';
}

/// A model without the checksum is better than none.
void addChecksum(io::ModelFile& file, const OpenTensor& tensor, kernels::Progress& progress)
{
    if (!tensor.checksum)
        return;
    try {
        file.input.sha256 = tensor.checksum->get(progress);
    } catch (const io::Error& error) {
        file.log += fmt::format("No checksum of the input: {}\n", error.what());
    } catch (const kernels::Cancelled&) {
        file.log += "No checksum of the input: the program was closed meanwhile.\n";
    }
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

io::ModelFile describeRun(const RunRecord& record)
{
    const kernels::RunResult& result = record.outcome->result;
    const kernels::AlgorithmInfo& algorithm = kernels::algorithm(result.config.algorithm);
    io::ModelFile file;
    file.objective = algorithm.objective;
    file.config = result.config;
    file.equation = algorithm.equation;
    file.bestIteration = result.bestIteration;
    file.history = result.history;
    file.telemetry = record.telemetry;
    std::erase_if(file.telemetry, [](const io::TelemetrySeries& series) { return series.info.id.empty(); }); // nothing was measured
    file.status = result.reason == kernels::StopReason::Stopped ? "stopped"
        : result.reason == kernels::StopReason::Failed          ? "failed"
                                                                : "finished";
    file.stopReason = kernels::toString(result.reason);
    file.startedUtc = utcText(record.started);
    file.finishedUtc = utcText(record.finished);
    file.environment = environmentDescription();
    file.command = record.command;
    file.log = logOf(record);
    file.input = describeInput(*record.outcome, *record.tensor);
    file.modes = record.tensor->tensor.modes;
    return file;
}

void writeRunModel(const std::string& path, const RunRecord& record, kernels::Progress& checksum, kernels::Progress& writing)
{
    io::ModelFile file = describeRun(record);
    addChecksum(file, *record.tensor, checksum);
    io::writeModel(path, file, record.outcome->result.best, &writing);
}

} // namespace app
