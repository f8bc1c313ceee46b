// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"

#include <string_view>

namespace kernels::fasttucker_plus {
struct Problem;
}

namespace kernels::fastertucker {

constexpr const char* algorithmId = "fastertucker";

/// Which entries are worked on together in a factor pass.
enum class Variant {
    Coo, ///< those of a row, in a random order
    BcsfReuse, ///< those of a fibre, leaf after leaf, w and d for each
    Full ///< the same, w and d once a fibre
};
Variant variantOf(std::string_view id);

/// Entries of a row that see it as it stood before the first of them, on the CPU counted from where the row begins. On a GPU, and in
/// deterministic mode, where the batch takes its place, tiles are counted from the mode's first entry: a row's first may be shorter.
constexpr Count tileEntries = 16;

/// Sums of a gradient that the CPU's threads share out and that are added in order, whatever the number of threads.
constexpr Count gradientLanes(Count entries) { return entries < 65536 ? 1 + entries / 1024 : 64; }

/// Entries of one row that a GPU's group of lanes takes, at most: as many leaves as a balanced tree's fibre has, fewer where
/// entries are few for all the groups at work.
constexpr std::uint32_t chunkEntries(Count entries)
{
    const Count fitting = (entries >> 19) / 16 * 16;
    return static_cast<std::uint32_t>(fitting < 32 ? 32 : fitting > 128 ? 128 : fitting);
}

/// The same in deterministic mode, where the pieces of a row go one after another; rounded to whole batches.
constexpr std::uint32_t wholeRowEntries = 32768;

/// Blocks of a GPU that share out the sum of a gradient.
constexpr unsigned outerBlocks = 528;

MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);
/// As a back end asks it before it loads a problem.
MemoryUse memoryOf(const fasttucker_plus::Problem&, Precision, const DeviceId&);
/// Of the CPU: throws OutOfMemory where a run was allowed less than it needs.
void requireWithinLimit(const fasttucker_plus::Problem&, Precision);

} // namespace kernels::fastertucker
