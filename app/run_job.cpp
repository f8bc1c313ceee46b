// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_job.h"

#include "app/baseline_text.h"
#include "app/command_line.h"
#include "app/environment.h"
#include "io/checkpoint_file.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/model_file.h"
#include "kernels/base/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace app {
namespace {

io::InputDescription describeInput(const RunOutcome& outcome, const OpenTensor& tensor)
{
    io::InputDescription input;
    input.fileName = tensor.path.isEmpty() ? tensor.origin.toStdString() : io::fileNameOf(tensor.path.toStdString());
    input.layout = tensor.report.layout;
    input.indexBase = tensor.report.indexBase;
    input.recipe = tensor.recipe;
    input.emptyCells = tensor.emptyCells();
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

std::string baselinesLogged(const RunRecord& record)
{
    const auto& baselines = record.baselines ? record.baselines : record.outcome->baselines;
    const kernels::RunResult& result = record.outcome->result;
    if (!baselines || result.bestIteration < 1 || result.bestIteration > result.history.size())
        return {};
    const auto comparison = compareWith(*baselines, result.history[result.bestIteration - 1]);
    if (!comparison)
        return {};
    const QString verdict = baselineVerdict(*comparison);
    return (baselinesText(*comparison) + u'\n' + (verdict.isEmpty() ? verdict : verdict + u'\n')).toStdString();
}

/// What a person would like to read again later: how the tensor was read, what the run was, how it ended.
std::string logOf(const RunRecord& record)
{
    const OpenTensor& tensor = *record.tensor;
    const kernels::RunResult& result = record.outcome->result;
    std::string log = fmt::format("{}: {} entries, {}\n", tensor.name.toStdString(), tensor.tensor.entries(), tensor.report.layout);
    for (const auto& lines : {tensor.report.notes, io::labelSources(tensor.modes(), tensor.report), tensor.report.warnings})
        for (const std::string& line : lines)
            log += line + '\n';
    log += fmt::format("{} started: {}, {} entries for training, {} for testing\n", utcText(record.started), result.config.algorithm,
                       result.trainEntries, result.testEntries);
    log += record.outcome->log;
    if (!result.variantNote.empty())
        log += fmt::format("{}: {}\n", result.config.variant, result.variantNote);
    log += fmt::format("{} ended ({}) after {}, the best was iteration {}\n", utcText(record.finished), kernels::toString(result.reason),
                       io::counted(result.history.size(), "iteration", "iterations"), result.bestIteration);
    log += baselinesLogged(record);
    return result.failure.empty() ? log : log + result.failure + '\n';
}

/// A model without the checksum is better than none.
void addChecksum(io::ModelFile& file, const OpenTensor& tensor, kernels::Progress& progress)
{
    if (!tensor.checksum || !file.input.sha256.empty())
        return;
    try {
        file.input.sha256 = tensor.checksum->get(progress);
    } catch (const io::Error& error) {
        file.log += fmt::format("No checksum of the input: {}\n", error.what());
    } catch (const kernels::Cancelled&) {
        file.log += "No checksum of the input: the program was closed meanwhile.\n";
    }
}

/// A model file of the best factors so far, with all the run needs to go on.
void writeCheckpoint(const std::string& path, kernels::Checkpoint checkpoint, const OpenTensorPtr& tensor,
                     kernels::Array<kernels::Count> testPositions, const RunSafety& safety)
{
    const auto outcome = std::make_shared<RunOutcome>();
    outcome->result = std::move(checkpoint.soFar);
    outcome->entries = tensor->tensor.entries();
    outcome->testPositions = std::move(testPositions);
    const std::string command = commandLine(outcome->result.config, tensor->command);
    io::ModelFile file = describeRun({outcome, tensor, {}, safety.started, std::chrono::system_clock::now(), command, nullptr, {}});
    file.status = "running";
    file.stopReason.clear();
    file.finishedUtc.clear();
    file.log.clear();
    file.state = io::stateFrom(std::move(checkpoint));
    file.state->source = safety.source;
    io::writeModel(path, file, outcome->result.best);
}

std::string resumptionText(const kernels::Checkpoint& from)
{
    const kernels::StoppingRules& rules = from.soFar.config.stopping;
    return fmt::format("{} went on from a checkpoint after iteration {}; its rules were {} iterations, tolerance {}, patience {}, "
                       "time limit {} s\n",
                       utcText(std::chrono::system_clock::now()), from.soFar.history.size(), rules.iterations, rules.tolerance,
                       rules.patience, rules.secondsLimit);
}

/// Parameters beside settings that leave them without effect were taken once, and are refused now: they changed nothing in the
/// run, which goes on as well without them.
void dropIneffective(kernels::RunConfig& config)
{
    const auto& all = kernels::algorithms();
    const auto info = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.id == config.algorithm; });
    if (info == all.end()) // told later
        return;
    const kernels::RunConfig asItWas = config;
    for (const kernels::ParameterSpec& spec : info->parameters)
        if (const auto given = config.parameters.find(spec.id); given != config.parameters.end() && !info->hasEffect(spec, asItWas))
            given->second = spec.defaultValue;
}

/// Who stops a run does not wait for what it is compared with.
std::optional<kernels::Baselines> baselinesOf(const TrainTest& parts, const kernels::RunConfig& config, kernels::Progress& progress)
{
    try {
        return kernels::measureBaselines(*parts.train, parts.test.get(), kernels::algorithm(config.algorithm).objective, &progress);
    } catch (const kernels::Cancelled&) {
        return {};
    }
}

} // namespace

