// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the session that runs come and go by: removed, set aside and put back, continued.
#include "app/session.h"
#include "app/session_private.h"
#include "kernels/base/error.h"

#include <QFile>
#include <QPointer>
#include <QTimer>

#include <algorithm>

namespace app {

std::vector<Run*> Session::everyRun() const
{
    std::vector<Run*> all = m_runs;
    for (const Private::Aside& each : d->aside)
        all.push_back(each.run);
    return all;
}

void Session::removeRun(Run* run)
{
    const auto it = std::find(m_runs.begin(), m_runs.end(), run);
    if (it == m_runs.end())
        return;
    m_runs.erase(it);
    run->disconnect(this);
    run->m_box->stop(); // before anybody is told: places in the queue are those without it
    const bool waited = d->waiting.erase(run->id()) > 0;
    Q_EMIT runRemoved(run->id());
    if (waited)
        Q_EMIT queueChanged();
    discard(run);
}

void Session::discard(Run* run)
{
    if (run->state() == RunState::Failed || run->isKeptForLater()) // of no other end a checkpoint is left
        QFile::remove(QString::fromStdString(run->m_box->safety.plan.file));
    run->m_box->stop(); // the worker winds down by itself, the box keeps what it needs
    std::erase(d->ended, run->id());
    run->deleteLater();
}

void Session::setAside(Run* run)
{
    const auto it = std::find(m_runs.begin(), m_runs.end(), run);
    if (it == m_runs.end())
        return;
    d->aside.push_back({run, static_cast<std::size_t>(it - m_runs.begin())});
    m_runs.erase(it);
    run->disconnect(this);
    run->stop(); // it is polled until it has ended, and keeps what it came to
    const bool waited = d->waiting.erase(run->id()) > 0;
    Q_EMIT runRemoved(run->id());
    if (waited)
        Q_EMIT queueChanged();
}

void Session::putBack(int id)
{
    const auto at = std::find_if(d->aside.begin(), d->aside.end(), [id](const Private::Aside& each) { return each.run->id() == id; });
    if (at == d->aside.end())
        return;
    const auto [run, place] = *at;
    d->aside.erase(at);
    m_runs.insert(m_runs.begin() + static_cast<std::ptrdiff_t>(std::min(place, m_runs.size())), run);
    connectTo(run);
    Q_EMIT runAdded(run);
}

void Session::letGo(int id)
{
    const auto at = std::find_if(d->aside.begin(), d->aside.end(), [id](const Private::Aside& each) { return each.run->id() == id; });
    if (at == d->aside.end())
        return;
    Run* const run = at->run;
    d->aside.erase(at);
    discard(run);
}

/// In place of the one of the same id that they have: absent so far, or under other names.
void Session::giveTensor(const OpenTensorPtr& tensor)
{
    for (Run* run : everyRun()) {
        if (run->m_tensor->madeFrom && run->m_tensor->madeFrom->id == tensor->id)
            run->m_tensor = withBeginning(*run->m_tensor, tensor); // nothing of it is shown
        if (run->m_tensor->id == tensor->id) {
            run->m_tensor = tensor;
            if (std::find(m_runs.begin(), m_runs.end(), run) != m_runs.end())
                Q_EMIT runTensorCame(run);
        }
    }
}

void Session::pollRuns()
{
    // Slots may start or remove runs while we go round.
    const std::vector<Run*> all = everyRun();
    const std::vector<QPointer<Run>> runs(all.begin(), all.end());
    for (const QPointer<Run>& run : runs) {
        const bool wasActive = run && run->isActive();
        if (wasActive)
            run->poll();
        if (run && wasActive && !run->isActive())
            trimEnds(run);
    }
    const std::vector<Run*> left = everyRun();
    if (std::none_of(left.begin(), left.end(), [](const Run* run) { return run->isActive(); }))
        m_pollTimer->stop();
}

void Session::continueRun(Run* run, const kernels::StoppingRules& rules)
{
    if (run->isActive() || !run->m_end || !run->m_outcome || !run->m_tensor->isHere)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"this run cannot be continued", run->name().toStdString(), {}, {}, "Start it again with more iterations."});
    if (d->grows(*run))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"a file is being added to this run", run->name().toStdString(), {}, {}, "Wait until it has been learnt."});
    auto from = std::make_shared<SavedRun>();
    from->checkpoint = checkpointOf(*run->m_end, run->m_outcome->result);
    from->started = run->m_started;
    kernels::RunConfig config = run->config();
    config.stopping = rules;
    const auto box = std::make_shared<RunBox>(resolveFor(config, *run->m_tensor, from.get()), run->m_tensor);
    box->historyIsKnown = true;
    makeSafe(*box, run->id(), std::move(from), {});
    d->waiting.insert(run->id());
    d->worker(box->config.devices.front()).waiting().add(box, Turn::Next);
    run->goOn(box);
    m_pollTimer->start();
    Q_EMIT queueChanged();
}

void Session::keepEndsWithin(std::uint64_t bytes)
{
    d->endBudget = bytes;
    trimEnds(nullptr);
}

/// As large as a model each: of many runs only the latest can be continued.
void Session::trimEnds(const Run* ended)
{
    if (ended) {
        std::erase(d->ended, ended->id());
        d->ended.push_back(ended->id());
    }
    const std::vector<Run*> all = everyRun();
    const auto runOf = [&all](int id) {
        const auto at = std::find_if(all.begin(), all.end(), [id](const Run* each) { return each->id() == id; });
        return at == all.end() ? nullptr : *at;
    };
    std::uint64_t held = 0;
    for (auto id = d->ended.rbegin(); id != d->ended.rend(); ++id) {
        Run* const run = runOf(*id);
        if (!run || !run->m_end || run->isActive()) // what goes on may be stopped before it has another end
            continue;
        held += run->m_end->bytes();
        if (held > d->endBudget)
            run->m_end.reset();
    }
}

} // namespace app
