// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tensor_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_passes.cuh"
#include "kernels/device/check.cuh"

#include <algorithm>

namespace kernels::fasttucker_plus::gpu {

template <class G, unsigned Parts, bool OneMode = false> TensorKernelSet<typename G::T> tensorKernelSet()
{
    TensorKernelSet<typename G::T> set;
    set.factor = tensorFactorKernel<G, OneMode>;
    set.core = tensorCoreKernel<G, Parts, OneMode>;
    set.parts = Parts;
    set.threads = G::threads;
    set.tiles = G::tiles;
    set.order = G::order;
    set.inShared = G::inShared;
    set.factorBytes = [](unsigned order, unsigned warps, unsigned workElements) {
        return TensorLayout::of<G>(order, warps, workElements, TensorLayout::factorExchange<G>(warps)).bytes;
    };
    set.coreBytes = [](unsigned order, unsigned warps, unsigned workElements) {
        return TensorLayout::of<G>(order, warps, workElements, TensorLayout::coreExchange<G>(warps)).bytes;
    };
    return set;
}

/// Sums of a part take 8 registers a lane, 16 in fp64: as many as leave room for the rest.
template <Precision P> TensorKernels<typename Products<P>::T> makeTensorKernels()
{
    using T = typename Products<P>::T;
    constexpr unsigned half = sizeof(T) == 8 ? 2 : 1;
    TensorKernels<T> kernels;
    kernels.sets = {tensorKernelSet<TensorGeometry<P, 1, true, 3>, 3>(),
                    tensorKernelSet<TensorGeometry<P, 2, true, 3>, 6 / half>(),
                    tensorKernelSet<TensorGeometry<P, 1, true>, 4>(),
                    tensorKernelSet<TensorGeometry<P, 1, true>, 8>(),
                    tensorKernelSet<TensorGeometry<P, 2, true>, 8 / half>(),
                    tensorKernelSet<TensorGeometry<P, 4, true>, 12 / half>(),
                    tensorKernelSet<TensorGeometry<P, 8, true>, 12 / half>(),
                    tensorKernelSet < TensorGeometry<P, 0, true>,
                    half == 2 ? 4 : 6 > (),
                    tensorKernelSet < TensorGeometry<P, 0, false>,
                    half == 2 ? 4 : 6 > ()};
    kernels.setsOfOneMode = {
        tensorKernelSet<TensorGeometry<P, 1, true, 3>, 1, true>(), tensorKernelSet<TensorGeometry<P, 2, true, 3>, 2, true>(),
        tensorKernelSet<TensorGeometry<P, 1, true>, 1, true>(),    tensorKernelSet<TensorGeometry<P, 2, true>, 2, true>(),
        tensorKernelSet<TensorGeometry<P, 4, true>, 4, true>(),    tensorKernelSet<TensorGeometry<P, 8, true>, 8 / half, true>(),
        tensorKernelSet<TensorGeometry<P, 0, true>, 4, true>(),    tensorKernelSet<TensorGeometry<P, 0, false>, 4, true>()};
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
