// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_job.h"

#include "app/baseline_text.h"
#include "app/command_line.h"
#include "app/environment.h"
#include "app/stage_table.h"
#include "io/checkpoint_file.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/model_file.h"
#include "kernels/base/registry.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <future>
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
    input.entries = tensor.entryCount();
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
    std::string log = fmt::format("{}: {} entries, {}\n", tensor.name.toStdString(), tensor.entryCount(), tensor.report.layout);
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
    log += stagesText(tensor.stages, "Opening took") + stagesText(record.outcome->stages, "The run took");
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
    outcome->entries = tensor->entryCount();
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

/// What a run is compared with. While the run is on a GPU the host has time for it, else it follows the run.
class BaselineMeasurement {
public:
    BaselineMeasurement(const TrainTest& parts, const kernels::RunConfig& config, bool wanted)
        : m_parts(parts)
        , m_config(config)
        , m_wanted(wanted)
    {
        if (wanted && config.devices.front().kind == kernels::DeviceKind::Cuda)
            m_beside = std::async(std::launch::async, [this] {
                // What the run does on the host goes first.
                tbb::task_arena arena(tbb::task_arena::automatic, 1, tbb::task_arena::priority::low);
                return arena.execute([this] { return measure(m_progress); });
            });
    }
    ~BaselineMeasurement() { m_progress.cancel(); } // the future waits
    BaselineMeasurement(const BaselineMeasurement&) = delete;
    BaselineMeasurement& operator=(const BaselineMeasurement&) = delete;

    /// Who stops a run does not wait for them.
    std::optional<kernels::Baselines> get(kernels::Progress& progress, kernels::RunControl& control)
    {
        if (!m_beside.valid())
            return m_wanted ? measure(progress) : std::nullopt;
        control.stage("waiting for the baselines");
        while (m_beside.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
            if (progress.cancelled() || control.stopRequested())
                m_progress.cancel();
        return m_beside.get();
    }

    std::vector<kernels::StageTime> takeTimes()
    {
        std::vector<kernels::StageTime> times = m_progress.times().take();
        for (kernels::StageTime& time : times)
            time.beside = true;
        return times;
    }

private:
    std::optional<kernels::Baselines> measure(kernels::Progress& progress) const
    {
        try {
            const kernels::Objective objective = kernels::algorithm(m_config.algorithm).objective;
            auto measured = kernels::measureBaselines(*m_parts.train, m_parts.test.get(), objective, &progress);
            progress.end();
            return measured;
        } catch (const kernels::Cancelled&) {
            return {};
        }
    }

    const TrainTest& m_parts;
    const kernels::RunConfig& m_config;
    const bool m_wanted;
    kernels::Progress m_progress;
    std::future<std::optional<kernels::Baselines>> m_beside;
};

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
    preparation.end();
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
    BaselineMeasurement baselines(parts, config, safety.measuresBaselines);
    outcome.result = kernels::run(config, *parts.train, parts.test.get(), observer, control,
                                  {keeper, from, start ? &*start : nullptr, true, safety.endsProgram});
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
    outcome.entries = tensor->entryCount();
    outcome.baselines = baselines.get(preparation, control);
    if (from)
        outcome.log = resumptionText(*from);
    outcome.stages = inOrder({preparation.times().take(), control.times().take(), baselines.takeTimes()});
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
