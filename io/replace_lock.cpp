// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/replace_lock.h"

#include "io/open_file_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace io {
namespace {

/// Whether the path still leads to what was opened.
bool isStill(int descriptor, const std::string& path)
{
    struct stat opened {
    }, now{};
    return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &now) == 0 && opened.st_ino == now.st_ino && opened.st_dev == now.st_dev;
}

/// There all kinds of locks are one, and reading with HDF5, which takes one of its own, would be refused.
bool isOnShare(int descriptor)
{
    constexpr std::array<std::uint32_t, 4> shares{0x6969, 0x517B, 0xFF534D42, 0xFE534D42}; // NFS, and three of SMB
    struct statfs system { };
    return fstatfs(descriptor, &system) == 0
        && std::find(shares.begin(), shares.end(), static_cast<std::uint32_t>(system.f_type)) != shares.end();
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
        const bool locked = !isOnShare(m_descriptor) && lockOpenFile(m_descriptor);
        if (locked && isStill(m_descriptor, path))
            return;
        const bool isOthers = locked || errno == EAGAIN || errno == EACCES; // or another file has come to its place
        close(m_descriptor);
        m_descriptor = -1;
        if (!isOthers)
            return;
        if (!locked && !std::exchange(told, true))
            waits();
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
