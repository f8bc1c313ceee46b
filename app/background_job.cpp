// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/background_job.h"

#include "app/messages.h"
#include "kernels/base/error.h"

#include <QMetaObject>

#include <algorithm>

namespace app {

BackgroundJob::BackgroundJob(QObject* parent)
    : QObject(parent)
{
}

BackgroundJob::~BackgroundJob()
{
    for (Job& job : m_jobs)
        job.progress.cancel();
    for (Job& job : m_jobs)
        job.thread.join();
}

void BackgroundJob::start(Work work)
{
    drop();
    Job& job = m_jobs.emplace_back();
    m_current = &job;
    job.thread = std::thread([this, &job, work = std::move(work)] {
        Finish finish;
        QString failure;
        bool stopped = false;
        try {
            finish = work(job.progress);
        } catch (const kernels::Cancelled&) {
            stopped = true;
        } catch (...) {
            failure = messageForCurrentException();
        }
        // The destructor joins, so the receiver is alive here.
        QMetaObject::invokeMethod(
            this,
            [this, &job, finish, failure, stopped] {
                const bool byItself = stopped && &job == m_current; // by nobody else's wish
                if (byItself)
                    cancel(); // there is no result to read
                threadEnded(&job, finish, failure);
                if (byItself)
                    Q_EMIT ended();
            },
            Qt::QueuedConnection);
    });
}

void BackgroundJob::run(std::function<void(kernels::Progress&)> work)
{
    start([work = std::move(work)](kernels::Progress& progress) {
        work(progress);
        return Finish();
    });
}

void BackgroundJob::drop()
{
    if (m_current)
        m_current->progress.cancel();
    m_current = nullptr;
}

void BackgroundJob::cancel()
{
    if (!m_current)
        return;
    drop();
    Q_EMIT cancelled();
}

BackgroundJob::State BackgroundJob::state() const
{
    State state;
    const std::uint64_t total = m_current ? m_current->progress.total() : 0;
    if (total == 0)
        return state;
    state.fraction = std::min(1.0, static_cast<double>(m_current->progress.done()) / static_cast<double>(total));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_current->began).count();
    if (state.fraction > 0.01 && seconds > 0.2)
        state.secondsLeft = seconds * (1 - state.fraction) / state.fraction;
    return state;
}

void BackgroundJob::threadEnded(Job* job, const Finish& finish, const QString& failure)
{
    job->thread.join();
    const bool wanted = job == m_current;
    m_jobs.remove_if([job](const Job& other) { return &other == job; });
    if (!wanted)
        return;
    m_current = nullptr;
    if (!failure.isEmpty()) {
        Q_EMIT failed(failure);
    } else {
        if (finish)
            finish();
        Q_EMIT finished();
    }
    Q_EMIT ended();
}

} // namespace app
