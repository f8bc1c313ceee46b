// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session_store.h"

#include "app/environment.h"
#include "app/messages.h"
#include "app/tensor_reference.h"
#include "kernels/base/registry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace app {
namespace {

constexpr std::pair<RunState, const char*> endings[] = {
    {RunState::Finished, "finished"}, {RunState::Stopped, "stopped"}, {RunState::Failed, "failed"}};

const char* endingOf(RunState state)
{
    for (const auto& [each, text] : endings)
        if (each == state)
            return text;
    return "running";
}

/// A run that was going when its session was saved has ended since.
RunState stateFrom(const std::string& text)
{
    for (const auto& [state, each] : endings)
        if (text == each)
            return state;
    return RunState::Stopped;
}

/// A run without a result: its settings, and what it came to.
io::ModelFile describeWithoutOutcome(const RunSnapshot& run)
{
    io::ModelFile file;
    file.config = run.config;
    file.history = run.history;
    file.telemetry = run.record.telemetry;
    file.startedUtc = utcText(run.record.started);
    file.finishedUtc = utcText(run.record.finished);
    file.command = run.record.command;
    file.input.emptyCells = run.record.tensor->emptyCells();
    file.input.dims = run.record.tensor->tensor.dims();
    file.input.entries = run.record.tensor->tensor.entries();
    file.modes = run.record.tensor->modes();
    return file;
}

std::string sourceOf(const OpenTensor& tensor)
{
    if (tensor.isLearnt) // ids are others whenever a session is opened
        return referenceToLearnt({tensor.readOptions, tensor.madeFrom ? static_cast<std::uint64_t>(tensor.madeFrom->id) : 0});
    return tensor.isHere ? referenceTo(tensor) : tensor.absentSource;
}

io::SessionTensor toSessionTensor(const OpenTensor& tensor)
{
    return {static_cast<std::uint64_t>(tensor.id), tensor.name.toStdString(), sourceOf(tensor), tensor.tensor.dims(), tensor.entryCount()};
}

kernels::StopReason reasonFrom(const std::string& text)
{
    using enum kernels::StopReason;
    for (const kernels::StopReason reason : {Iterations, Converged, TimeLimit, Stopped, Failed})
        if (text == kernels::toString(reason))
            return reason;
    return Stopped;
}

std::shared_ptr<const RunOutcome> outcomeOf(io::ModelFile& file)
{
    auto outcome = std::make_shared<RunOutcome>();
    kernels::RunResult& result = outcome->result;
    result.config = file.config;
    result.best = std::exchange(file.model, {});
    result.kept = file.kept;
    result.memory = file.memory;
    result.bestIteration = file.bestIteration;
    result.history = file.history;
    result.reason = reasonFrom(file.stopReason);
    result.trainEntries = file.input.trainEntries;
    result.testEntries = file.input.testEntries;
    outcome->testPositions = file.input.testPositions;
    outcome->entries = file.input.entries;
    return outcome;
}

} // namespace

io::SessionRun toSessionRun(const RunSnapshot& run)
{
    io::SessionRun kept;
    kept.id = static_cast<std::uint64_t>(run.id);
    kept.tensor = static_cast<std::uint64_t>(run.record.tensor->id);
    kept.name = run.name.toStdString();
    kept.note = run.note.toStdString();
    kept.error = run.error.toStdString();
    kept.color = static_cast<unsigned>(run.color);
    kept.visible = run.visible;
    kept.seconds = run.workedSeconds;
    kept.file = run.record.outcome ? describeRun(run.record) : describeWithoutOutcome(run);
    kept.file.status = endingOf(run.state);
    if (run.record.outcome)
        kept.model = {run.record.outcome, &run.record.outcome->result.best};
    return kept;
}

io::SessionFile toSessionFile(const SessionSnapshot& snapshot)
{
    io::SessionFile file;
    file.window = snapshot.window;
    const auto add = [&file](const OpenTensor& tensor) {
        const auto id = static_cast<std::uint64_t>(tensor.id);
        if (std::none_of(file.tensors.begin(), file.tensors.end(), [id](const io::SessionTensor& each) { return each.id == id; }))
            file.tensors.push_back(toSessionTensor(tensor));
    };
    for (const OpenTensorPtr& tensor : snapshot.tensors)
        add(*tensor);
    for (const RunSnapshot& run : snapshot.runs) {
        if (const OpenTensorPtr& beginning = run.record.tensor->madeFrom)
            add(*beginning);
        add(*run.record.tensor);
        file.runs.push_back(toSessionRun(run));
    }
    return file;
}

