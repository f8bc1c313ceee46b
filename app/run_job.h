// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/checkpoint_writer.h"
#include "app/open_tensor.h"
#include "app/run_end.h"
#include "app/train_test.h"
#include "io/exports/export_model.h"
#include "io/model_file.h"
#include "kernels/base/run.h"
#include "kernels/operations/baselines.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace app {

/// What a finished or stopped run leaves: immutable, shared.
struct RunOutcome {
    kernels::RunResult result;
    kernels::Array<kernels::Count> testPositions; ///< random splits
    kernels::Count entries = 0;
    std::optional<kernels::Baselines> baselines; ///< where RunSafety::measuresBaselines asked for them
    std::string log; ///< lines for the model file
    std::vector<kernels::StageTime> stages; ///< of splitting, running and judging
    KeptCheckpoint checkpoint; ///< as the run left it
    std::shared_ptr<const RunEnd>
        end; ///< where RunSafety::keepsEnd asked for it; as large as a model, so whoever takes the outcome takes it out
};

using TimePoint = std::chrono::system_clock::time_point;

/// A run as a checkpoint file has it.
struct SavedRun {
    kernels::Checkpoint checkpoint;
    TimePoint started;
    std::string fileName; ///< of its tensor, no folder
    std::string source; ///< how the window opens that again
};
/// Throws io::Error, also for a model that is no checkpoint.
std::shared_ptr<const SavedRun> readSavedRun(const std::string& path, kernels::Progress* = nullptr);

/// How a run outlives its process: the checkpoints it writes, and the one it goes on from.
struct RunSafety {
    CheckpointPlan plan;
    CheckpointWriter::Warn warn; ///< on the run's thread; needed with a plan
    std::shared_ptr<const SavedRun> from; ///< null: from the start
    TimePoint started = std::chrono::system_clock::now(); ///< of the run, for the file
    std::string source; ///< referenceTo() its tensor where the window may want it back
    bool keepsEnd = false; ///< in memory, so that the run can be continued
    bool endsProgram = false; ///< nothing follows the run but writing its files
    bool measuresBaselines = false; ///< after its end; a cancelled preparation leaves them out
};

/// Checks a config for a tensor and completes it: the engine's resolve() and effectiveSplit(). With a checkpoint to go
/// on from: that it is of this tensor, by its sizes, and of these settings.
kernels::RunConfig resolveFor(const kernels::RunConfig&, const OpenTensor&, const SavedRun* from = nullptr);

/// Split and run, the same for window and command line; blocks. The config must be resolveFor()'s.
/// Throws kernels::Error, and kernels::Cancelled for a stop before there was anything to keep.
RunOutcome executeRun(const kernels::RunConfig&, const OpenTensorPtr&, TrainTestCache&, kernels::RunObserver&, kernels::RunControl&,
                      kernels::Progress& preparation, const RunSafety& = {});

/// A checkpoint of where a run ended. Throws kernels::Error.
void writeEnd(const std::string& file, const RunEnd&, const RunOutcome&, const OpenTensorPtr&, const RunSafety&);

/// The number "best" and early stopping watch: test RMSE, else train RMSE; fit (negated) for all-entries algorithms.
/// Smaller is better; NaN where it was not measured.
double watchedNumber(const kernels::IterationRecord&, kernels::Objective);

/// What a model file is made of. The large things are shared: cheap to copy, and right on any thread.
struct RunRecord {
    std::shared_ptr<const RunOutcome> outcome;
    OpenTensorPtr tensor;
    std::vector<io::TelemetrySeries> telemetry;
    TimePoint started, finished;
    std::string command;
    std::shared_ptr<const io::ModelFile> described = {}; ///< of a run that a session brought: as it was told then, without its model
    std::vector<std::string> componentNames = {}; ///< empty, or one a component of the model
    std::optional<kernels::Baselines> baselines = {}; ///< where they were measured beside the run
};

/// Everything the model file tells of a run but the model itself, which stays in the outcome, and the input's SHA-256,
/// which costs a pass over the file.
io::ModelFile describeRun(const RunRecord&);

/// Writes a run's best model in one of the kinds there are; blocks. Returns the paths. When `checksum` is cancelled a model
/// file is written without the input's SHA-256.
std::vector<std::string> exportRecord(const io::ExportKind&, const RunRecord&, const std::string& path, kernels::Progress& checksum,
                                      kernels::Progress& writing);

} // namespace app
