// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <list>
#include <thread>

namespace app {

/// One computation at a time on a thread of its own, for the object that lives on the window's thread and wants its result.
/// Only the newest counts: starting another cancels the one at work, whose result is thrown away.
class BackgroundJob : public QObject {
    Q_OBJECT
public:
    /// What to do with the result, on this object's thread.
    using Finish = std::function<void()>;
    /// Runs on the job's thread; may throw. It must share what it uses, since a thread that was told to stop lives on for a moment.
    using Work = std::function<Finish(kernels::Progress&)>;

    struct State {
        double fraction = -1; ///< < 0: unknown
        double secondsLeft = -1; ///< < 0: unknown
    };

    explicit BackgroundJob(QObject* parent = nullptr);
    ~BackgroundJob() override; ///< cancels and waits

    void start(Work);
    void run(std::function<void(kernels::Progress&)> work); ///< of work whose result finished() fetches
    bool isRunning() const { return m_current; }
    State state() const; ///< poll it

public Q_SLOTS:
    void cancel(); ///< told at once by cancelled(); what the thread still brings is thrown away

Q_SIGNALS:
    void finished(); ///< well, after Finish
    void failed(const QString& sentence);
    void ended(); ///< after either of them, and after cancelled() where the work stopped itself
    void cancelled(); ///< by cancel(), or by the work itself, which threw Cancelled and has no result; not by another start()

private:
    struct Job {
        kernels::Progress progress;
        std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
        std::thread thread;
    };
    void drop();
    void threadEnded(Job*, const Finish&, const QString& failure);

    std::list<Job> m_jobs; ///< cancelled ones wind down beside the current
    Job* m_current = nullptr;
};

} // namespace app
