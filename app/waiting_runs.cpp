// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/waiting_runs.h"

#include "app/run_box.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace app {

void WaitingRuns::add(Box box, Turn turn)
{
    {
        const std::lock_guard lock(m_mutex);
        auto at = m_entries.end();
        if (turn == Turn::Next)
            at = std::find_if(m_entries.rbegin(), m_entries.rend(), [](const Entry& each) { return each.turn == Turn::Next; }).base();
        m_entries.insert(at, {std::move(box), turn, m_paused && turn == Turn::Next});
    }
    m_changed.notify_all();
}

bool WaitingRuns::move(const RunBox* box, QueueMove move)
{
    const std::lock_guard lock(m_mutex);
    dropStopped();
    const auto at = std::find_if(m_entries.begin(), m_entries.end(), [box](const Entry& each) { return each.box.get() == box; });
    if (at == m_entries.end() || (move == QueueMove::Down ? at + 1 == m_entries.end() : at == m_entries.begin()))
        return false;
    if (move == QueueMove::Front)
        std::rotate(m_entries.begin(), at, at + 1);
    else
        std::iter_swap(at, move == QueueMove::Up ? at - 1 : at + 1);
    return true;
}

std::vector<const RunBox*> WaitingRuns::order()
{
    const std::lock_guard lock(m_mutex);
    dropStopped();
    std::vector<const RunBox*> boxes;
    for (const Entry& entry : m_entries)
        boxes.push_back(entry.box.get());
    return boxes;
}

void WaitingRuns::pause(bool paused)
{
    {
        const std::lock_guard lock(m_mutex);
        m_paused = paused;
        for (Entry& entry : m_entries)
            entry.despitePause = false;
    }
    m_changed.notify_all();
}

/// Nobody waits for it: its run has told that it was stopped.
void WaitingRuns::dropStopped()
{
    std::erase_if(m_entries, [](const Entry& each) { return each.box->control.stopRequested(); });
}

std::deque<WaitingRuns::Entry>::iterator WaitingRuns::takeable()
{
    return m_paused ? std::find_if(m_entries.begin(), m_entries.end(), [](const Entry& each) { return each.despitePause; })
                    : m_entries.begin();
}

WaitingRuns::Box WaitingRuns::take(const Gate& gate)
{
    constexpr std::chrono::milliseconds lookEvery{20}; // for what opens the gate tells nobody
    Box waiting; // at the gate; kept, so that no other gets its address
    std::unique_lock lock(m_mutex);
    while (true) {
        dropStopped();
        const auto at = m_closed ? m_entries.end() : takeable();
        const Box next = at == m_entries.end() ? nullptr : at->box;
        if (waiting && waiting != next)
            gate.passed(waiting.get());
        waiting = next;
        if (m_closed)
            return {};
        if (next && gate.opens(*next)) {
            m_entries.erase(at);
            return next;
        }
        if (next)
            m_changed.wait_for(lock, lookEvery);
        else
            m_changed.wait(lock, [this] { return m_closed || takeable() != m_entries.end(); });
    }
}

void WaitingRuns::close()
{
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
        for (const Entry& entry : m_entries)
            entry.box->stop();
        m_entries.clear();
    }
    m_changed.notify_all();
}

} // namespace app
