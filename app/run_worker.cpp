// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_worker.h"

#include "app/messages.h"
#include "kernels/base/error.h"

#include <QCoreApplication>
#include <QFile>

#include <utility>

namespace app {
namespace {

/// Puts what the engine tells into the box; the window looks there when it has time.
class BoxObserver : public kernels::RunObserver {
public:
    explicit BoxObserver(RunBox& box)
        : m_box(box)
    {
    }

    void phaseChanged(kernels::RunPhase phase) override
    {
        const std::lock_guard lock(m_box.mutex);
        m_box.phase = phase == kernels::RunPhase::Preparing ? RunBox::Phase::Preparing : RunBox::Phase::Running;
    }

    void resumed(const std::vector<kernels::IterationRecord>& history) override
    {
        if (m_box.historyIsKnown)
            return;
        const std::lock_guard lock(m_box.mutex);
        m_box.fresh.insert(m_box.fresh.end(), history.begin(), history.end());
    }

    void iterationDone(const kernels::IterationRecord& record) override
    {
        const std::lock_guard lock(m_box.mutex);
        m_box.fresh.push_back(record);
    }

    void remarked(std::uint64_t iteration, const std::string& sentence) override
    {
        const std::lock_guard lock(m_box.mutex);
        m_box.warnings.push_back(
            QCoreApplication::translate("Run", "Iteration %1: %2").arg(iteration).arg(QString::fromStdString(sentence)));
    }

private:
    RunBox& m_box;
};

/// False for a run that was stopped before.
bool begin(RunBox& box)
{
    const std::lock_guard lock(box.mutex);
    if (box.control.stopRequested())
        return false;
    box.began = box.ended = std::chrono::steady_clock::now();
    box.started = box.safety.started = box.safety.from ? box.safety.from->started : std::chrono::system_clock::now();
    box.phase = RunBox::Phase::Preparing;
    return true;
}

void end(RunBox& box, RunBox::Phase phase, std::shared_ptr<const RunOutcome> outcome, std::shared_ptr<const RunEnd> end,
         const QString& error)
{
    const std::lock_guard lock(box.mutex);
    for (TelemetryRecorder& recorder : box.recorders)
        recorder.collect();
    box.ended = std::chrono::steady_clock::now();
    box.finished = std::chrono::system_clock::now();
    box.outcome = std::move(outcome);
    box.end = std::move(end);
    box.error = error;
    box.phase = phase; // last in meaning: whoever sees it sees the rest
}

/// Of a run that was to go on and did not come to it: it can be tried again.
std::shared_ptr<const RunEnd> endBefore(const RunBox& box)
{
    return box.safety.keepsEnd && box.safety.from ? std::make_shared<const RunEnd>(endOf(box.safety.from->checkpoint)) : nullptr;
}

/// A run that ended has its result in the list.
void removeCheckpoint(const RunBox& box)
{
    if (!box.safety.plan.file.empty())
        QFile::remove(QString::fromStdString(box.safety.plan.file));
}

/// The checkpoint becomes that of the last iteration. Without such an end an earlier one stays.
void keepForLater(RunBox& box, const std::shared_ptr<const RunOutcome>& outcome, const RunEnd* end)
{
    const std::string& file = box.safety.plan.file;
    if (file.empty())
        return;
    try {
        if (outcome && end && outcome->result.reason == kernels::StopReason::Stopped)
            writeEnd(file, *end, *outcome, box.tensor, box.safety);
    } catch (...) {
        box.safety.warn(messageForCurrentException().toStdString());
    }
    const bool kept = QFile::exists(QString::fromStdString(file));
    const std::lock_guard lock(box.mutex);
    box.keptForLater = kept;
}

} // namespace

RunWorker::RunWorker(TrainTestCache& cache, TelemetryHub& telemetry, DeviceTurns& turns)
    : m_cache(cache)
    , m_telemetry(telemetry)
    , m_turns(turns)
    , m_thread([this] { loop(); })
{
}

RunWorker::~RunWorker()
{
    shutDown();
    m_thread.join();
}

void RunWorker::shutDown()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
        if (m_current)
            m_current->stop();
    }
    m_waiting.close();
}

std::shared_ptr<RunBox> RunWorker::next()
{
    std::shared_ptr<RunBox> box = m_waiting.take({[this](const RunBox& next) { return m_turns.take(&next, next.config.devices); },
                                                  [this](const RunBox* passed) { m_turns.withdraw(passed); }});
    if (!box)
        return nullptr;
    const std::lock_guard lock(m_mutex);
    if (m_ending)
        m_turns.give(box->config.devices);
    m_current = m_ending ? nullptr : std::move(box);
    return m_current;
}

void RunWorker::loop()
{
    while (const std::shared_ptr<RunBox> box = next()) {
        work(*box);
        m_turns.give(box->config.devices);
        const std::lock_guard lock(m_mutex);
        m_current.reset();
    }
}

void RunWorker::openTelemetry(RunBox& box)
{
    std::vector<TelemetryRecorder> recorders;
    for (const kernels::DeviceId& device : box.config.devices)
        recorders.emplace_back(m_telemetry.sampler(device));
    const std::lock_guard lock(box.mutex);
    box.recorders = std::move(recorders);
}

void RunWorker::work(RunBox& box)
{
    if (!begin(box))
        return end(box, RunBox::Phase::Stopped, {}, {}, {});
    try {
        openTelemetry(box);
        BoxObserver observer(box);
        RunOutcome made = executeRun(box.config, box.tensor, m_cache, observer, box.control, box.preparation, box.safety);
        std::shared_ptr<const RunEnd> goesOn = std::exchange(made.end, nullptr);
        auto outcome = std::make_shared<const RunOutcome>(std::move(made));
        const kernels::RunResult& result = outcome->result;
        const RunBox::Phase phase = result.reason == kernels::StopReason::Stopped ? RunBox::Phase::Stopped
            : result.reason == kernels::StopReason::Failed                        ? RunBox::Phase::Failed
                                                                                  : RunBox::Phase::Finished;
        if (isInterrupted(box, phase))
            keepForLater(box, outcome, goesOn.get());
        else if (phase != RunBox::Phase::Failed)
            removeCheckpoint(box);
        const QString failure = QString::fromStdString(result.failure);
        end(box, phase, std::move(outcome), std::move(goesOn), failure);
    } catch (const kernels::Cancelled&) {
        if (isInterrupted(box, RunBox::Phase::Stopped))
            keepForLater(box, {}, nullptr);
        end(box, RunBox::Phase::Stopped, {}, endBefore(box), {});
    } catch (...) {
        end(box, RunBox::Phase::Failed, {}, endBefore(box), messageForCurrentException());
    }
    box.safety.from.reset(); // as large as two models
}

/// Nobody sees the result of a run that ends when the program does. One that came to its end before is in the list.
bool RunWorker::isInterrupted(const RunBox& box, RunBox::Phase end)
{
    const std::lock_guard lock(m_mutex);
    return m_ending || (box.interrupted && end == RunBox::Phase::Stopped);
}

} // namespace app
