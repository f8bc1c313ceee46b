// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <map>

namespace app {

/// The checkpoints of one process's runs and its session, and those that processes before it left behind: a folder a process below
/// one root, locked while the process lives. The kernel lets go of the lock however it ends, so that what is not locked
/// belongs to nobody. Not thread-safe.
class CheckpointFolder {
public:
    explicit CheckpointFolder(QString root);
    ~CheckpointFolder(); ///< lets go of all folders, and removes those that hold nothing
    CheckpointFolder(const CheckpointFolder&) = delete;
    CheckpointFolder& operator=(const CheckpointFolder&) = delete;

    const QString& root() const { return m_root; }
    /// Where this run is kept; empty where no folder can be made.
    QString fileFor(int runId);
    QString sessionFile(); ///< likewise
    struct Abandoned {
        QStringList checkpoints, sessions;
    };
    /// What processes left that are gone; from now on it is this one's.
    Abandoned takeAbandoned();

private:
    bool lock(const QString& folder);
    const QString& ownFolder(); ///< made when it is first wanted; empty where it cannot be
    void release(const QString& folder, int descriptor);

    QString m_root, m_own;
    std::map<QString, int> m_locks; ///< folder → descriptor of its lock
};

} // namespace app
