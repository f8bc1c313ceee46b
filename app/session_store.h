// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run.h"
#include "io/session_file.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Between the window's runs and a session file.

namespace app {

/// A run as it stands, taken on the window's thread: everything large is shared.
struct RunSnapshot {
    int id = 0;
    QString name, note, error;
    int color = 0;
    bool visible = true;
    RunState state = RunState::Finished;
    kernels::RunConfig config;
    std::vector<kernels::IterationRecord> history; ///< of a run without an outcome
    RunRecord record; ///< the outcome may be null
    std::uint64_t bestIteration = 0; ///< of a run that a session brings: what a walk through its history found
    double bestWatched = 0;
    double workedSeconds = 0; ///< at work; of a file that does not tell: all that its iterations took
};

struct SessionSnapshot {
    std::vector<OpenTensorPtr> tensors;
    std::vector<RunSnapshot> runs;
    std::string window; ///< JSON
};

/// On any thread.
io::SessionRun toSessionRun(const RunSnapshot&);
/// On any thread. A tensor that only a run has left is in it, too.
io::SessionFile toSessionFile(const SessionSnapshot&);

/// What a session file brings, made ready on any thread: a night's runs have millions of iterations.
struct SessionContent {
    struct Tensor {
        std::uint64_t idInFile = 0;
        std::shared_ptr<OpenTensor> tensor; ///< sizes, names and labels until it is open again, or instead; its id is the session's to give
    };
    struct KeptRun {
        int idInFile = 0;
        QString name;
        std::optional<RunSnapshot> run; ///< none: left out
        QString refusal; ///< why
    };

    std::string window;
    std::vector<Tensor> tensors;
    std::vector<KeptRun> runs;
};

SessionContent fromSessionFile(io::SessionFile&&);
/// A run of it. Throws kernels::Error for an algorithm that is not there.
RunSnapshot snapshotOf(io::SessionRun&&, const OpenTensorPtr&);
/// Sizes, names and labels of a tensor whose entries are not here. modes: those of its runs; empty: none.
std::shared_ptr<OpenTensor> absentTensor(const io::SessionTensor&, const std::vector<kernels::Mode>& modes);

} // namespace app
