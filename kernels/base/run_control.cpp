// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/run_control.h"

#include "kernels/base/error.h"

namespace kernels {

void RunControl::pause() { m_pause.store(true); }

void RunControl::resume()
{
    {
        const std::lock_guard lock(m_mutex);
        m_pause.store(false);
    }
    m_changed.notify_all();
}

void RunControl::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_stop.load()) // a second one prolongs no grace
            m_stopAsked.store(std::chrono::nanoseconds(Clock::now().time_since_epoch()).count());
        m_stop.store(true);
    }
    m_changed.notify_all();
}

void RunControl::checkpoint()
{
    ++m_checkpoints;
    if (!attentionWanted())
        return;
    std::unique_lock lock(m_mutex);
    if (m_pause.load() && !m_stop.load()) {
        const auto begin = Clock::now();
        const std::string stage = m_times.current();
        m_times.begin("paused");
        m_waiting.store(true);
        m_changed.wait(lock, [this] { return !m_pause.load() || m_stop.load(); });
        m_waiting.store(false);
        if (stage.empty())
            m_times.end();
        else
            m_times.begin(stage);
        m_pausedSeconds += std::chrono::duration<double>(Clock::now() - begin).count();
    }
    if (stopRequested())
        throw Cancelled{};
}

double RunControl::pausedSeconds() const
{
    const std::lock_guard lock(m_mutex);
    return m_pausedSeconds;
}

} // namespace kernels
