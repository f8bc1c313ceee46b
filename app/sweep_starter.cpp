// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_starter.h"

#include "app/messages.h"

#include <QElapsedTimer>

namespace app {

SweepStarter::SweepStarter(Session& session, QObject* parent)
    : QObject(parent)
    , m_session(session)
{
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &SweepStarter::startSome);
}

void SweepStarter::start(const SweepPlan& plan, const OpenTensorPtr& tensor, Turn turn, bool shown)
{
    for (const SweepRow& row : plan.rows)
        if (row.refusal.isEmpty())
            m_rows.push_back({row.config, plan.rowName(row), tensor, turn, shown});
    m_timer.start();
    startSome();
}

void SweepStarter::cancel()
{
    m_rows.clear();
    m_timer.stop();
}

void SweepStarter::startSome()
{
    constexpr int milliseconds = 10; // of a turn of the event loop
    QElapsedTimer clock;
    clock.start();
    while (!m_rows.empty() && clock.elapsed() < milliseconds) {
        const Row row = std::move(m_rows.front());
        m_rows.pop_front();
        const OpenTensorPtr now = m_session.tensor(row.tensor->id); // renamed meanwhile: another one of that id
        if (!now) // closed meanwhile
            continue;
        try {
            Run* run = m_session.start(row.config, now, row.turn);
            run->setName(row.name);
            run->setVisible(row.shown);
        } catch (const std::exception& error) {
            Q_EMIT failed(row.name + QStringLiteral(": ") + messageFor(error));
        }
    }
    if (m_rows.empty())
        m_timer.stop();
}

} // namespace app
