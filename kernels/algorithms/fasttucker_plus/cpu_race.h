// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/base/types.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace kernels::fasttucker_plus {

/// Calls body(item) for all items, so many racers at a time, in steps between which control is asked. Each racer has a part of
/// a step to itself, whose rows stay in its cache where neighbours share them, and then helps with the others'.
template <class Body> void race(Count count, Count perStep, unsigned racers, RunControl& control, const Body& body)
{
    for (Count first = 0; first < count; first += perStep) {
        control.checkpoint();
        const Count items = std::min(count - first, perStep);
        std::vector<std::atomic<Count>> next(racers); // of each part
        tbb::parallel_for(
            0U, racers,
            [&](unsigned racer) {
                for (unsigned p = 0; p < racers; ++p) {
                    const unsigned part = (racer + p) % racers;
                    const Count begin = items * part / racers, end = items * (part + 1) / racers;
                    for (Count item = begin + next[part]++; item < end && !control.stopRequested(); item = begin + next[part]++)
                        body(first + item);
                }
            },
            tbb::simple_partitioner{});
    }
}

} // namespace kernels::fasttucker_plus
