// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_tiles.cuh"

namespace kernels::fasttucker_plus::gpu {

constexpr unsigned groupedThreads = 128; ///< a block

/// The groups that warps next to one half of the L2 cache visit first. Visiting number v, from begin to end, is group
/// first + (v · multiplier + offset) mod count.
struct GroupedShare {
    unsigned first = 0, count = 1;
    unsigned begin = 0, end = 0;
    unsigned multiplier = 1, offset = 0;
    std::uint64_t inverse = ~std::uint64_t{0}; ///< of count, 2^64 over it: the GPU divides by multiplying

    /// The group after first.
    __device__ unsigned at(unsigned visit) const
    {
        const std::uint64_t product = std::uint64_t{visit} * multiplier + offset;
        const auto rest = static_cast<unsigned>(product - __umul64hi(product, inverse) * count);
        return rest < count ? rest : rest - count;
    }
};

/// What a grouped pass is told. Modes are in the order of places: the uniform one first, then as the records have them.
struct GroupedArguments {
    GroupedTiles tiles;
    GroupedShare shares[2];
    cuda::L2HalvesView halves; ///< which share is whose first
    unsigned* groupsTaken = nullptr; ///< of both shares, or more; zero before
    void* rows[maxOrder] = {}; ///< by slot; fp32; fp16 where narrow; for the gradient pass 16 bits in operand order, bf16 too
    const uint4* projecting[maxOrder] = {}; ///< as in Operands
    const uint4* returning[maxOrder] = {};
    const float* uniformScales = nullptr; ///< on the steps of the uniform place's rows; null: 1
    unsigned uniformSlotBits = 0; ///< of those rows, as slotBitsOf()
    StepLevels steps[maxOrder]; ///< of the others'
    float slopes[maxOrder] = {}; ///< a changes by this times d' + decay a, d' being what comes of e' = residualScale e
    float decays[maxOrder] = {};
    float predictionScale = 1, residualScale = 1; ///< as in Operands
    float dampings[maxOrder] = {}; ///< FactorPass::damping of w as it is here; kernels that damp steps alone
    unsigned noise = 0; ///< differs from pass to pass
    double* partials = nullptr; ///< [block][Σ J_n R] in the order of modes, added to
    unsigned modes[maxOrder] = {}; ///< of each place
    unsigned firstPlace = 0; ///< of those whose gradients are taken, where a launch takes only some
};

/// A kernel for one geometry; null where there is none.
struct GroupedKernel {
    void (*function)(GroupedArguments) = nullptr;
    unsigned sharedBytes = 0; ///< of a block
    unsigned places = maxOrder; ///< how many gradients a launch takes
};
struct GroupedKernels {
    GroupedKernel both; ///< there where updatesTakeGradient()
    GroupedKernel update;
    GroupedKernel touch; ///< the reading and writing of an update
    GroupedKernel gradient; ///< of rows as copyToWorking() writes them; there where the shape's rows are not narrow
};

/// What a kernel is chosen by.
struct GroupedShape {
    unsigned columnBlocks = 1; ///< J and R of all modes, padded to the largest, in units of 16
    unsigned order = 2;
    bool uniform = false; ///< tiles share a row
    bool narrow = false; ///< rows in fp16
    bool damped = false; ///< kernels that damp steps; rows in fp32 then
};

/// One file each, so that they compile side by side.
GroupedKernels groupedKernelsFp16(const GroupedShape&);
GroupedKernels groupedKernelsFp16Narrow(const GroupedShape&);
GroupedKernels groupedKernelsFp16Damped(const GroupedShape&);
GroupedKernels groupedKernelsBf16(const GroupedShape&);
GroupedKernels groupedKernelsBf16Damped(const GroupedShape&);

inline GroupedKernels groupedKernels(Precision precision, const GroupedShape& shape)
{
    const auto damped = [](GroupedKernels kernels, const GroupedKernels& plain) {
        kernels.touch = plain.touch;
        return kernels;
    };
    switch (precision) {
    case Precision::Fp16:
        return shape.damped ? damped(groupedKernelsFp16Damped(shape), groupedKernelsFp16(shape))
            : shape.narrow  ? groupedKernelsFp16Narrow(shape)
                            : groupedKernelsFp16(shape);
    case Precision::Bf16:
        return shape.damped ? damped(groupedKernelsBf16Damped(shape), groupedKernelsBf16(shape))
            : shape.narrow  ? GroupedKernels{}
                            : groupedKernelsBf16(shape);
    default:
        return {};
    }
}

} // namespace kernels::fasttucker_plus::gpu
