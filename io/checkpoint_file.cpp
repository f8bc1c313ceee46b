// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/checkpoint_file.h"

#include <fmt/format.h>

namespace io {
namespace {

/// A run goes on from its history: what it tells must be true of the file.
void check(const ModelFile& file, const std::string& path)
{
    const auto refuse = [&](const char* message, std::string found, std::string expected) {
        throw Error({message, path + " /metrics", std::move(found), std::move(expected), "Use an older checkpoint, or start a new run."});
    };
    if (file.history.empty())
        refuse("the checkpoint has no history", "0 iterations", "at least 1");
    for (std::size_t i = 0; i < file.history.size(); ++i)
        if (file.history[i].iteration != i + 1)
            refuse("the history has a gap", fmt::format("iteration {}", file.history[i].iteration), fmt::format("{}", i + 1));
    if (file.bestIteration < 1 || file.bestIteration > file.history.size())
        refuse("the best iteration is not in the history", fmt::format("{}", file.bestIteration),
               fmt::format("1 to {}", file.history.size()));
}

} // namespace

ModelFile readCheckpoint(const std::string& path, kernels::Progress* progress)
{
    ModelFile file = readModel(path, progress, ReadState::Yes);
    if (!file.state)
        throw Error({"is a model without the state of its run", path, "no group /state", "a checkpoint",
                     "A run goes on from a file written with --checkpoint; a model can be used, but not continued."});
    check(file, path);
    return file;
}

kernels::Checkpoint checkpointFrom(ModelFile&& file, std::string origin)
{
    kernels::Checkpoint checkpoint;
    checkpoint.origin = std::move(origin);
    SavedState& state = file.state.value();
    kernels::RunResult& soFar = checkpoint.soFar;
    soFar.config = std::move(file.config);
    soFar.best = std::move(file.model);
    soFar.bestIteration = file.bestIteration;
    soFar.history = std::move(file.history);
    soFar.trainEntries = file.input.trainEntries;
    soFar.testEntries = file.input.testEntries;
    checkpoint.solver = std::move(state.solver);
    checkpoint.seconds = state.seconds;
    checkpoint.trainChecksum = state.trainChecksum;
    checkpoint.testChecksum = state.testChecksum;
    return checkpoint;
}

SavedState stateFrom(kernels::Checkpoint&& checkpoint)
{
    return {std::move(checkpoint.solver), checkpoint.seconds, checkpoint.trainChecksum, checkpoint.testChecksum, {}};
}

} // namespace io
