// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/old_entries.h"
#include "kernels/algorithms/ntf/online.h"
#include "kernels/base/error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// New entries for a finished model, the same for window and command line.
namespace app {

struct UpdateSettings {
    kernels::ntf::OnlineSettings online{kernels::ntf::OnlineRule::Ours, 1.0, 3};
    unsigned passes = 2; ///< at most, over old and new entries, where the old ones are at hand; their test entries judge them
    unsigned threads = 0;
    /// Of the passes, which several share. What a batch tells is the CPU's: it has learnt one before a GPU is started.
    std::vector<kernels::DeviceId> devices{kernels::DeviceId{}};
    bool otherwiseCpu = false; ///< where these lack the memory; else OutOfMemory
};
/// Devices as somebody named them (none: auto), for UpdateSettings. Throws kernels::Error for those that are not there or cannot be used.
std::vector<kernels::DeviceId> devicesForUpdates(std::vector<kernels::DeviceId>);

/// Entries that a model is to learn, numbered as its rows are.
struct Batch {
    kernels::SparseTensor entries; ///< its modes are those of the model afterwards
    std::vector<kernels::Index> newRows; ///< [mode]
    std::string fileName; ///< no folder
    std::string sha256; ///< of the file; empty: nobody asked
};

/// Labels find their rows where model and tensor have them, and new ones get new rows; else indices do. Throws kernels::Error for a
/// tensor of another order, one without entries, new rows whose labels are missing or not told apart, too many of them, and an index
/// far beyond all others (unless the sizes of the modes were declared).
Batch batchFor(const io::ModelFile&, const OpenTensor&);
/// No new entries: for passes over the old ones.
Batch noBatch(const io::ModelFile&);

/// The file as it is after the batch: its model, what later updates go on from, a row more of its history and of its updates. With the
/// old entries at hand passes over all of them follow. What it throws, Cancelled among it, leaves the file as it was.
io::UpdateRecord updateModel(io::ModelFile&, const Batch&, const UpdateSettings&, OldEntries*, kernels::RunControl&,
                             kernels::Progress* ofPasses = nullptr);

/// What is wrong with learning a batch whose file the model has learnt before, or was made from (the hint is the caller's); nothing
/// where it is new, or nobody knows its checksum.
std::optional<kernels::Error::Details> repetition(const io::ModelFile&, const Batch&);
/// Throws kernels::Error for such a batch.
void requireUnlearnt(const io::ModelFile&, const Batch&);

/// What a row of the history came of, with the errors of the batch's own entries; null: an iteration of the run.
const io::UpdateRecord* updateAt(const std::vector<io::UpdateRecord>&, std::uint64_t iteration);

/// Entries that came since all sums were exact, as a part of those they were taken from.
double driftOf(const io::ModelFile&);
/// From here on a pass over old entries is worth its time (docs/PERFORMANCE.md).
inline constexpr double worthAPass = 0.1;

} // namespace app
