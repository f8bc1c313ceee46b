// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/replace_lock.h"

#include "io/open_file_lock.h"

#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace io {
namespace {

/// Whether the path still leads to what was opened.
bool isStill(int descriptor, const std::string& path)
{
    struct stat opened { }, now { };
    return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &now) == 0 && opened.st_ino == now.st_ino && opened.st_dev == now.st_dev;
}

} // namespace

ReplaceLock::ReplaceLock(const std::string& path, const std::function<void()>& waits, kernels::Progress& progress)
{
    constexpr std::chrono::milliseconds again{20};
    bool told = false;
    while (true) {
        m_descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
        if (m_descriptor < 0)
            return;
        const bool locked = lockOpenFile(m_descriptor);
        if (locked && isStill(m_descriptor, path))
            return;
        const bool isOthers = locked || errno == EAGAIN || errno == EACCES;
        close(m_descriptor);
        m_descriptor = -1;
        if (!isOthers)
            return;
        if (locked)
            continue; // another file has come to its place
        if (!told)
            waits();
        told = true;
        std::this_thread::sleep_for(again);
        progress.throwIfCancelled();
    }
}

ReplaceLock::~ReplaceLock()
{
    if (m_descriptor >= 0)
        close(m_descriptor);
}

} // namespace io
