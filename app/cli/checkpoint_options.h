// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/checkpoint_writer.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace cli {

/// Hours of another run must not go to a forgotten option, nor a tensor to a wrong name. Throws kernels::Error where a checkpoint, a model
/// that has learnt since its run, or what is no model would be written over, and where `models` stay any model. The file that was gone on
/// from may be.
void refuseLosingRun(const char* option, const std::string& target, const std::string& goneOnFrom);

/// How a run survives its process, and which one it goes on from.
struct CheckpointOptions {
    std::string file, resume;
    std::optional<std::string> every;
    bool force = false;

    void addTo(CLI::App&);
    app::CheckpointPlan plan() const;
    /// A checkpoint is not written over a model either. The file that is resumed is of this run.
    void refuseLosing(const char* option, const std::string& target) const;
    /// Where the run was kept and when, a line; empty where this process kept nothing.
    std::string keptText(const app::KeptCheckpoint&) const;
};

} // namespace cli
