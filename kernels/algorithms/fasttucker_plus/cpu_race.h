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

/// Calls body(item) for the items from begin to end, so many racers at a time, in steps between which control is asked. Each racer has a
/// part of a step to itself, whose rows stay in its cache where neighbours share them, and then helps with the others'.
template <class Body> void race(Count begin, Count end, Count perStep, unsigned racers, RunControl& control, const Body& body)
{
    for (Count first = begin; first < end; first += perStep) {
        control.checkpoint();
        const Count items = std::min(end - first, perStep);
        std::vector<std::atomic<Count>> next(racers); // of each part
        tbb::parallel_for(
            0U, racers,
            [&](unsigned racer) {
                for (unsigned p = 0; p < racers; ++p) {
                    const unsigned part = (racer + p) % racers;
                    const Count from = first + items * part / racers, to = first + items * (part + 1) / racers;
                    for (Count item = from + next[part]++; item < to && !control.stopRequested(); item = from + next[part]++)
                        body(item);
                }
            },
            tbb::simple_partitioner{});
    }
}

} // namespace kernels::fasttucker_plus
