// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/device/device_list.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace app {

class Run;

/// What a run will need, as far as that can be told before it starts.
struct RunNeeds {
    std::uint64_t bytes = 0; ///< of its device's memory, at most at once; 0: not known
    std::uint64_t limit = 0; ///< what it may take; 0: not known
    bool limitIsFree = false; ///< free a moment ago, or chosen by the person; else all that the device has
    double secondsPerIteration = 0; ///< 0: not known
    bool measured = false; ///< the time: from runs of the same kind; else a guess

    bool fits() const { return limit == 0 || bytes <= limit; }
};

kernels::ProblemShape shapeOf(const kernels::RunConfig&, const OpenTensor&);

/// Operations per second of a run that went through this history; 0: too short to tell.
double measuredSpeed(const kernels::RunConfig&, const OpenTensor&, std::span<const kernels::IterationRecord> history);
/// Of the newest of these runs that is comparable: the same method on the same device; 0: there is none.
double measuredSpeed(const kernels::RunConfig&, std::span<Run* const> runs);

/// The same kept for another thread: of each method the newest run that tells.
struct KnownSpeed {
    kernels::RunConfig config;
    double operationsPerSecond = 0;
};
std::vector<KnownSpeed> knownSpeeds(std::span<Run* const> runs);
double measuredSpeed(const kernels::RunConfig&, const std::vector<KnownSpeed>&); ///< 0: none is comparable

/// free: of the device's memory; nothing where that is not known. speed: operations per second that were measured, 0: take a guess.
/// Throws what the registry's estimates throw.
RunNeeds needsOf(const kernels::RunConfig& resolved, const OpenTensor&, const kernels::DeviceInfo&, std::optional<std::uint64_t> free,
                 double speed = 0);

} // namespace app
