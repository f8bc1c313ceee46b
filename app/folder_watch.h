// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/session.h"
#include "app/watched_folder.h"

#include <QDateTime>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <utility>

namespace app {

/// Adds what comes into a folder to a run of the session, one file after the other: the first makes a run beside it (Session::addData),
/// the others let that one grow. Ends with the run, or the session. Lives on the window's thread; the folder is listed on another.
class FolderWatch : public QObject {
    Q_OBJECT
public:
    struct State {
        QString folder; ///< empty: none is watched
        int runId = 0; ///< that the next file is added to
        bool paused = false;
        QString trouble; ///< why the folder cannot be seen; empty: it can
        QString adding; ///< the file that is being learnt
        int waiting = 0; ///< files that are to be learnt after it
        int added = 0; ///< files so far
        QStringList left; ///< names of files that were told and not learnt; one that is mended and learnt is gone from here
        QString last; ///< the file that was added last
        QDateTime lastAt;
    };

    explicit FolderWatch(Session&, QObject* parent = nullptr);
    ~FolderWatch() override; ///< waits for a listing that is under way

    void begin(const Run*, const QString& folder, WatchedFolder::There);
    /// A file that is being learnt is left out.
    void end();
    /// A file that is being learnt comes to its end. What comes meanwhile is learnt afterwards.
    void setPaused(bool);
    /// Something else that makes the run grow, when the file at work is learnt: the next one waits for it.
    void letFirst(std::function<void()> what) { m_first = std::move(what); }
    bool isAddingTo(const Run& run) const { return m_grows && !m_path.isEmpty() && run.id() == m_state.runId; }
    bool isOn() const { return !m_state.folder.isEmpty(); }
    const State& state() const { return m_state; }

Q_SIGNALS:
    void changed(); ///< state()
    void ended(const QString& why); ///< by itself: its run is gone

private:
    void look();
    void took(const WatchedFolder::Look&);
    void next();
    void learnt(const Run* result, const QString& path);
    void leftOut(const QString& path);
    void noteLeft();
    void forget(); ///< the file at work

    Session& m_session;
    State m_state;
    std::shared_ptr<WatchedFolder> m_folder; ///< the job's while it runs
    BackgroundJob m_listing;
    QTimer m_timer;
    QStringList m_waiting; ///< paths
    QString m_path; ///< being learnt
    QPointer<LoadJob> m_job; ///< by which
    bool m_grows = false; ///< the run is one that this watch made
    std::function<void()> m_first; ///< before the next file
};

} // namespace app
