// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/folder_watch.h"

#include <QDir>
#include <QFileInfo>

namespace app {

FolderWatch::FolderWatch(Session& session, QObject* parent)
    : QObject(parent)
    , m_session(session)
{
    constexpr int betweenLooks = 300; // ms
    m_timer.setInterval(betweenLooks);
    connect(&m_timer, &QTimer::timeout, this, &FolderWatch::look);
    connect(&session, &Session::runLearnt, this, [this](const Run* result, const NewData& data) {
        if (data.unasked && data.path == m_path)
            learnt(result, data.path);
    });
    connect(&session, &Session::runKnows, this, [this](const Run*, const NewData& data, const QString& sentence) {
        if (!data.unasked || data.path != m_path)
            return;
        if (!sentence.isEmpty())
            noteLeft();
        forget();
    });
    connect(&session, &Session::runRemoved, this, [this](int id) {
        if (!isOn() || id != m_state.runId)
            return;
        const QString folder = m_state.folder;
        end();
        Q_EMIT ended(tr("%1 is no longer watched: the run that its files were added to is gone.").arg(QDir::toNativeSeparators(folder)));
    });
}

FolderWatch::~FolderWatch() = default;

void FolderWatch::begin(const Run* run, const QString& folder, WatchedFolder::There there)
{
    end();
    m_state.folder = QDir(folder).absolutePath();
    m_state.runId = run->id();
    m_folder = std::make_shared<WatchedFolder>(QFile::encodeName(m_state.folder).toStdString(), there);
    m_grows = false;
    Q_EMIT m_session.logMessage(0, tr("%1: files that come into %2 are added").arg(run->name(), QDir::toNativeSeparators(m_state.folder)));
    m_timer.start();
    look();
    Q_EMIT changed();
}

void FolderWatch::end()
{
    if (!isOn())
        return;
    m_timer.stop();
    m_listing.cancel();
    m_waiting.clear();
    m_first = {};
    m_path.clear(); // before the job tells that it was cancelled
    m_state = {};
    if (m_job)
        m_job->cancel();
    Q_EMIT changed();
}

void FolderWatch::setPaused(bool paused)
{
    if (!isOn() || paused == m_state.paused)
        return;
    m_state.paused = paused;
    Q_EMIT changed();
    next();
}

void FolderWatch::look()
{
    if (!isOn() || m_listing.isRunning()) // a folder of a network may take its time
        return;
    m_listing.start([this, folder = m_folder](kernels::Progress&) {
        const auto found = std::make_shared<WatchedFolder::Look>(folder->look());
        return [this, folder, found] {
            if (folder == m_folder && isOn())
                took(*found);
        };
    });
}

void FolderWatch::took(const WatchedFolder::Look& found)
{
    const QString trouble = QString::fromStdString(found.trouble);
    if (trouble != m_state.trouble) {
        const QString folder = QDir::toNativeSeparators(m_state.folder);
        Q_EMIT m_session.logMessage(trouble.isEmpty() ? 0 : 1,
                                    trouble.isEmpty()
                                        ? tr("%1 is back and watched again").arg(folder)
                                        : tr("%1 cannot be seen (%2); files are added again when it is back").arg(folder, trouble));
        m_state.trouble = trouble;
        Q_EMIT changed();
    }
    for (const std::string& name : found.open)
        Q_EMIT m_session.logMessage(0,
                                    tr("%1 is still open for writing in another program; it is added when it is closed, or has not "
                                       "changed for %2 minutes")
                                        .arg(QFile::decodeName(QByteArray::fromStdString(name)))
                                        .arg(WatchedFolder::longestWait.count()));
    for (const std::string& ready : found.ready)
        if (const QString path = QFile::decodeName(QByteArray::fromStdString(ready)); !m_waiting.contains(path))
            m_waiting += path;
    next();
}

/// The run may be at work: then files wait for its end.
void FolderWatch::next()
{
    const int waiting = static_cast<int>(m_waiting.size());
    const Run* const run = m_session.run(m_state.runId);
    const auto isFree = [&] { return m_path.isEmpty() && run && Session::whyNotLearning(*run).isEmpty() && !m_session.isGrowing(*run); };
    if (m_first && isFree())
        std::exchange(m_first, {})();
    if (m_state.paused || m_waiting.isEmpty() || !isFree()) {
        if (waiting != m_state.waiting) {
            m_state.waiting = waiting;
            Q_EMIT changed();
        }
        return;
    }
    m_path = m_waiting.takeFirst();
    m_state.waiting = waiting - 1;
    m_state.adding = QFileInfo(m_path).fileName();
    m_job = m_session.addData(run, {m_path, false, m_grows, true});
    const auto leftOutHere = [this, path = m_path] { leftOut(path); };
    connect(m_job, &LoadJob::failed, this, leftOutHere);
    connect(m_job, &LoadJob::cancelled, this, leftOutHere);
    Q_EMIT changed();
}

void FolderWatch::learnt(const Run* result, const QString& path)
{
    m_grows = true;
    m_state.runId = result->id();
    ++m_state.added;
    m_state.last = QFileInfo(path).fileName();
    m_state.left.removeAll(m_state.last);
    m_state.lastAt = QDateTime::currentDateTime();
    forget();
}

void FolderWatch::leftOut(const QString& path)
{
    if (path != m_path)
        return;
    noteLeft();
    forget();
}

void FolderWatch::noteLeft()
{
    if (!m_state.left.contains(m_state.adding))
        m_state.left += m_state.adding;
}

void FolderWatch::forget()
{
    m_path.clear();
    m_state.adding.clear();
    Q_EMIT changed();
    next();
}

} // namespace app
