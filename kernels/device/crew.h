// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/device/meeting.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kernels {

/// Threads, one a member of a group, that do the same thing at the same time. The run's thread waits for them, and what it is asked for
/// meanwhile - pause, stop - they are told.
class Crew {
public:
    using Task = std::function<void(unsigned member, RunControl&)>;

    explicit Crew(unsigned size);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// Returns when all members are done with it. What one of them throws stops the others at their checkpoints and is thrown here: an
    /// error sooner than OtherRankFailed, and that sooner than Cancelled.
    void together(RunControl&, const Task&);
    /// Of a short task that no one can stop.
    void together(const std::function<void(unsigned member)>&);

    /// Within a task that all members come to the end of together or not at all: false for all where one has come with a problem.
    bool meet(bool well) { return m_meeting.meet(well); }

private:
    void work(unsigned member);
    void follow(RunControl&);
    void stopAll();

    std::mutex m_mutex;
    std::condition_variable m_begun, m_done;
    const Task* m_task = nullptr;
    unsigned m_round = 0, m_left = 0;
    bool m_ending = false;
    std::deque<RunControl> m_controls; ///< [member]: of this round
    std::vector<std::exception_ptr> m_problems; ///< [member]
    Meeting m_meeting;
    std::vector<std::thread> m_threads; // last: started when all else stands
};

} // namespace kernels
