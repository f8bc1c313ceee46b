// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_job.h"
#include "app/telemetry_hub.h"
#include "kernels/base/progress.h"
#include "kernels/base/run_control.h"

#include <QString>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace app {

/// What a Run (window's thread) and the worker that does it share; outlives whichever ends first.
struct RunBox {
    enum class Phase { Queued, Preparing, Running, Finished, Stopped, Failed };

    RunBox(kernels::RunConfig resolved, OpenTensorPtr of)
        : config(std::move(resolved))
        , tensor(std::move(of))
    {
    }

    const kernels::RunConfig config;
    const OpenTensorPtr tensor;
    RunSafety safety; ///< set before the run is queued; then the worker's
    bool historyIsKnown = false; ///< of a run that goes on: to the Run that it is the box of; likewise
    kernels::RunControl control;
    kernels::Progress preparation; ///< of the split; cancelled by a stop
    std::atomic<bool> interrupted = false; ///< it is stopped because the program ends: set before the stop

    /// Guards everything below; held for moments only.
    std::mutex mutex;
    Phase phase = Phase::Queued;
    std::vector<kernels::IterationRecord> fresh; ///< not yet taken by poll()
    std::vector<TelemetryRecorder> recorders; ///< one per device with a source
    std::shared_ptr<const RunOutcome> outcome;
    std::shared_ptr<const RunEnd> end;
    bool keptForLater = false; ///< of an interrupted run: a file has what it goes on from
    QString error;
    std::vector<QString> warnings; ///< not yet taken by poll()
    std::chrono::steady_clock::time_point began, ended;
    TimePoint started, finished;

    void stop()
    {
        control.stop();
        preparation.cancel();
    }

    /// The same, and whether the run had not begun yet: then it never will. The worker decides under the mutex, too.
    bool stopUnlessBegun()
    {
        const std::lock_guard lock(mutex);
        stop();
        return phase == Phase::Queued;
    }
};

} // namespace app
