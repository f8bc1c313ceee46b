// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <future>

namespace app {

/// Keeps a session in a file while it changes, so that no end of the process loses what has ended. Runs that are going are not in
/// it: they have checkpoints. Lives on the window's thread; writes on another, one file at a time.
class Autosave : public QObject {
    Q_OBJECT
public:
    /// `window`: what comes back with sessionOpened. A change is written `seconds` later, and what follows meanwhile with it.
    Autosave(Session&, QString file, std::function<QString()> window, double seconds, QObject* parent = nullptr);
    ~Autosave() override; ///< waits for what is being written

    /// Whether tensors alone are worth it, as those of a session that has a name. At first they are not.
    void keepWithoutRuns(bool keep) { m_keepsWithoutRuns = keep; }
    /// The person's own file has it all: what was kept goes.
    void discard();
    /// Waits until all there is is written; what is left of the file is gone where there is nothing to keep.
    void finish();
    /// There is more than the file has, or a file is being written.
    bool isPending() const { return m_changed || m_writing.valid(); }
    /// Does not wait for the timer; ended() tells how it went.
    void writeNow();

Q_SIGNALS:
    void failed(const QString& sentence); ///< once, until it went well again; it is tried again
    void written(); ///< all there is
    void ended(const QString& failure); ///< every time; empty: it went well

private:
    void changed();
    void write();
    void collect();
    bool isEmpty() const;

    Session& m_session;
    QString m_file;
    std::function<QString()> m_window;
    QTimer m_timer, m_watch;
    std::future<QString> m_writing; ///< the sentence of a failure
    bool m_changed = false, m_failing = false, m_keepsWithoutRuns = false;
};

} // namespace app
