// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/checkpoint_options.h"

#include "app/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace cli {

void CheckpointOptions::addTo(CLI::App& app)
{
    const char* const group = "Checkpoints";
    CLI::Option* const written =
        app.add_option("--checkpoint", file, "Keep the run here while it goes, so that it can go on after a crash, or longer than planned")
            ->type_name("FILE.h5")
            ->group(group);
    app.add_option("--checkpoint-every", every,
                   fmt::format("How often: a time (30s, 5min, 2h) or a number of iterations ({:.0f}s)", app::CheckpointPlan{}.seconds))
        ->type_name("T|N")
        ->needs(written)
        ->group(group);
    app.add_option("--resume", resume,
                   "Go on from this checkpoint, with its settings; options may change when the run ends, and where it runs")
        ->type_name("FILE.h5")
        ->group(group);
}

app::CheckpointPlan CheckpointOptions::plan() const
{
    app::CheckpointPlan plan;
    plan.file = file;
    if (every) {
        const Interval interval = parseInterval("--checkpoint-every", *every);
        plan.seconds = interval.seconds;
        plan.iterations = interval.count;
    }
    return plan;
}

} // namespace cli
