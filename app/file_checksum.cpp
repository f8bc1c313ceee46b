// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/file_checksum.h"

#include "io/error.h"
#include "io/file_format.h"

#include <sys/stat.h>

#include <chrono>

namespace app {

FileChecksum::FileChecksum(std::string path)
    : m_path(std::move(path))
    , m_stamp(stampOf(m_path))
{
}

FileChecksum::Stamp FileChecksum::stampOf(const std::string& path)
{
    struct stat info { };
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) // a pipe has a time only while it is read
        return {};
    return {static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

bool FileChecksum::isAsRead() const { return stampOf(m_path) == m_stamp; }

FileChecksum::~FileChecksum()
{
    m_aside.cancel();
    if (m_thread.joinable())
        m_thread.join();
}

void FileChecksum::begin()
{
    const std::lock_guard lock(m_mutex);
    if (m_stamp == Stamp{} || m_thread.joinable())
        return;
    m_thread = std::thread([this] {
        const auto began = kernels::StageTime::Clock::now();
        try {
            (void)get(m_aside);
        } catch (const std::exception&) { // get() says it to who asks
            return;
        } catch (const kernels::Cancelled&) {
            return;
        }
        const std::lock_guard lock(m_mutex);
        m_time = {"checksum", began, std::chrono::duration<double>(kernels::StageTime::Clock::now() - began).count(), true};
    });
}

std::optional<kernels::StageTime> FileChecksum::time() const
{
    const std::lock_guard lock(m_mutex);
    return m_time;
}

std::string FileChecksum::compute(kernels::Progress& progress) const
{
    const auto refuseAnother = [this] {
        if (!isAsRead())
            throw io::Error({"has changed since it was read", m_path, {}, {}, {}});
    };
    refuseAnother();
    std::string sum = io::sha256OfFile(m_path, progress);
    refuseAnother();
    return sum;
}

std::string FileChecksum::get(kernels::Progress& progress)
{
    std::unique_lock lock(m_mutex);
    while (m_atWork) { // wake now and then to see a cancel
        m_changed.wait_for(lock, std::chrono::milliseconds(50));
        progress.throwIfCancelled();
    }
    if (!m_sum.empty())
        return m_sum;
    m_atWork = true;
    lock.unlock();
    std::string sum;
    try {
        sum = compute(progress);
    } catch (...) {
        lock.lock();
        m_atWork = false;
        m_changed.notify_all();
        throw;
    }
    lock.lock();
    m_atWork = false;
    m_sum = sum;
    m_changed.notify_all();
    return sum;
}

} // namespace app
