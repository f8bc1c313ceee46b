// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits for a device, and in which order.
#include "app/session_private.h"

#include <algorithm>

namespace app {

std::vector<Run*> Session::waitingRuns(const kernels::DeviceId& device) const
{
    std::vector<Run*> runs;
    const auto worker = d->workers.find(kernels::toString(device));
    if (worker == d->workers.end())
        return runs;
    for (const RunBox* box : worker->second->waiting().order()) {
        const auto at = std::find_if(m_runs.begin(), m_runs.end(), [box](const Run* run) { return run->m_box.get() == box; });
        if (at != m_runs.end())
            runs.push_back(*at);
    }
    return runs;
}

int Session::queuePosition(const Run* run) const
{
    if (!d->waiting.contains(run->id()))
        return 0;
    const auto worker = d->workers.find(kernels::toString(run->m_box->config.devices.front()));
    const std::vector<const RunBox*> order = worker->second->waiting().order();
    const auto at = std::find(order.begin(), order.end(), run->m_box.get());
    return at == order.end() ? 0 : static_cast<int>(at - order.begin()) + 1; // taken since the last poll
}

void Session::moveInQueue(Run* run, QueueMove move)
{
    if (d->waiting.contains(run->id()) && d->worker(run->m_box->config.devices.front()).waiting().move(run->m_box.get(), move))
        Q_EMIT queueChanged();
}

bool Session::isQueuePaused() const { return d->queuePaused; }

void Session::setQueuePaused(bool paused)
{
    if (paused == d->queuePaused)
        return;
    d->queuePaused = paused;
    for (auto& [device, worker] : d->workers)
        worker->waiting().pause(paused);
    Q_EMIT queueChanged();
}

int Session::waitingCount() const { return static_cast<int>(d->waiting.size()); }

void Session::leftQueue(Run* run)
{
    if (run->state() != RunState::Queued && d->waiting.erase(run->id()) > 0)
        Q_EMIT queueChanged();
}

} // namespace app
