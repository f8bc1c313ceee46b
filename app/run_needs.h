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
    bool measured = false; ///< the time: from a run of the same kind and about the same work; else a guess
    double spread = 1; ///< the time may be so many times shorter or longer

    bool fits() const { return limit == 0 || bytes <= limit; }
};

kernels::ProblemShape shapeOf(const kernels::RunConfig&, const OpenTensor&);

/// What an iteration of a run took, kept for another thread.
struct MeasuredTime {
    kernels::RunConfig config;
    double entries = 0; ///< it was trained on
    double operations = 0; ///< of an iteration
    double seconds = 0; ///< of an iteration
};
/// Of the runs that went far enough to tell, newest first.
std::vector<MeasuredTime> measuredTimes(std::span<Run* const> runs);
/// None of a history that is too short to tell.
std::optional<MeasuredTime> measuredTime(const kernels::RunConfig&, const OpenTensor&, std::span<const kernels::IterationRecord> history);

/// free: of the device's memory; nothing where that is not known. known: what may be comparable; without such a run the time is a guess.
/// Throws what the registry's estimates throw.
RunNeeds needsOf(const kernels::RunConfig& resolved, const OpenTensor&, const kernels::DeviceInfo&, std::optional<std::uint64_t> free,
                 std::span<const MeasuredTime> known = {});

} // namespace app
