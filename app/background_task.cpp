// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/background_task.h"

#include "app/messages.h"
#include "kernels/base/error.h"

#include <algorithm>
#include <thread>

namespace app {

struct BackgroundTask::Job {
    Work work;
    kernels::Progress progress;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    QString failure; // written by the thread, read after it was joined
    bool stopped = false;
    std::thread thread;
};

BackgroundTask::BackgroundTask(QObject* parent)
    : QObject(parent)
{
}

BackgroundTask::~BackgroundTask()
{
    for (const auto& job : m_all)
        job->progress.cancel();
    for (const auto& job : m_all)
        job->thread.join();
}

void BackgroundTask::start(Work work)
{
    drop();
    m_job = std::make_shared<Job>();
    m_job->work = std::move(work);
    m_all.push_back(m_job);
    Job* const job = m_job.get();
    job->thread = std::thread([this, job] {
        try {
            job->work(job->progress);
        } catch (const kernels::Cancelled&) {
            job->stopped = true;
        } catch (...) {
            job->failure = messageForCurrentException();
        }
        // The destructor joins before the QObject goes, so the receiver is alive here.
        QMetaObject::invokeMethod(
            this, [this, job] { ended(job); }, Qt::QueuedConnection);
    });
}

void BackgroundTask::ended(Job* job)
{
    const auto at = std::find_if(m_all.begin(), m_all.end(), [job](const auto& each) { return each.get() == job; });
    const std::shared_ptr<Job> kept = *at;
    m_all.erase(at);
    kept->thread.join();
    if (kept != m_job)
        return;
    m_job.reset();
    if (!kept->failure.isEmpty())
        Q_EMIT failed(kept->failure);
    else if (kept->stopped)
        Q_EMIT cancelled();
    else
        Q_EMIT finished();
}

void BackgroundTask::drop()
{
    if (m_job)
        m_job->progress.cancel();
    m_job.reset();
}

void BackgroundTask::cancel()
{
    if (!m_job)
        return;
    drop();
    Q_EMIT cancelled();
}

BackgroundTask::State BackgroundTask::state() const
{
    State state;
    const std::uint64_t total = m_job ? m_job->progress.total() : 0;
    if (total == 0)
        return state;
    state.fraction = std::min(1.0, static_cast<double>(m_job->progress.done()) / static_cast<double>(total));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_job->began).count();
    if (state.fraction > 0.01 && seconds > 0.2)
        state.secondsLeft = seconds * (1 - state.fraction) / state.fraction;
    return state;
}

} // namespace app
