// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/checkpoint_options.h"

#include "app/cli/arguments.h"
#include "io/file_format.h"
#include "io/file_updates.h"
#include "io/finish_load.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

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
    app.add_flag("--force", force, "Write also over a file that is there already, which is refused otherwise")->group(group);
}

namespace {

/// What no run brings back.
std::string learntText(const std::optional<std::vector<io::UpdateRecord>>& updates)
{
    if (!updates)
        return "a model that has learnt what cannot be read here";
    const auto batches = std::count_if(updates->begin(), updates->end(), [](const io::UpdateRecord& each) { return each.entries > 0; });
    return batches > 0 ? fmt::format("a model that has learnt {}", io::counted(static_cast<kernels::Count>(batches), "batch", "batches"))
                       : "a model that has had passes over all entries";
}

} // namespace

void refuseLosingRun(const char* option, const std::string& target, const std::string& goneOnFrom)
{
    std::error_code ignored;
    if (target.empty() || std::filesystem::equivalent(target, goneOnFrom, ignored) || std::filesystem::is_empty(target, ignored)
        || !std::filesystem::is_regular_file(target, ignored))
        return;
    const bool checkpoint = io::isCheckpointFile(target), model = io::isModelFile(target);
    const auto updates = io::updatesOfFile(target);
    const bool hasLearnt = !updates || !updates->empty();
    const std::string what = checkpoint ? "the checkpoint of another run"
        : hasLearnt                     ? learntText(updates) + " since its run, and would be lost"
        : model                         ? "a finished model, and would be lost"
                                        : "no model, and would be lost";
    const std::string goOn = checkpoint ? fmt::format("Go on with that run (--resume {}), choose", target) : "Choose";
    throw kernels::Error(
        kernels::ErrorKind::BadArgument,
        {"this file is " + what, fmt::format("{} {}", option, target), {}, {}, goOn + " another name, or write over it with --force."});
}

void CheckpointOptions::refuseLosing(const char* option, const std::string& target) const
{
    if (!force)
        refuseLosingRun(option, target, resume);
}

std::string CheckpointOptions::keptText(const app::KeptCheckpoint& kept) const
{
    if (kept.iteration == 0)
        return {};
    const std::tm local = fmt::localtime(std::chrono::system_clock::to_time_t(kept.written));
    return fmt::format("wrote {}: checkpoint after iteration {} at {:%Y-%m-%d %H:%M:%S}; --resume {} goes on from it\n", file,
                       kept.iteration, local, file);
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
