// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tile_shape.cuh"

/// Σ e² and Σ |e| of a set of entries, on the way to the host.
namespace kernels::fasttucker_plus::gpu {

/// What a thread has seen; T: of the errors. Sums are in fp64: a thread's own, then lanes, warps and (on the host) blocks in fixed
/// order, so two runs on the same card give the same bits.
template <class T> struct ErrorsOfThread {
    double squared = 0, absolute = 0;

    __device__ void add(T error)
    {
        const auto e = static_cast<double>(error);
        squared += e * e;
        absolute += fabs(e);
    }

    /// All of the block; scratch: shared memory for two doubles a warp; partials: [block][2], added to.
    __device__ void addToBlocks(double* scratch, double* partials)
    {
#pragma unroll
        for (unsigned apart = warpSize32 / 2; apart > 0; apart /= 2) {
            squared += __shfl_down_sync(~0U, squared, apart);
            absolute += __shfl_down_sync(~0U, absolute, apart);
        }
        if (threadIdx.x % warpSize32 == 0) {
            scratch[2 * (threadIdx.x / warpSize32)] = squared;
            scratch[2 * (threadIdx.x / warpSize32) + 1] = absolute;
        }
        __syncthreads();
        if (threadIdx.x < 2) {
            double sum = 0;
            for (unsigned w = 0; w < blockThreads / warpSize32; ++w)
                sum += scratch[2 * w + threadIdx.x];
            partials[2 * blockIdx.x + threadIdx.x] += sum;
        }
    }
};

} // namespace kernels::fasttucker_plus::gpu
