// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"

#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace app {

/// The SHA-256 of a tensor's file. It costs a pass over the file, so whoever needs it first computes it, and once.
/// Thread-safe.
class FileChecksum {
public:
    /// Before the file is read: a file that is another one later has no checksum.
    explicit FileChecksum(std::string path);

    ~FileChecksum();

    /// Computes it on a thread of its own, so that get() need not wait, or not as long.
    void begin();
    /// When that was; nothing before it has ended.
    std::optional<kernels::StageTime> time() const;
    /// Blocks; throws io::Error for a file that changed or is gone, and kernels::Cancelled.
    std::string get(kernels::Progress&);
    bool isAsRead() const; ///< by size and time: the file is still the one it was

private:
    struct Stamp {
        std::uint64_t bytes = 0;
        std::int64_t seconds = 0, nanoseconds = 0;
        friend bool operator==(const Stamp&, const Stamp&) = default;
    };
    static Stamp stampOf(const std::string& path);

    std::string compute(kernels::Progress&) const;

    const std::string m_path;
    const Stamp m_stamp;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_atWork = false; ///< some thread is computing it
    std::string m_sum;
    std::optional<kernels::StageTime> m_time;
    kernels::Progress m_aside; ///< of the thread
    std::thread m_thread;
};

} // namespace app
