// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/entry_order.h"
#include "kernels/base/registry.h"

namespace kernels::fasttucker_plus {

constexpr const char* algorithmId = "fasttucker-plus";

/// The parameters as numbers.
struct Settings {
    double rateA = 0, rateB = 0, decay = 0, lambdaA = 0, lambdaB = 0;
    bool nonnegative = false, relative = true, paperStart = false, steepStart = false;
    double noise = 0, modeBalance = 0, hotRowCap = 0;
    Count batch = 0;
    bool onTensorCores = false; ///< products
    bool fused = true; ///< core-gradient
    Ordering ordering;
    bool ownOrder = true; ///< entry-order is auto: a variant may arrange entries as it likes
};
Settings settingsOf(const RunConfig&);

/// Whether these runs may have their entries arranged: neither clipping nor deterministic mode nor an order that someone names;
/// parameters that are not given are the schema's defaults.
bool canArrange(const RunConfig&);
/// Whether products of these runs are on tensor cores, where the passes have them there: tf32, fp16 and bf16 always, fp64 where it is
/// asked for, fp32 also where its three products of tf32 parts are faster than CUDA cores.
bool onTensorCores(const RunConfig&);
std::string nameOf(EntryOrder); ///< value of entry-order
/// Shuffled where the parameters do not say.
Ordering orderingOf(const RunConfig&);
/// Whether the variant grouped keeps rows in fp16 on a GPU that has so many entries: by itself from order 4 on; of three modes where rows
/// of up to 16 columns in fp32 would not stay in an L2 of 50 to 60 MB, or where L2 adds to so many rows an entry that it binds; elsewhere
/// sums are exact at no cost. shares: per mode and row.
bool keepsNarrowRows(const RunConfig&, const std::vector<std::vector<float>>& shares, Count entries);

std::vector<ParameterSpec> parameterSchema();
std::vector<AlgorithmPreset> presets();

/// Entries a batch of deterministic mode: what was asked for, else so few that the hottest row (with this share of all entries) is
/// expected in one of them, or, where that makes more than 512 batches, in at most 16.
Count batchEntries(const Settings&, double largestShare, Count entries);

MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);
/// Of the CPU: throws OutOfMemory where a run was allowed less than it needs. What the machine has left was asked before the start
/// was drawn.
struct Problem;
void requireWithinLimit(const Problem&, Precision);
double flopsPerIteration(const RunConfig&, const ProblemShape&);
double bytesPerIteration(const RunConfig&, const ProblemShape&);
std::string divergenceHint(const RunConfig&);

std::unique_ptr<Solver> makeSolver(const SolverInput&);

} // namespace kernels::fasttucker_plus
