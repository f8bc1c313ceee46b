// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/load_job.h"

#include "app/messages.h"
#include "io/several_tensors.h"
#include "kernels/base/error.h"

#include <QMetaObject>

#include <algorithm>

namespace app {

LoadJob::LoadJob(QString title, Work work, QObject* parent)
    : QObject(parent)
    , m_title(std::move(title))
    , m_work(std::move(work))
{
}

LoadJob::~LoadJob()
{
    m_progress.cancel();
    if (m_thread.joinable())
        m_thread.join();
}

void LoadJob::start()
{
    m_running = true;
    m_began = m_stageBegan = Clock::now();
    m_thread = std::thread([this] { work(); });
}

void LoadJob::work()
{
    try {
        m_tensor = m_work(m_progress);
        m_done = true;
    } catch (const kernels::Cancelled&) {
    } catch (const TableFound&) {
        m_isTable = true;
        m_failure = tr("%1 is a table.").arg(m_title);
    } catch (const io::SeveralTensors& several) {
        m_failure = messageFor(several);
        for (const std::string& group : several.groups())
            m_groups += QString::fromStdString(group);
    } catch (...) {
        m_failure = messageForCurrentException();
    }
    // The destructor joins before the QObject goes, so the receiver is alive here.
    QMetaObject::invokeMethod(
        this, [this] { threadEnded(); }, Qt::QueuedConnection);
}

void LoadJob::threadEnded()
{
    m_thread.join();
    const bool wanted = m_running;
    m_running = false;
    m_work = {};
    if (!m_takeGroup)
        m_groups.clear();
    if (m_tensor && !m_name.isEmpty())
        m_tensor->name = m_name;
    if (wanted && m_done)
        Q_EMIT finished(m_tensor);
    else if (wanted && !m_failure.isEmpty())
        Q_EMIT failed(m_failure);
    else if (wanted)
        Q_EMIT cancelled();
    m_tensor.reset();
    deleteLater();
}

void LoadJob::cancel()
{
    if (!m_running)
        return;
    m_progress.cancel();
    m_running = false;
    Q_EMIT cancelled();
}

LoadJob::State LoadJob::state() const
{
    const Clock::time_point now = Clock::now();
    State state;
    const char* stage = m_progress.stage();
    if (stage != m_stage) {
        m_stage = stage;
        m_stageBegan = now;
    }
    state.stage = QString::fromUtf8(stage);
    state.done = m_progress.done();
    state.total = m_progress.total();
    state.entries = m_progress.entries();
    state.seconds = std::chrono::duration<double>(now - m_began).count();
    if (state.total == 0)
        return state;
    state.fraction = std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
    const double inStage = std::chrono::duration<double>(now - m_stageBegan).count();
    if (state.fraction > 0.01 && inStage > 0.2)
        state.secondsLeft = inStage * (1 - state.fraction) / state.fraction;
    return state;
}

} // namespace app
