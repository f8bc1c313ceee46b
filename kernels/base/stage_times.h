// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// One row of a waterfall.
struct StageTime {
    using Clock = std::chrono::steady_clock;

    std::string name;
    Clock::time_point began; ///< for the first time
    double seconds = 0; ///< of all times together
    bool beside = false; ///< on a thread of its own, while other stages ran
};

/// Measures the stages of a job, which follow one another. A stage that comes back, as in a loop, adds to its first row.
/// Thread-safe.
class StageTimes {
public:
    /// Ends the stage before.
    void begin(std::string_view stage);
    void end();
    /// Ends the current stage. Returns all rows in the order they began, and forgets them.
    std::vector<StageTime> take();
    std::string current() const; ///< empty: none

private:
    void endLocked(StageTime::Clock::time_point now);

    mutable std::mutex m_mutex;
    std::vector<StageTime> m_stages;
    std::size_t m_current = none;
    StageTime::Clock::time_point m_currentBegan;

    static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

} // namespace kernels
