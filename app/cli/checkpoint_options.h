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

/// How a run survives its process, and which one it goes on from.
struct CheckpointOptions {
    std::string file, resume;
    std::optional<std::string> every;

    void addTo(CLI::App&);
    app::CheckpointPlan plan() const;
};

} // namespace cli
