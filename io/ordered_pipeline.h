// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <tbb/concurrent_queue.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace io {

/// take(slot) → false at the end; work(slot) in parallel; give(slot); store(slot) in parallel. take and give run one at a time and in
/// order. Slots are used again, so their buffers are too, and they are owned here: a pipeline that an exception
/// ends drops its tokens without destroying them. mostSlots: fewer where slots are large.
template <class Slot, class Take, class Work, class Give, class Store>
void runInOrder(const Take& take, const Work& work, const Give& give, const Store& store,
                std::size_t mostSlots = static_cast<std::size_t>(-1))
{
    const auto inFlight = std::min(mostSlots, 2 * static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency())));
    std::vector<Slot> slots(inFlight);
    tbb::concurrent_queue<Slot*> unused;
    for (Slot& slot : slots)
        unused.push(&slot);
    const auto taken = [&](tbb::flow_control& control) -> Slot* {
        Slot* slot = nullptr;
        unused.try_pop(slot); // there is one: no more tokens than slots are in flight
        if (!take(*slot)) {
            control.stop();
            return nullptr;
        }
        return slot;
    };
    const auto worked = [&](Slot* slot) {
        work(*slot);
        return slot;
    };
    const auto given = [&](Slot* slot) {
        give(*slot);
        return slot;
    };
    const auto stored = [&](Slot* slot) {
        store(*slot);
        unused.push(slot);
    };
    tbb::parallel_pipeline(inFlight,
                           tbb::make_filter<void, Slot*>(tbb::filter_mode::serial_in_order, taken)
                               & tbb::make_filter<Slot*, Slot*>(tbb::filter_mode::parallel, worked)
                               & tbb::make_filter<Slot*, Slot*>(tbb::filter_mode::serial_in_order, given)
                               & tbb::make_filter<Slot*, void>(tbb::filter_mode::parallel, stored));
}

/// Where nothing is left to store.
template <class Slot, class Take, class Work, class Give> void runInOrder(const Take& take, const Work& work, const Give& give)
{
    runInOrder<Slot>(take, work, give, [](Slot&) {});
}

} // namespace io
