// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/run_control.h"
#include "kernels/base/types.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace kernels {

constexpr Count chunkCount(Count total, Count chunkSize) { return (total + chunkSize - 1) / chunkSize; }

/// Calls body(chunk, begin, end) for pieces of a fixed size, in parallel. The pieces do not depend on
/// the number of threads: a sum kept per chunk and added in order has the same bits every time.
/// Cancel is honoured before each chunk, so choose sizes of about a millisecond.
template <class Body> void forEachChunk(Count total, Count chunkSize, Progress* progress, const Body& body)
{
    tbb::parallel_for(Count{0}, chunkCount(total, chunkSize), [&](Count chunk) {
        if (progress)
            progress->throwIfCancelled();
        const Count begin = chunk * chunkSize;
        const Count end = std::min(total, begin + chunkSize);
        body(chunk, begin, end);
        if (progress)
            progress->advance(end - begin);
    });
}

/// The same inside a run, called by the run's thread: control is asked every few chunks a thread, and after a stop no
/// further chunk is begun. Leaves by Cancelled, with some chunks undone.
template <class Body> void forEachChunk(Count total, Count chunkSize, RunControl& control, const Body& body)
{
    const Count chunks = chunkCount(total, chunkSize);
    const Count stretch = 8 * static_cast<Count>(tbb::this_task_arena::max_concurrency());
    for (Count first = 0; first < chunks; first += stretch) {
        control.checkpoint();
        tbb::parallel_for(first, std::min(chunks, first + stretch), [&](Count chunk) {
            if (!control.stopRequested())
                body(chunk, chunk * chunkSize, std::min(total, (chunk + 1) * chunkSize));
        });
    }
    control.checkpoint();
}

} // namespace kernels
