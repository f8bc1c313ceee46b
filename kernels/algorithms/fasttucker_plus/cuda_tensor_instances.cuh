// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tensor_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_passes.cuh"
#include "kernels/device/check.cuh"

#include <algorithm>

namespace kernels::fasttucker_plus::gpu {

/// G: of the factor pass; the core pass's differs at most in RoundedOnce, and may take a mode a launch where the factor pass takes all.
template <class G, unsigned Parts, bool OneMode = false, class Core = G, bool CoreOneMode = OneMode>
TensorKernelSet<typename G::T> tensorKernelSet()
{
    static_assert(G::tiles == Core::tiles && G::order == Core::order && G::inShared == Core::inShared);
    TensorKernelSet<typename G::T> set;
    constexpr bool factorHolds = !OneMode && G::holdsOperands && G::tiles < 8; // there a second block is worth more
    constexpr bool coreHolds = CoreOneMode && Core::holdsOperands;
    set.factor = tensorFactorKernel<G, OneMode, factorHolds>;
    if constexpr (!OneMode && (G::tiles <= 2 || (G::tiles == 4 && G::order == 3))) // the ranks of the paper that times it, and odd ones
        set.factorOfStale = tensorFactorKernel<G, false, false, true>;
    set.core = tensorCoreKernel<Core, Parts, CoreOneMode, coreHolds>;
    set.coreOfStored = tensorCoreKernel<Core, Parts, CoreOneMode, false>;
    set.modeByMode = CoreOneMode;
    set.parts = Parts;
    set.threads = G::threads;
    set.tiles = G::tiles;
    set.order = G::order;
    set.inShared = G::inShared;
    set.factorBytes = [](unsigned order, unsigned warps, unsigned workElements) {
        return TensorLayout::of<G>(order, warps, workElements, TensorLayout::factorExchange<G>(warps)).bytes;
    };
    set.coreBytes = [](unsigned order, unsigned warps, unsigned workElements) {
        return TensorLayout::of<Core>(order, warps, workElements, TensorLayout::coreExchange<Core>(warps)).bytes;
    };
    return set;
}

/// Sums of a part take 8 registers a lane, 16 in fp64: as many as leave room for the rest. From three warps a tile on, half precisions
/// round rows once where shared memory has room for both (in the factor pass above four warps: below, more blocks are worth more).
template <Precision P> struct TensorSets {
    using Set = TensorKernelSet<typename Products<P>::T>;
    static constexpr unsigned half = sizeof(typename Products<P>::T) == 8 ? 2 : 1;
    static constexpr bool halfPrecision = P == Precision::Fp16 || P == Precision::Bf16;
    template <unsigned Tiles, unsigned Order = 0, bool RoundedOnce = false>
    using Shape = TensorGeometry<P, Tiles, true, Order, RoundedOnce>;
    using Global = TensorGeometry<P, 0, false>;

    /// In half precisions also what stands in where there is no room for rounded rows.
    template <unsigned Tiles, unsigned Parts, unsigned Order = 0, bool OneMode = false, bool CoreOneMode = OneMode>
    static void add(std::vector<Set>& sets)
    {
        using Wide = Shape<Tiles, Order>;
        if constexpr (halfPrecision) {
            using RoundedOnce = Shape<Tiles, Order, true>;
            sets.push_back(tensorKernelSet<std::conditional_t<(Tiles > 4), RoundedOnce, Wide>, Parts, OneMode, RoundedOnce, CoreOneMode>());
        }
        if constexpr (!halfPrecision || Order == 0)
            sets.push_back(tensorKernelSet<Wide, Parts, OneMode, Wide, CoreOneMode>());
    }
    static std::vector<Set> ofAllModes()
    {
        std::vector<Set> sets{tensorKernelSet<Shape<1, 3>, 3>(), tensorKernelSet<Shape<2, 3>, 6 / half>(), tensorKernelSet<Shape<1>, 4>(),
                              tensorKernelSet<Shape<1>, 8>(), tensorKernelSet<Shape<2>, 8 / half>()};
        if constexpr (half == 1) // fp64 takes all gradients in fewer launches of the next one, 23 ms for 37 of netflix-like:0.1
            add<3, 9, 3>(sets);
        add<3, 12 / half>(sets);
        add<4, 12 / half, 3>(sets);
        add<4, 12 / half>(sets);
        // Gradients of a mode a launch leave registers for a second block; with more modes projecting them anew would cost more.
        if constexpr (halfPrecision) {
            add<5, 5, 3, false, true>(sets);
            add<5, 10>(sets);
        }
        if constexpr (half == 1)
            add<6, 6, 3, false, true>(sets);
        add<6, 12 / half>(sets);
        if constexpr (halfPrecision) {
            add<7, 7, 3, false, true>(sets);
            add<7, 7>(sets);
            add<8, 8, 3, false, true>(sets);
        }
        add<8, 12 / half>(sets);
        sets.push_back(tensorKernelSet < Shape<0>, half == 2 ? 4 : 6 > ());
        sets.push_back(tensorKernelSet < Global, half == 2 ? 4 : 6 > ());
        return sets;
    }
    static std::vector<Set> ofOneMode()
    {
        std::vector<Set> sets{tensorKernelSet<Shape<1, 3>, 1, true>(), tensorKernelSet<Shape<2, 3>, 2, true>(),
                              tensorKernelSet<Shape<1>, 1, true>(), tensorKernelSet<Shape<2>, 2, true>()};
        add<3, 3, 0, true>(sets);
        add<4, 4, 3, true>(sets);
        add<4, 4, 0, true>(sets);
        if constexpr (halfPrecision)
            add<5, 5, 0, true>(sets);
        add<6, 6, 0, true>(sets);
        if constexpr (halfPrecision)
            add<7, 7, 0, true>(sets);
        add<8, 8 / half, 0, true>(sets);
        sets.push_back(tensorKernelSet<Shape<0>, 4, true>());
        sets.push_back(tensorKernelSet<Global, 4, true>());
        return sets;
    }
};

template <Precision P> TensorKernels<typename Products<P>::T> makeTensorKernels()
{
    using T = typename Products<P>::T;
    TensorKernels<T> kernels;
    kernels.sets = TensorSets<P>::ofAllModes();
    kernels.setsOfOneMode = TensorSets<P>::ofOneMode();
    kernels.operandBytes = sizeof(typename Products<P>::Operand);
    kernels.narrowRange = Products<P>::narrowRange;
    kernels.writeOperands = [](const T* core, unsigned rank, unsigned coreRank, T scale, uint4* projecting, uint4* returning,
                               cudaStream_t stream) {
        const unsigned threads = 2 * (rank / slab) * (coreRank / slab) * warpSize32;
        writeOperandsKernel<P><<<(threads + blockThreads - 1) / blockThreads, blockThreads, 0, stream>>>(
            OperandWriter<P>{core, rank, coreRank, scale, projecting, returning});
        CUDA_CHECK_LAUNCH();
    };
    return kernels;
}

} // namespace kernels::fasttucker_plus::gpu
