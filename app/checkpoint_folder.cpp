// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checkpoint_folder.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <utility>

namespace app {
namespace {

QString lockFile(const QString& folder) { return folder + QStringLiteral("/lock"); }

QStringList filesIn(const QString& folder, const QStringList& patterns)
{
    QStringList paths;
    for (const QString& name : QDir(folder).entryList(patterns, QDir::Files))
        paths += folder + '/' + name;
    return paths;
}

const QString checkpoints = QStringLiteral("*.h5"), sessions = QStringLiteral("*.polyad");

/// What a killed process was writing; its folder is locked by us, so nobody writes any more.
void removeUnfinished(const QString& folder)
{
    for (const QString& name : QDir(folder).entryList({QStringLiteral(".*.part-*")}, QDir::Files | QDir::Hidden))
        QFile::remove(folder + '/' + name);
}

} // namespace

CheckpointFolder::CheckpointFolder(QString root)
    : m_root(std::move(root))
{
}

CheckpointFolder::~CheckpointFolder()
{
    for (const auto& [folder, descriptor] : m_locks)
        release(folder, descriptor);
}

void CheckpointFolder::release(const QString& folder, int descriptor)
{
    if (filesIn(folder, {checkpoints, sessions}).isEmpty()) { // still locked: nobody else can want it
        removeUnfinished(folder);
        QFile::remove(lockFile(folder));
        QDir().rmdir(folder);
    }
    close(descriptor);
}

bool CheckpointFolder::lock(const QString& folder)
{
    const QByteArray path = QFile::encodeName(lockFile(folder));
    const int descriptor = open(path.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0)
        return false;
    // Who was quicker may have removed the folder again.
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 || !QFile::exists(lockFile(folder))) {
        close(descriptor);
        return false;
    }
    m_locks[folder] = descriptor;
    return true;
}

const QString& CheckpointFolder::ownFolder()
{
    constexpr int attempts = 3; // another process may take a new folder for an abandoned one
    for (int i = 0; m_own.isEmpty() && i < attempts; ++i) {
        QDir().mkpath(m_root);
        QTemporaryDir made(m_root + QStringLiteral("/process-XXXXXX"));
        made.setAutoRemove(false);
        if (made.isValid() && lock(made.path()))
            m_own = made.path();
    }
    return m_own;
}

QString CheckpointFolder::fileFor(int runId)
{
    return ownFolder().isEmpty() ? QString() : QStringLiteral("%1/run-%2.h5").arg(m_own).arg(runId);
}

QString CheckpointFolder::sessionFile() { return ownFolder().isEmpty() ? QString() : m_own + QStringLiteral("/session.polyad"); }

CheckpointFolder::Abandoned CheckpointFolder::takeAbandoned()
{
    Abandoned found;
    for (const QString& name : QDir(m_root).entryList({QStringLiteral("process-*")}, QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString folder = m_root + '/' + name;
        if (m_locks.contains(folder) || !lock(folder))
            continue;
        removeUnfinished(folder);
        found.checkpoints += filesIn(folder, {checkpoints});
        found.sessions += filesIn(folder, {sessions});
        if (filesIn(folder, {checkpoints, sessions}).isEmpty()) {
            release(folder, m_locks.at(folder));
            m_locks.erase(folder);
        }
    }
    return found;
}

} // namespace app
