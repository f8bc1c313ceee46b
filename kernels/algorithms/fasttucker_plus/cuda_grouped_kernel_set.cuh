// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_tiles.cuh"

namespace kernels::fasttucker_plus::gpu {

constexpr unsigned groupedThreads = 128; ///< a block

/// What a grouped pass is told. Modes are in the order of places: the uniform one first, then as the records have them.
struct GroupedArguments {
    GroupedTiles tiles;
    unsigned groupCount = 0;
    unsigned begin = 0, end = 0; ///< visiting numbers: number v is group (v · multiplier + offset) mod groupCount
    unsigned multiplier = 1, offset = 0;
    float* factors[maxOrder] = {};
    const uint4* projecting[maxOrder] = {}; ///< as in Operands
    const uint4* returning[maxOrder] = {};
    const float* rowScales[maxOrder] = {}; ///< null: 1
    float slopes[maxOrder] = {}; ///< a changes by this times what comes of e' = residualScale e …
    float shrinks[maxOrder] = {}; ///< … and by this times a, once an entry
    float predictionScale = 1, residualScale = 1; ///< as in Operands
    double* partials = nullptr; ///< [block][Σ J_n R] in the order of modes, added to
    unsigned modes[maxOrder] = {}; ///< of each place
};

/// A kernel for one geometry; null where there is none.
struct GroupedKernels {
    using Kernel = void (*)(GroupedArguments);
    Kernel both = nullptr, update = nullptr, gradient = nullptr;
};

/// One file each, so that they compile side by side.
GroupedKernels groupedKernelsFp16(unsigned tiles, unsigned order, bool uniform);
GroupedKernels groupedKernelsBf16(unsigned tiles, unsigned order, bool uniform);

/// tiles: J and R of all modes, padded to the largest, in units of 16.
inline GroupedKernels groupedKernels(Precision precision, unsigned tiles, unsigned order, bool uniform)
{
    return precision == Precision::Fp16 ? groupedKernelsFp16(tiles, order, uniform)
        : precision == Precision::Bf16  ? groupedKernelsBf16(tiles, order, uniform)
                                        : GroupedKernels{};
}

} // namespace kernels::fasttucker_plus::gpu
