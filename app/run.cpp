// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run.h"

#include "app/command_line.h"
#include "app/model_update.h"
#include "app/run_box.h"
#include "app/session_store.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/operations/components.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

double secondsBetween(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end)
{
    return std::chrono::duration<double>(end - begin).count();
}

RunState stateOf(RunBox::Phase phase)
{
    switch (phase) {
    case RunBox::Phase::Queued:
        return RunState::Queued;
    case RunBox::Phase::Preparing:
        return RunState::Preparing;
    case RunBox::Phase::Running:
        return RunState::Running;
    case RunBox::Phase::Finished:
        return RunState::Finished;
    case RunBox::Phase::Stopped:
        return RunState::Stopped;
    case RunBox::Phase::Failed:
        return RunState::Failed;
    }
    return RunState::Failed;
}

} // namespace

Run::Run(int id, std::shared_ptr<RunBox> box, QObject* parent)
    : QObject(parent)
    , m_id(id)
    , m_name(tr("Run %1").arg(id))
    , m_config(box->config)
    , m_tensor(box->tensor)
    , m_box(std::move(box))
{
}

Run::Run(int id, RunSnapshot from, QObject* parent)
    : Run(id, std::make_shared<RunBox>(from.config, from.record.tensor), parent)
{
    m_name = from.name;
    m_note = from.note;
    m_error = from.error;
    m_colorIndex = from.color;
    m_visible = from.visible;
    m_state = from.state;
    m_telemetry = std::move(from.record.telemetry);
    m_componentNames = std::move(from.record.componentNames);
    m_started = from.record.started;
    m_finished = from.record.finished;
    takeModel(std::move(from));
}

void Run::takeModel(RunSnapshot&& from)
{
    m_outcome = std::move(from.record.outcome);
    m_described = std::move(from.record.described);
    m_baselines.reset();
    if (m_described && !m_tensor->isLearnt) // else they are of other training entries
        m_baselines = m_described->baselines;
    m_history = std::move(from.history); // not by take(): a million iterations would be walked through on the window's thread
    m_bestIteration = m_outcome ? m_outcome->result.bestIteration : from.bestIteration;
    m_bestWatched = from.bestWatched;
    m_workedBefore = std::max(from.workedSeconds, m_history.empty() ? 0 : m_history.back().elapsed);
}

Run::~Run() { m_box->stop(); }

bool Run::isActive() const
{
    return m_state == RunState::Queued || m_state == RunState::Preparing || m_state == RunState::Running || m_state == RunState::Paused;
}

QString Run::algorithmTitle() const { return QString::fromStdString(kernels::algorithm(m_config.algorithm).title); }

kernels::Objective Run::objective() const { return kernels::algorithm(m_config.algorithm).objective; }

double Run::elapsedSeconds() const
{
    const bool working = m_state == RunState::Preparing || m_state == RunState::Running;
    const double worked = m_workedBefore + (working ? secondsBetween(m_workingSince, Clock::now()) : 0);
    return std::max(worked, m_history.empty() ? 0 : m_history.back().elapsed); // states come some ms after the run's own clock
}

double Run::secondsLeft() const
{
    if (m_history.empty() || !isActive())
        return -1;
    // The mean of the last iterations: evaluation included, as the person waits for it too.
    const std::size_t count = std::min<std::size_t>(m_history.size(), 10);
    double seconds = 0;
    for (std::size_t i = m_history.size() - count; i < m_history.size(); ++i) {
        const kernels::IterationRecord& r = m_history[i];
        seconds += r.secondsFactor + r.secondsCore + r.secondsEvaluate + r.secondsConvert;
    }
    const double mean = seconds / static_cast<double>(count);
    const std::uint64_t done = m_history.back().iteration;
    double left = mean * static_cast<double>(plannedIterations() - std::min(done, plannedIterations()));
    if (m_config.stopping.secondsLimit > 0)
        left = std::min(left, std::max(0.0, m_config.stopping.secondsLimit - m_history.back().elapsed));
    return left;
}

std::string Run::checkpointFile() const { return m_box->safety.plan.file; }

const io::UpdateRecord* Run::updateAt(std::uint64_t iteration) const
{
    return m_described ? app::updateAt(m_described->updates, iteration) : nullptr;
}

QString Run::command() const
{
    return QString::fromStdString(m_described && !m_tensor->isHere ? m_described->command : commandLine(m_config, m_tensor->command));
}

RunRecord Run::record() const
{
    if (!m_outcome)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"this run has no model", m_name.toStdString(), {}, {}, "Wait until it has finished, or stop it."});
    return {m_outcome, m_tensor, m_telemetry, m_started, m_finished, command().toStdString(), m_described, m_componentNames, m_baselines};
}

void Run::pause()
{
    if (m_state != RunState::Preparing && m_state != RunState::Running)
        return;
    m_pauseWanted = true;
    m_box->control.pause();
    setState(RunState::Paused);
}

void Run::resume()
{
    if (m_state != RunState::Paused)
        return;
    m_pauseWanted = false;
    m_box->control.resume();
    setState(m_history.empty() ? RunState::Preparing : RunState::Running);
}

void Run::stop()
{
    if (!isActive())
        return;
    // A queued run has nothing to wind down; the worker passes it over. One that began after the last poll has.
    if (m_box->stopUnlessBegun())
        setState(RunState::Stopped);
}

void Run::setName(const QString& name)
{
    if (name == m_name || name.trimmed().isEmpty())
        return;
    m_name = name;
    Q_EMIT appearanceChanged();
}

void Run::setNote(const QString& note)
{
    if (note == m_note)
        return;
    m_note = note;
    Q_EMIT appearanceChanged();
}

