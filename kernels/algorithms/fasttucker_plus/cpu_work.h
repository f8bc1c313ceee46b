// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cpu_groups.h"
#include "kernels/base/types.h"

#include <vector>

namespace kernels::fasttucker_plus {

/// The loops compiled for the best instruction set this machine has.
template <class T> TileKernels<T> bestKernels();
template <class T> GroupKernels<T> bestGroupKernels();

/// Order, ranks and strides of a problem, all modes wanted; its pointers are null.
template <class T> TileProblem<T> problemShape(const std::vector<unsigned>& ranks, unsigned coreRank);

/// Of the wanted modes' padded rows of one entry.
template <class T> std::size_t wantedRowElements(const TileProblem<T>& problem)
{
    std::size_t elements = 0;
    for (unsigned n = problem.firstMode; n < problem.endMode; ++n)
        elements += problem.stride[n];
    return elements;
}

/// Threads that race over the rows. Updates of a row that two threads hold at once are lost, and in a small tensor
/// few rows are held by many threads: 16 of them on 12,000 entries of 25 indices a mode missed the noise floor by half.
unsigned racingThreads(unsigned threads, Count entries);
/// PlusBackEnd::concurrency().
std::vector<Concurrency> concurrencyOnCpu(const Flight&, bool grouped);

/// What a CPU run works in beside entries and model: how many of which size. Made so by cpu.cpp, counted so by estimate.cpp.
struct WorkSizes {
    unsigned threads = 1; ///< each has a scratch and a gradient
    unsigned lanes = 1; ///< each has a total, in fp64
    std::size_t scratch = 0, gradient = 0; ///< elements; a total has a gradient's
    std::size_t rows = 0; ///< elements of all modes' padded rows of one entry: its changes in deterministic mode
};
/// grouping: of entries that are grouped, else null.
template <class T> WorkSizes workSizes(const TileProblem<T>&, unsigned threads, bool deterministic, const CpuGrouping* grouping);

} // namespace kernels::fasttucker_plus
