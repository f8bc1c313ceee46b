// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/base/stopwatch.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace kernels {

/// Stops a run whose iteration lasts longer than it may, in the way a person does: by its RunControl, which every solver looks at.
/// Pauses do not count. One thread for all iterations; none while nothing was ever limited.
class TimeLimit {
public:
    explicit TimeLimit(RunControl&);
    ~TimeLimit();
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

    /// While it lives the run is stopped so many seconds from now.
    class Guard {
    public:
        Guard(TimeLimit&, double seconds);
        ~Guard();
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

    private:
        TimeLimit& m_limit;
    };

    bool passed() const { return m_passed; } ///< the stop was this one's

private:
    void watch();

    struct Watched {
        Stopwatch since;
        double seconds;
    };

    RunControl& m_control;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::optional<Watched> m_watched;
    bool m_over = false;
    std::atomic<bool> m_passed{false};
    std::thread m_thread;
};

} // namespace kernels
