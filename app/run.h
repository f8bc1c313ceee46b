// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "app/run_job.h"
#include "io/model_file.h"
#include "kernels/base/run.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace app {

enum class RunState { Queued, Preparing, Running, Paused, Finished, Stopped, Failed };

struct RunBox;
struct RunSnapshot;

/// One decomposition as the window sees it. Lives on the window's thread; the worker talks to it through
/// a mutex-guarded box which poll() empties, so a fast run never floods the event loop.
class Run : public QObject {
    Q_OBJECT
public:
    int id() const { return m_id; }
    const QString& name() const { return m_name; }
    int colorIndex() const { return m_colorIndex; } ///< stable for the run's life: colour, dash and marker
    bool isVisible() const { return m_visible; }
    RunState state() const { return m_state; }
    bool isActive() const; ///< queued, preparing, running or paused
    const kernels::RunConfig& config() const { return m_config; } ///< resolved
    const OpenTensorPtr& tensor() const { return m_tensor; }
    const QString& error() const { return m_error; }
    QString algorithmTitle() const;
    kernels::Objective objective() const; ///< of its algorithm

    /// All iterations so far; grows only in poll().
    const std::vector<kernels::IterationRecord>& history() const { return m_history; }
    /// What was learnt after the run in this row of the history, with the errors of its own entries; null: nothing, it is an iteration.
    const io::UpdateRecord* updateAt(std::uint64_t iteration) const;
    std::uint64_t bestIteration() const { return m_bestIteration; } ///< by watchedNumber(); 0: none yet
    std::uint64_t plannedIterations() const { return m_config.stopping.iterations; }
    double elapsedSeconds() const; ///< wall time at work, pauses left out; with that of the process it was interrupted in
    double secondsLeft() const; ///< by the mean of the last iterations; < 0: unknown
    std::shared_ptr<const RunOutcome> outcome() const { return m_outcome; } ///< of a run that is continued: as it first ended
    /// Whether what it needs to go on from its end is held: Session::continueRun.
    bool holdsEnd() const { return m_end != nullptr; }
    /// It was stopped because the program ends, and the next start offers to go on with it.
    bool isKeptForLater() const { return m_keptForLater; }
    /// The file it is kept in while it goes, with its best model of some seconds ago; empty where it is not kept.
    std::string checkpointFile() const;
    /// What the model is compared with; null: not known (yet), see Session::wantBaselines.
    const kernels::Baselines* baselines() const { return m_baselines ? &*m_baselines : nullptr; }
    const std::vector<io::TelemetrySeries>& telemetry() const { return m_telemetry; } ///< of the run's time,
    ///< in seconds since it began; grows while it runs

    /// As people gave them: by the number of the component, empty where it has none.
    const std::vector<std::string>& componentNames() const { return m_componentNames; }
    void nameComponent(std::size_t component, const QString& name);

    /// The polyad-cli line that repeats this run.
    QString command() const;
    /// What a model file is made of, shared; only with an outcome.
    RunRecord record() const;
    const QString& note() const { return m_note; } ///< the person's own words
    /// As a session file keeps it.
    RunSnapshot snapshot() const;

public Q_SLOTS:
    void pause(); ///< shown at once; a queued run is not paused but stopped
    void resume();
    void stop();
    void setName(const QString&);
    void setNote(const QString&);
    void setColorIndex(int);
    void setVisible(bool);

Q_SIGNALS:
    void stateChanged();
    void warned(const QString& sentence); ///< something about the run that does not end it
    void advanced(); ///< history grew; at most ten times a second
    void appearanceChanged();
    void componentNamed(std::size_t component);

private:
    friend class Session;
    Run(int id, std::shared_ptr<RunBox>, QObject* parent);
    Run(int id, RunSnapshot, QObject* parent); ///< that a session brought, or that has learnt
    ~Run() override;
    void poll();
    void goOn(std::shared_ptr<RunBox>); ///< with its history
    void become(RunSnapshot); ///< what it was, with more learnt
    void takeModel(RunSnapshot&&); ///< and its history
    io::TelemetrySeries withEarlier(io::TelemetrySeries) const;
    void setState(RunState);

    using Clock = std::chrono::steady_clock;
    void collectTelemetry();
    void take(const std::vector<kernels::IterationRecord>& fresh);

    int m_id;
    int m_colorIndex = 0;
    QString m_name, m_note;
    bool m_visible = true;
    RunState m_state = RunState::Queued;
    kernels::RunConfig m_config;
    OpenTensorPtr m_tensor;
    QString m_error;
    std::vector<kernels::IterationRecord> m_history;
    std::uint64_t m_bestIteration = 0;
    double m_bestWatched = 0;
    std::shared_ptr<const RunOutcome> m_outcome;
    std::shared_ptr<const io::ModelFile> m_described; ///< of a run that a session brought
    std::optional<kernels::Baselines> m_baselines;
    std::shared_ptr<const RunEnd> m_end; // the session lets go of it when ends come to too much
    std::vector<io::TelemetrySeries> m_telemetry, m_earlier; // m_earlier: before it was continued
    double m_earlierSeconds = 0;
    std::vector<std::size_t> m_collected; // samples of each of the box' recorders
    std::vector<std::string> m_componentNames; // none, or one a component
    TimePoint m_started, m_finished;
    bool m_pauseWanted = false, m_keptForLater = false;
    double m_workedBefore = 0; // seconds at work before m_workingSince, and what no poll saw
    Clock::time_point m_workingSince; // meaningful while preparing or running
    std::shared_ptr<RunBox> m_box;
};

} // namespace app
