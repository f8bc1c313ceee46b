// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/stage_times.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace kernels {

/// Pause, resume and stop of one run. Any thread may ask; the run's own thread obeys at
/// checkpoint(), which solvers call between iterations and between batches of at most some 100 ms.
class RunControl {
public:
    void pause();
    void resume();
    void stop(); ///< final; also wakes a paused run

    /// A stop that counts now: within the grace it does not yet.
    bool stopRequested() const noexcept { return m_stop.load(std::memory_order_acquire) && graceIsOver(); }
    bool pauseRequested() const noexcept { return m_pause.load(std::memory_order_relaxed); }
    /// Cheap enough for inner loops of worker threads: somebody waits for this run to look up.
    bool attentionWanted() const noexcept { return stopRequested() || (pauseRequested() && !m_stop.load()); }

    /// How long after it was asked for a stop counts, so that what is quickly done can be done first. 0: at once. The
    /// run's thread only; to be shortened or ended, never prolonged, once a stop was seen.
    void setGrace(std::chrono::nanoseconds grace) noexcept { m_grace.store(grace.count()); }

    /// Called by the run's thread only. Waits while paused, throws Cancelled when stopped.
    void checkpoint();
    /// How often it was called so far: tests hold long steps to it. The run's thread only.
    std::uint64_t checkpoints() const noexcept { return m_checkpoints; }

    /// The run's thread begins a stage; waiting while paused is a stage of its own.
    void stage(std::string_view name) { m_times.begin(name); }
    StageTimes& times() noexcept { return m_times; }

    /// Seconds spent waiting inside checkpoint(); the run's clock leaves them out.
    double pausedSeconds() const;
    /// True while the run's thread really waits (not merely asked to).
    bool isPaused() const noexcept { return m_waiting.load(std::memory_order_relaxed); }

private:
    using Clock = std::chrono::steady_clock;

    bool graceIsOver() const noexcept
    {
        const std::int64_t grace = m_grace.load(std::memory_order_relaxed);
        return grace == 0 || std::chrono::nanoseconds(Clock::now().time_since_epoch()).count() - m_stopAsked.load() >= grace;
    }

    std::atomic<bool> m_stop{false};
    std::atomic<std::int64_t> m_stopAsked{0}, m_grace{0}; ///< in nanoseconds, as the clock counts them
    std::atomic<bool> m_pause{false};
    std::atomic<bool> m_waiting{false};
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    double m_pausedSeconds = 0;
    std::uint64_t m_checkpoints = 0;
    StageTimes m_times;
};

} // namespace kernels
