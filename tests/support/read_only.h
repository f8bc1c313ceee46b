// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <sys/mount.h>

namespace test {

/// A folder that nobody can write in, not even root, until open() or the end. Only root may make one; else it is false.
/// A mount of the folder over itself: files that are open below it stay writable, and do not keep it from being shut.
class ReadOnly {
public:
    explicit ReadOnly(const QString& folder)
        : m_folder(folder.toUtf8())
        , m_shut(mount(m_folder.constData(), m_folder.constData(), nullptr, MS_BIND, nullptr) == 0)
    {
        if (m_shut && mount(nullptr, m_folder.constData(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0)
            open();
    }
    ~ReadOnly() { open(); }
    ReadOnly(const ReadOnly&) = delete;
    ReadOnly& operator=(const ReadOnly&) = delete;

    explicit operator bool() const { return m_shut; }
    void open() const
    {
        if (m_shut)
            umount2(m_folder.constData(), MNT_DETACH);
        m_shut = false;
    }

private:
    QByteArray m_folder;
    mutable bool m_shut;
};

} // namespace test
