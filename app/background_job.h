// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"

#include <QObject>

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
    /// Runs on the job's thread; may throw.
    using Work = std::function<Finish(kernels::Progress&)>;

    explicit BackgroundJob(QObject* parent = nullptr);
    ~BackgroundJob() override; ///< cancels and waits

    void start(Work);
    void cancel(); ///< at once: nothing is told of it any more
    bool isRunning() const { return m_current; }
    double fraction() const; ///< < 0: unknown

Q_SIGNALS:
    void ended(); ///< well or not, but not cancelled
    void failed(const QString& sentence); ///< before ended()

private:
    struct Job {
        kernels::Progress progress;
        std::thread thread;
    };
    void threadEnded(Job*, const Finish&, const QString& failure);

    std::list<Job> m_jobs; ///< cancelled ones wind down beside the current
    Job* m_current = nullptr;
};

} // namespace app
