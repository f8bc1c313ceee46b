// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/time_limit.h"

#include <algorithm>
#include <chrono>

namespace kernels {

TimeLimit::TimeLimit(RunControl& control)
    : m_control(control)
{
}

TimeLimit::~TimeLimit()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_over = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

TimeLimit::Guard::Guard(TimeLimit& limit, double seconds)
    : m_limit(limit)
{
    {
        const std::lock_guard lock(m_limit.m_mutex);
        m_limit.m_watched.emplace(Watched{Stopwatch(m_limit.m_control), seconds});
    }
    if (m_limit.m_thread.joinable())
        m_limit.m_changed.notify_all();
    else
        m_limit.m_thread = std::thread([&watcher = m_limit] { watcher.watch(); });
}

TimeLimit::Guard::~Guard()
{
    const std::lock_guard lock(m_limit.m_mutex);
    m_limit.m_watched.reset();
}

void TimeLimit::watch()
{
    constexpr std::chrono::milliseconds betweenLooks{20}; // at a run that is paused, whose clock tells of it only afterwards
    constexpr double longest = 3600;
    std::unique_lock lock(m_mutex);
    while (!m_over && !m_passed) {
        if (!m_watched) {
            m_changed.wait(lock, [this] { return m_over || m_watched; });
            continue;
        }
        if (m_control.isPaused()) {
            m_changed.wait_for(lock, betweenLooks);
            continue;
        }
        const double left = m_watched->seconds - m_watched->since.seconds();
        if (left <= 0) {
            m_passed = true;
            m_control.stop();
        } else {
            m_changed.wait_for(lock, std::chrono::duration<double>(std::min(left, longest)));
        }
    }
}

} // namespace kernels
