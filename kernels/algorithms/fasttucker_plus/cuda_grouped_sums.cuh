// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_products.cuh"

namespace kernels::fasttucker_plus::gpu {

/// Sums of the places from first on: the block's warps are added up in fixed order, then to the block's own sums in fp64; which tiles a
/// warp had is not fixed.
template <class G, unsigned Places>
__device__ void keepGradients(const GroupedArguments& arguments, const float (&sums)[Places][G::coreBlocks][8], unsigned first,
                              float* shared)
{
    constexpr unsigned ofMode = G::coreBlocks * slab * slab;
    const unsigned lane = threadIdx.x % warpSize32;
    for (unsigned warp = 0; warp < groupedThreads / warpSize32; ++warp) {
        __syncthreads();
        if (warp != threadIdx.x / warpSize32)
            continue;
#pragma unroll
        for (unsigned p = 0; p < Places; ++p)
#pragma unroll
            for (unsigned block = 0; block < G::coreBlocks; ++block)
#pragma unroll
                for (unsigned x = 0; x < 8; ++x) {
                    const unsigned row = block / G::columnBlocks * slab + column(lane / 4, x / 2 % 2);
                    const unsigned at =
                        p * ofMode + row * G::columnBlocks * slab + block % G::columnBlocks * slab + lane % 4 * 4 + x / 4 * 2 + x % 2;
                    shared[at] = warp == 0 ? sums[p][block][x] : shared[at] + sums[p][block][x];
                }
    }
    __syncthreads();
    double* const partial = arguments.partials + std::size_t{blockIdx.x} * (G::order * ofMode);
    const unsigned elements = min(Places, G::order - first) * ofMode;
    for (unsigned x = threadIdx.x; x < elements; x += groupedThreads)
        partial[arguments.modes[first + x / ofMode] * ofMode + x % ofMode] += static_cast<double>(shared[x]);
}

} // namespace kernels::fasttucker_plus::gpu
