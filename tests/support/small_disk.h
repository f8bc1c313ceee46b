// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTemporaryDir>

#include <sys/mount.h>

namespace test {

/// A file system of 1 MiB that goes away with the test. Only root may have one; else it is false.
class SmallDisk {
public:
    SmallDisk()
        : m_mounted(m_folder.isValid() && mount("polyad-test", m_folder.path().toUtf8().constData(), "tmpfs", 0, "size=1m") == 0)
    {
    }
    ~SmallDisk()
    {
        if (m_mounted)
            umount2(m_folder.path().toUtf8().constData(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    explicit operator bool() const { return m_mounted; }
    QString folder() const { return m_folder.path(); }

private:
    QTemporaryDir m_folder;
    bool m_mounted;
};

} // namespace test