std::shared_ptr<OpenTensor> absentTensor(const io::SessionTensor& from, const std::vector<kernels::Mode>& modes)
{
    auto tensor = std::make_shared<OpenTensor>();
    tensor->isHere = false;
    tensor->name = QString::fromStdString(from.name);
    tensor->absentSource = from.source;
    tensor->absentEntries = from.entries;
    if (const auto learnt = learntBy(from.source)) {
        tensor->isLearnt = true;
        tensor->readOptions = learnt->options;
    }
    for (const kernels::Index size : from.dims)
        tensor->tensor.modes.push_back({size, {}, {}});
    if (modes.size() == from.dims.size())
        tensor->tensor.modes = modes;
    tensor->tensor.indices.resize(from.dims.size());
    return tensor;
}

RunSnapshot snapshotOf(io::SessionRun&& from, const OpenTensorPtr& tensor)
{
    const kernels::Objective objective = kernels::algorithm(from.file.config.algorithm).objective;
    RunSnapshot run;
    run.name = QString::fromStdString(from.name);
    run.note = QString::fromStdString(from.note);
    run.error = QString::fromStdString(from.error);
    run.color = static_cast<int>(from.color);
    run.visible = from.visible;
    run.state = stateFrom(from.file.status);
    run.config = from.file.config;
    run.history = from.file.history;
    for (const kernels::IterationRecord& record : run.history) {
        run.workedSeconds += record.secondsFactor + record.secondsCore + record.secondsEvaluate + record.secondsConvert;
        const double watched = watchedNumber(record, objective);
        if (!std::isnan(watched) && (run.bestIteration == 0 || watched < run.bestWatched)) {
            run.bestWatched = watched;
            run.bestIteration = record.iteration;
        }
    }
    if (std::isfinite(from.seconds) && from.seconds > 0)
        run.workedSeconds = from.seconds;
    run.record = {
        nullptr,           tensor,  from.file.telemetry,     timeFromUtc(from.file.startedUtc), timeFromUtc(from.file.finishedUtc),
        from.file.command, nullptr, from.file.componentNames};
    if (!from.file.model.factors.empty()) {
        run.record.outcome = outcomeOf(from.file);
        run.record.described = std::make_shared<const io::ModelFile>(std::move(from.file));
    }
    return run;
}

namespace {

/// A run that has learnt files is judged by the test entries of what it was made from, as soon as that is open.
void findBeginnings(const io::SessionFile& file, const std::map<std::uint64_t, std::shared_ptr<OpenTensor>>& byId)
{
    for (const io::SessionTensor& each : file.tensors)
        if (const auto learnt = learntBy(each.source)) {
            const auto beginning = byId.find(learnt->madeFrom);
            if (beginning != byId.end() && !beginning->second->isLearnt) // a file that somebody wrote may say anything
                byId.at(each.id)->madeFrom = beginning->second;
        }
}

} // namespace

SessionContent fromSessionFile(io::SessionFile&& file)
{
    SessionContent content;
    content.window = std::move(file.window);
    std::map<std::uint64_t, std::shared_ptr<OpenTensor>> byId;
    for (const io::SessionTensor& tensor : file.tensors) {
        const auto ofIt = [&tensor](const io::SessionRun& run) { return run.tensor == tensor.id; };
        const auto any = std::find_if(file.runs.begin(), file.runs.end(), ofIt);
        auto absent = absentTensor(tensor, any == file.runs.end() ? std::vector<kernels::Mode>() : any->file.modes);
        byId[tensor.id] = absent;
        content.tensors.push_back({tensor.id, std::move(absent)});
    }
    findBeginnings(file, byId);
    for (io::SessionRun& each : file.runs) {
        SessionContent::KeptRun kept{static_cast<int>(each.id), QString::fromStdString(each.name), {}, {}};
        const OpenTensorPtr tensor = byId.at(each.tensor);
        try {
            kept.run = snapshotOf(std::move(each), tensor);
        } catch (...) {
            kept.refusal = messageForCurrentException();
        }
        content.runs.push_back(std::move(kept));
    }
    return content;
}

} // namespace app
