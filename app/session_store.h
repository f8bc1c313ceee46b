// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run.h"
#include "io/session_file.h"

#include <memory>
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
};

struct SessionSnapshot {
    std::vector<OpenTensorPtr> tensors;
    std::vector<RunSnapshot> runs;
    std::string window; ///< JSON
};

/// On any thread. A tensor that only a run has left is in it, too.
io::SessionFile toSessionFile(const SessionSnapshot&);

/// What the window shows of a tensor until it is open again, or instead: sizes, names and labels without entries.
OpenTensorPtr absentTensor(const io::SessionTensor&, const std::vector<kernels::Mode>&, int id);

/// A run of a session file, on any thread. Throws kernels::Error for an algorithm that is not there.
RunSnapshot fromSessionRun(io::SessionRun&&, const OpenTensorPtr&);

} // namespace app
