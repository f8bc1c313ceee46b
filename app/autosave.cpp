// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/autosave.h"

#include "app/messages.h"
#include "app/session_store.h"

#include <QFile>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

/// What goes, or goes on at the next start, has a checkpoint.
bool isKeptElsewhere(const Run* run) { return run->isActive() || run->isKeptForLater(); }

} // namespace

Autosave::Autosave(Session& session, QString file, std::function<QString()> window, double seconds, QObject* parent)
    : QObject(parent)
    , m_session(session)
    , m_file(std::move(file))
    , m_window(std::move(window))
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(static_cast<int>(std::lround(seconds * 1000)));
    connect(&m_timer, &QTimer::timeout, this, &Autosave::write);
    m_watch.setInterval(100);
    connect(&m_watch, &QTimer::timeout, this, [this] {
        if (m_writing.valid() && m_writing.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
            collect();
    });
    connect(&session, &Session::tensorAdded, this, &Autosave::changed);
    connect(&session, &Session::tensorRemoved, this, &Autosave::changed);
    connect(&session, &Session::tensorRenamed, this, &Autosave::changed);
    connect(&session, &Session::runRemoved, this, &Autosave::changed);
    connect(&session, &Session::runAdded, this, [this](const Run* run) {
        if (!run->isActive())
            changed();
    });
    connect(&session, &Session::runChanged, this, [this](const Run* run) {
        if (!run->isActive())
            changed();
    });
}

Autosave::~Autosave()
{
    if (m_writing.valid())
        m_writing.wait();
}

void Autosave::changed()
{
    m_changed = true;
    if (!m_timer.isActive())
        m_timer.start();
}

bool Autosave::isEmpty() const
{
    const auto& runs = m_session.runs();
    return !(m_keepsWithoutRuns && !m_session.tensors().empty()) && std::all_of(runs.begin(), runs.end(), isKeptElsewhere);
}

void Autosave::write()
{
    if (m_writing.valid() && m_writing.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return m_timer.start(); // a slow disk costs saves, not time
    collect();
    m_timer.stop();
    m_changed = false;
    if (isEmpty()) { // tensors alone are quickly opened again
        QFile::remove(m_file);
        return Q_EMIT ended({});
    }
    SessionSnapshot snapshot{m_session.tensors(), {}, m_window().toStdString()};
    for (const Run* run : m_session.runs())
        if (!isKeptElsewhere(run))
            snapshot.runs.push_back(run->snapshot());
    m_writing = std::async(std::launch::async, [snapshot = std::move(snapshot), file = m_file.toStdString()]() -> QString {
        try {
            io::writeSession(file, toSessionFile(snapshot));
            return {};
        } catch (...) {
            return messageForCurrentException();
        }
    });
    m_watch.start();
}

void Autosave::collect()
{
    if (!m_writing.valid())
        return;
    m_watch.stop();
    const QString failure = m_writing.get();
    const bool wasFailing = std::exchange(m_failing, !failure.isEmpty());
    if (m_failing)
        changed(); // another time
    else if (!m_changed)
        Q_EMIT written();
    if (m_failing && !wasFailing)
        Q_EMIT failed(failure);
    Q_EMIT ended(failure);
}

void Autosave::discard()
{
    if (m_writing.valid())
        m_writing.wait();
    collect();
    m_timer.stop();
    m_changed = false;
    QFile::remove(m_file);
}

void Autosave::writeNow()
{
    if (m_changed)
        write();
}

void Autosave::finish()
{
    m_timer.stop();
    collect();
    if (m_changed) {
        write();
        collect();
    }
}

} // namespace app
