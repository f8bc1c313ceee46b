// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/device_turns.h"
#include "app/run_box.h"
#include "app/waiting_runs.h"

#include <memory>
#include <mutex>
#include <thread>

namespace app {

/// One thread that does the runs of one device, one after the other. A run on several devices belongs to the first of them,
/// and begins when all of them are free.
class RunWorker {
public:
    RunWorker(TrainTestCache&, TelemetryHub&, DeviceTurns&); ///< all must outlive the worker
    ~RunWorker(); ///< stops the run at work, drops the queue, joins
    RunWorker(const RunWorker&) = delete;
    RunWorker& operator=(const RunWorker&) = delete;

    WaitingRuns& waiting() { return m_waiting; }
    void shutDown(); ///< asks for what the destructor waits for

private:
    void loop();
    std::shared_ptr<RunBox> next();
    void work(RunBox&);
    bool isInterrupted(const RunBox&, RunBox::Phase end);
    void openTelemetry(RunBox&);

    TrainTestCache& m_cache;
    TelemetryHub& m_telemetry;
    DeviceTurns& m_turns;
    std::mutex m_mutex; ///< of m_current and m_ending
    WaitingRuns m_waiting;
    std::shared_ptr<RunBox> m_current;
    bool m_ending = false;
    std::thread m_thread; // last: started when all else stands
};

} // namespace app
