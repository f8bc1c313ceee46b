// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/baseline_book.h"
#include "app/checkpoint_folder.h"
#include "app/device_watch.h"
#include "app/run_box.h"
#include "app/run_worker.h"
#include "app/session.h"
#include "app/telemetry_window.h"

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace app {

/// One export at work.
struct ExportJob {
    QString path;
    kernels::Progress checksum; ///< of the input: a whole pass over it, which nobody who closes the window waits for
    kernels::Progress writing;
    std::thread thread;
};

/// How it ended.
struct ExportEnd {
    std::vector<std::string> paths, warnings;
    QString failure; ///< empty: none
    bool cancelled = false;
};

/// The tensor of a run that has learnt files, with what it was made from in its present state.
OpenTensorPtr withBeginning(const OpenTensor& learnt, OpenTensorPtr beginning);
/// Of a run that is added to these.
int smallestFreeColor(const std::vector<Run*>&);

/// What session*.cpp share.
struct Session::Private {
    DeviceWatch devices;
    int lastTensorId = 0;
    int lastRunId = 0;
    std::set<int> waiting; ///< ids of the runs in a queue
    bool queuePaused = false;
    struct Aside {
        Run* run;
        std::size_t place; ///< in the list
    };
    std::vector<Aside> aside;
    std::vector<int> ended; ///< runs in the order of their ends
    std::uint64_t endBudget = std::uint64_t{1} << 30;
    struct Learning {
        const LoadJob* job;
        int runId;
        bool grows;
    };
    std::vector<Learning> learning; ///< files that are being added to runs
    struct LearntFile {
        QString path;
        std::shared_ptr<const FileChecksum> checksum;
    };
    std::map<int, std::vector<LearntFile>> learntFrom; ///< [run id] files that this session added, in their order
    std::map<int, int> brought; ///< ids in the session file that was opened last → runs
    TrainTestCache cache;
    BaselineBook baselines{cache};
    bool baselinesWanted = true;
    TelemetryHub telemetry;
    DeviceTurns turns;
    std::map<std::string, TelemetryWindow> telemetryWindows;
    std::list<ExportJob> exports;
    std::deque<std::pair<int, io::ModeNaming>> namings; ///< the first is at work
    BackgroundJob naming;
    std::unique_ptr<CheckpointFolder> checkpoints; ///< null: runs are not kept
    double checkpointSeconds = 0;
    std::thread search; ///< reads what other processes left
    kernels::Progress searchProgress;
    std::map<std::string, std::unique_ptr<RunWorker>> workers; // destroyed first: they use the members above

    bool grows(const Run& run) const
    {
        return std::any_of(learning.begin(), learning.end(), [&](const Learning& each) { return each.grows && each.runId == run.id(); });
    }

    RunWorker& worker(const kernels::DeviceId& device)
    {
        auto& entry = workers[kernels::toString(device)];
        if (!entry) {
            entry = std::make_unique<RunWorker>(cache, telemetry, turns);
            entry->waiting().pause(queuePaused);
        }
        return *entry;
    }
};

} // namespace app