void Run::setColorIndex(int index)
{
    if (index == m_colorIndex || index < 0)
        return;
    m_colorIndex = index;
    Q_EMIT appearanceChanged();
}

RunSnapshot Run::snapshot() const
{
    RunSnapshot shot{m_id, m_name, m_note, m_error, m_colorIndex, m_visible, m_state, m_config, {}, {}};
    shot.workedSeconds = elapsedSeconds();
    if (m_outcome) {
        shot.record = record();
    } else {
        shot.history = m_history;
        shot.record = {nullptr, m_tensor, m_telemetry, m_started, m_finished, command().toStdString(), nullptr, {}};
    }
    return shot;
}

void Run::setVisible(bool visible)
{
    if (visible == m_visible)
        return;
    m_visible = visible;
    Q_EMIT appearanceChanged();
}

void Run::nameComponent(std::size_t component, const QString& name)
{
    const std::size_t count = m_outcome ? kernels::componentCount(m_outcome->result.best) : 0;
    if (component >= count)
        return;
    m_componentNames.resize(count);
    const std::string text = name.simplified().toStdString();
    if (m_componentNames[component] == text)
        return;
    m_componentNames[component] = text;
    if (std::all_of(m_componentNames.begin(), m_componentNames.end(), [](const std::string& each) { return each.empty(); }))
        m_componentNames.clear();
    Q_EMIT componentNamed(component);
    Q_EMIT appearanceChanged(); // a session has something to keep
}

void Run::setState(RunState state)
{
    if (state == m_state)
        return;
    const double worked = elapsedSeconds(); // by the old state
    m_state = state;
    m_workedBefore = worked;
    m_workingSince = Clock::now();
    Q_EMIT stateChanged();
}

void Run::goOn(std::shared_ptr<RunBox> box)
{
    m_box = std::move(box);
    m_config = m_box->config;
    m_error.clear();
    m_pauseWanted = m_keptForLater = false;
    m_collected.clear();
    m_earlier = m_telemetry;
    m_earlierSeconds = elapsedSeconds();
    for (const io::TelemetrySeries& series : m_earlier)
        if (!series.samples.empty())
            m_earlierSeconds = std::max(m_earlierSeconds, series.samples.back().seconds);
    setState(RunState::Queued);
}

void Run::become(RunSnapshot from)
{
    m_tensor = from.record.tensor;
    m_end.reset(); // what it was could have gone on
    takeModel(std::move(from));
    Q_EMIT advanced();
    Q_EMIT stateChanged();
}

/// Telemetry counts from where a run begins, also where it was continued.
io::TelemetrySeries Run::withEarlier(io::TelemetrySeries later) const
{
    const auto same = std::find_if(m_earlier.begin(), m_earlier.end(), [&](const io::TelemetrySeries& each) {
        return each.info.id == later.info.id && each.info.deviceName == later.info.deviceName
            && each.info.deviceUuid == later.info.deviceUuid;
    });
    for (kernels::telemetry::Sample& sample : later.samples)
        sample.seconds += m_earlierSeconds;
    if (same != m_earlier.end())
        later.samples.insert(later.samples.begin(), same->samples.begin(), same->samples.end());
    return later;
}

void Run::poll()
{
    if (!isActive())
        return;
    std::vector<kernels::IterationRecord> fresh;
    std::vector<QString> warnings;
    RunBox::Phase phase{};
    {
        const std::lock_guard lock(m_box->mutex);
        phase = m_box->phase;
        fresh.swap(m_box->fresh);
        warnings.swap(m_box->warnings);
        if (m_box->started != TimePoint{})
            m_started = m_box->started;
        if (m_box->finished != TimePoint{})
            m_finished = m_box->finished;
        if (m_box->outcome) // until then one that is continued has that of its first end
            m_outcome = m_box->outcome;
        m_error = m_box->error;
        collectTelemetry();
    }
    take(fresh);
    for (const QString& warning : warnings)
        Q_EMIT warned(warning);
    if (!fresh.empty())
        Q_EMIT advanced();
    const RunState state = stateOf(phase);
    const bool working = state == RunState::Preparing || state == RunState::Running;
    if (!working && state != RunState::Queued) { // until then it can be continued as before: it may be stopped in the queue
        const std::lock_guard lock(m_box->mutex);
        m_end = m_box->end;
        m_keptForLater = m_box->keptForLater;
    }
    setState(working && m_pauseWanted ? RunState::Paused : state);
}

void Run::collectTelemetry()
{
    m_collected.resize(m_box->recorders.size());
    for (std::size_t i = 0; i < m_box->recorders.size(); ++i) {
        TelemetryRecorder& recorder = m_box->recorders[i];
        recorder.collect();
        if (m_telemetry.size() <= i)
            m_telemetry.push_back(withEarlier(recorder.series()));
        else if (recorder.size() != m_collected[i])
            m_telemetry[i] = withEarlier(recorder.series());
        m_collected[i] = recorder.size();
    }
}

void Run::take(const std::vector<kernels::IterationRecord>& fresh)
{
    for (const kernels::IterationRecord& record : fresh) {
        const double watched = watchedNumber(record, objective());
        if (!std::isnan(watched) && (m_bestIteration == 0 || watched < m_bestWatched)) {
            m_bestWatched = watched;
            m_bestIteration = record.iteration;
        }
        m_history.push_back(record);
    }
    // The run's own clock is ahead by what passed before the first poll, or in the process that it was interrupted in.
    if (!fresh.empty())
        m_workedBefore += std::max(0.0, m_history.back().elapsed - elapsedSeconds());
    // What the engine kept decides in the end (its rule may ask for more than "smaller").
    if (m_outcome && m_outcome->result.history.size() == m_history.size())
        m_bestIteration = m_outcome->result.bestIteration;
}

} // namespace app
