// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/stage_times.h"

#include <algorithm>
#include <utility>

namespace kernels {

void StageTimes::begin(std::string_view stage)
{
    const auto now = StageTime::Clock::now();
    const std::lock_guard lock(m_mutex);
    endLocked(now);
    const auto at = std::find_if(m_stages.begin(), m_stages.end(), [&](const StageTime& each) { return each.name == stage; });
    m_current = static_cast<std::size_t>(at - m_stages.begin());
    if (at == m_stages.end())
        m_stages.push_back({std::string(stage), now});
    m_currentBegan = now;
}

void StageTimes::end()
{
    const std::lock_guard lock(m_mutex);
    endLocked(StageTime::Clock::now());
}

std::vector<StageTime> StageTimes::take()
{
    const std::lock_guard lock(m_mutex);
    endLocked(StageTime::Clock::now());
    return std::exchange(m_stages, {});
}

std::string StageTimes::current() const
{
    const std::lock_guard lock(m_mutex);
    return m_current == none ? std::string() : m_stages[m_current].name;
}

void StageTimes::endLocked(StageTime::Clock::time_point now)
{
    if (m_current != none)
        m_stages[m_current].seconds += std::chrono::duration<double>(now - m_currentBegan).count();
    m_current = none;
}

} // namespace kernels
