// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"
#include "kernels/base/run_control.h"

#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

/// Stops in the middle of work, timed by what this process itself used of processors: what else a machine does counts for nothing.
namespace test {

/// Seconds: the promise to users; a sanitizer's program does the same work ten times as slowly.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr double longestStop = 5;
#else
constexpr double longestStop = 0.5;
#endif

/// Of all threads of this process.
inline double processorSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The most processors may do in that time, all at work.
inline double onAllProcessors(double seconds) { return seconds * tbb::this_task_arena::max_concurrency(); }

struct Stopped {
    bool early = false; ///< it left by Cancelled
    double processorSeconds = 0; ///< from the stop to its end
};

/// work(control), stopped when it used so many processor seconds.
template <class Work> Stopped stopAfter(double seconds, const Work& work)
{
    kernels::RunControl control;
    std::atomic<bool> ended{false};
    std::atomic<double> asked{0};
    const double begin = processorSeconds();
    std::thread stopper([&] {
        while (!ended && processorSeconds() - begin < seconds)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        asked = processorSeconds();
        control.stop();
    });
    Stopped result;
    try {
        work(control);
    } catch (const kernels::Cancelled&) {
        result.early = true;
    }
    result.processorSeconds = processorSeconds();
    ended = true;
    stopper.join();
    result.processorSeconds -= asked;
    return result;
}

/// The best of several stops: a stopper's thread may come late on a busy machine.
template <class Work> Stopped bestStopAfter(double seconds, double enough, const Work& work)
{
    Stopped best;
    for (int attempt = 0; attempt < 5 && !(best.early && best.processorSeconds < enough); ++attempt) {
        const Stopped stopped = stopAfter(seconds, work);
        if (stopped.early && (!best.early || stopped.processorSeconds < best.processorSeconds))
            best = stopped;
    }
    return best;
}

} // namespace test