std::shared_ptr<const SavedRun> readSavedRun(const std::string& path, kernels::Progress* progress)
{
    io::ModelFile file = io::readCheckpoint(path, progress);
    auto saved = std::make_shared<SavedRun>();
    saved->started = timeFromUtc(file.startedUtc);
    saved->fileName = file.input.fileName;
    saved->source = file.state->source;
    saved->checkpoint = io::checkpointFrom(std::move(file), path);
    dropIneffective(saved->checkpoint.soFar.config);
    return saved;
}

kernels::RunConfig resolveFor(const kernels::RunConfig& chosen, const OpenTensor& tensor, const SavedRun* from)
{
    if (from) // before ranks are found not to fit
        kernels::requireSameShape(from->checkpoint, tensor.tensor.dims());
    kernels::RunConfig config = chosen;
    config.split = effectiveSplit(chosen.split, tensor);
    config = kernels::resolve(config, tensor.tensor.dims());
    if (from)
        kernels::requireSameSettings(from->checkpoint, config);
    return config;
}

RunOutcome executeRun(const kernels::RunConfig& config, const OpenTensorPtr& tensor, TrainTestCache& cache, kernels::RunObserver& observer,
                      kernels::RunControl& control, kernels::Progress& preparation, const RunSafety& safety)
{
    observer.phaseChanged(kernels::RunPhase::Preparing);
    preparation.throwIfCancelled();
    const TrainTest parts = cache.get(tensor, config, preparation);
    control.checkpoint();
    const kernels::Checkpoint* const from = safety.from ? &safety.from->checkpoint : nullptr;
    std::optional<CheckpointWriter> writer;
    if (!safety.plan.file.empty())
        writer.emplace(
            safety.plan,
            [&](const std::string& path, kernels::Checkpoint checkpoint) {
                writeCheckpoint(path, std::move(checkpoint), tensor,
                                parts.testPositions ? *parts.testPositions : kernels::Array<kernels::Count>(), safety);
            },
            safety.warn, from ? from->soFar.history.size() : 0);
    RunOutcome outcome;
    std::optional<kernels::Model> start;
    if (kernels::startsFromModel(config) && !from)
        start = io::readModel(config.init, &preparation).model;
    EndKeeper end(writer ? &*writer : nullptr);
    kernels::CheckpointKeeper* const keeper = safety.keepsEnd ? &end : static_cast<kernels::CheckpointKeeper*>(writer ? &*writer : nullptr);
    outcome.result =
        kernels::run(config, *parts.train, parts.test.get(), observer, control, {keeper, from, start ? &*start : nullptr, true});
    outcome.end = end.end();
    if (safety.keepsEnd && !outcome.end && from && outcome.result.history.size() == from->soFar.history.size())
        outcome.end = std::make_shared<const RunEnd>(endOf(*from)); // stopped before it had gone on
    if (writer) {
        writer->finish(outcome.result.history.size());
        outcome.checkpoint = writer->kept();
    }
    if (outcome.result.reason == kernels::StopReason::Stopped && outcome.result.history.empty())
        throw kernels::Cancelled{};
    if (parts.testPositions)
        outcome.testPositions = *parts.testPositions;
    outcome.entries = tensor->tensor.entries();
    if (safety.measuresBaselines)
        outcome.baselines = baselinesOf(parts, config, preparation);
    if (from)
        outcome.log = resumptionText(*from);
    return outcome;
}

void writeEnd(const std::string& file, const RunEnd& end, const RunOutcome& outcome, const OpenTensorPtr& tensor, const RunSafety& safety)
{
    writeCheckpoint(file, checkpointOf(end, outcome.result), tensor, outcome.testPositions, safety);
}

double watchedNumber(const kernels::IterationRecord& record, kernels::Objective objective)
{
    if (objective == kernels::Objective::All)
        return -record.fit;
    if (!std::isnan(record.testRmse))
        return record.testRmse;
    return std::isnan(record.divergence) ? record.trainRmse : record.divergence;
}

io::ModelFile describeRun(const RunRecord& record)
{
    if (record.described) {
        io::ModelFile told = *record.described;
        told.componentNames = record.componentNames;
        if (record.baselines)
            told.baselines = record.baselines;
        if (record.tensor->renamed) {
            told.modes = record.tensor->modes();
            told.command = record.command;
        }
        return told;
    }
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
    file.memory = result.memory;
    file.command = record.command;
    file.log = logOf(record);
    file.input = describeInput(*record.outcome, *record.tensor);
    file.modes = record.tensor->modes();
    file.componentNames = record.componentNames;
    file.kept = result.kept;
    file.baselines = record.baselines ? record.baselines : record.outcome->baselines;
    return file;
}

std::vector<std::string> exportRecord(const io::ExportKind& kind, const RunRecord& record, const std::string& path,
                                      kernels::Progress& checksum, kernels::Progress& writing)
{
    io::ModelFile file = describeRun(record);
    if (kind.needs == io::ExportKind::Needs::Run)
        addChecksum(file, *record.tensor, checksum);
    return io::exportModel(kind, file, record.outcome->result.best, path, writing);
}

} // namespace app
