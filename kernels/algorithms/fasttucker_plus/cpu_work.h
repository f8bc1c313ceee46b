// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/base/types.h"

#include <vector>

namespace kernels::fasttucker_plus {

/// The loops compiled for the best instruction set this machine has.
template <class T> TileKernels<T> bestKernels();

/// Order, ranks and strides of a problem, all modes wanted; its pointers are null.
template <class T> TileProblem<T> problemShape(const std::vector<unsigned>& ranks, unsigned coreRank);

/// What a CPU run works in beside entries and model: how many of which size. Made so by cpu.cpp, counted so by estimate.cpp.
struct WorkSizes {
    unsigned threads = 1; ///< each has a scratch and a gradient
    unsigned lanes = 1; ///< each has a total, in fp64
    std::size_t scratch = 0, gradient = 0; ///< elements; a total has a gradient's
    std::size_t rows = 0; ///< elements of all modes' padded rows of one entry: its changes in deterministic mode
};
template <class T> WorkSizes workSizes(const TileProblem<T>&, unsigned threads, bool deterministic);

} // namespace kernels::fasttucker_plus
