// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/error.h"
#include "io/table/recipe.h"
#include "kernels/base/progress.h"
#include "kernels/base/run.h"
#include "kernels/operations/baselines.h"
#include "kernels/telemetry/telemetry.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace io {

/// Where a run's data came from: /input of the model file.
struct InputDescription {
    std::string fileName; ///< no folder
    std::string sha256; ///< empty for generated tensors
    std::string layout, indexBase;
    std::optional<table::Recipe> recipe; ///< that made it of a table
    kernels::EmptyCells emptyCells = kernels::EmptyCells::Unsaid;
    std::vector<kernels::Index> dims;
    kernels::Count entries = 0, trainEntries = 0, testEntries = 0;
    double valueMin = 0, valueMax = 0, valueMean = 0;
    kernels::Array<kernels::Count> testPositions; ///< random splits only
};

struct TelemetrySeries {
    kernels::telemetry::SourceInfo info;
    std::vector<kernels::telemetry::Sample> samples;
};

/// /state: what a run needs besides to go on. The file is a checkpoint then.
struct SavedState {
    kernels::SolverState solver; ///< of the last iteration; the model is the best one's
    double seconds = 0; ///< since the run's start
    std::uint64_t trainChecksum = 0, testChecksum = 0;
    std::string source; ///< how the window opens the tensor again, as JSON; may be empty
};

/// A batch of entries that a model was given after its run: a row of /updates. Its row of the history has the same iteration.
struct UpdateRecord {
    std::uint64_t iteration = 0;
    kernels::Count entries = 0;
    kernels::Count newRows = 0; ///< of all modes together
    double weight = 1;
    std::uint64_t steps = 0;
    bool paperRule = false;
    std::uint64_t passes = 0; ///< over all entries, old and new; their sums are exact then
    double seconds = 0;
    double rmseBefore = kernels::notMeasured; ///< of those of its entries whose rows were known
    double rmseAfter = kernels::notMeasured; ///< of all of its own entries, as everything that is measured here
    std::string fileName; ///< no folder
    std::string finishedUtc;
    std::uint64_t sumsAnew = 0; ///< 1: all sums were taken from all entries afterwards, with or without passes
    std::string sha256; ///< of the file; empty: not known
    double maeAfter = kernels::notMeasured;
    double divergenceAfter = kernels::notMeasured; ///< mean of its entries; not measured where passes followed

    /// Its row of the history tells of the training entries then; else it does not.
    bool sawAllEntries() const { return passes > 0 || sumsAnew > 0; }
};

/// All a model file holds (FORMATS section 4), independent of HDF5.
struct ModelFile {
    kernels::Model model;
    kernels::Objective objective = kernels::Objective::Observed;
    kernels::RunConfig config;
    std::string equation;
    std::uint64_t bestIteration = 0;
    std::vector<kernels::IterationRecord> history;
    std::vector<TelemetrySeries> telemetry;
    std::string status = "finished", stopReason; ///< finished | stopped | failed; of a checkpoint: running
    std::string startedUtc, finishedUtc;
    kernels::MemoryUse memory; ///< at most, beside the tensor; zeros: not known
    std::string environment, command, log;
    InputDescription input;
    std::vector<kernels::Mode> modes; ///< names and labels
    std::vector<std::string> componentNames; ///< as a person gave them: none, or kernels::componentCount() of which some may be empty
    std::optional<SavedState> state; ///< checkpoints only
    std::shared_ptr<const kernels::SolverState> kept; ///< kernels::RunResult::kept; null: none, or not asked for
    std::vector<UpdateRecord> updates; ///< in their order
    std::optional<kernels::Baselines> baselines; ///< none: not measured
};

void writeModel(const std::string& path, const ModelFile&, kernels::Progress* = nullptr);
/// With a model that is kept elsewhere; the ModelFile's own is not looked at.
void writeModel(const std::string& path, const ModelFile&, const kernels::Model&, kernels::Progress* = nullptr);
/// The state costs as much memory as the model again, what was kept twice that: only who goes on with the run or the model wants it.
enum class ReadState { No, KeptIfWhole, Kept, Yes };
/// HDF5 as written here, or a ktensor as text: then a CP model whose run nobody knows (config.algorithm is empty).
ModelFile readModel(const std::string& path, kernels::Progress* = nullptr, ReadState = ReadState::No);

} // namespace io
