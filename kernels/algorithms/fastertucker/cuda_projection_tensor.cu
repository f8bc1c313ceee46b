// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_lanes.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_products.cuh"

namespace kernels::fastertucker::gpu {
namespace {

/// A warp owns 16 rows: C of them, block of 16 columns by block.
template <Precision P, unsigned Width>
__global__ void __launch_bounds__(blockThreads) projectTensorKernel(typename Numbers<P>::S* projections, const float* rows,
                                                                    const uint4* operand, std::size_t count, float rowScale, float scale)
{
    using Products = fasttucker_plus::gpu::Products<P>;
    using Right = typename Products::Right;
    constexpr unsigned slabs = Width / 16, pieces = sizeof(Right) / sizeof(uint4), warps = blockThreads / 32;
    const unsigned lane = threadIdx.x % 32, column = 4 * (lane % 4);
    const auto quad = [&](std::size_t row, unsigned slab) {
        Vec4<float> a = fetch(rows + row * Width + 16 * slab + column);
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            a[x] = P == Precision::Fp16 ? withinHalf(a[x] * rowScale) : a[x];
        return a;
    };
    const std::size_t step = std::size_t{gridDim.x} * warps * 16;
    for (std::size_t first = (std::size_t{blockIdx.x} * warps + threadIdx.x / 32) * 16; first < count; first += step) {
        const std::size_t low = min(first + lane / 4, count - 1), high = min(first + lane / 4 + 8, count - 1);
        typename Products::Left a[slabs];
#pragma unroll
        for (unsigned s = 0; s < slabs; ++s)
            a[s] = Products::left(quad(low, s), quad(high, s));
#pragma unroll(slabs > 2 ? 1 : slabs)
        for (unsigned q = 0; q < slabs; ++q) {
            Vec4<float> c[2] = {};
#pragma unroll
            for (unsigned s = 0; s < slabs; ++s) {
                Right right;
#pragma unroll
                for (unsigned p = 0; p < pieces; ++p)
                    reinterpret_cast<uint4*>(&right)[p] = __ldg(operand + ((q * slabs + s) * pieces + p) * 32 + lane);
                Products::multiply(c, a[s], right);
            }
#pragma unroll
            for (unsigned h = 0; h < 2; ++h) {
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    c[h][x] *= scale;
                keep(projections + (h ? high : low) * Width + 16 * q + column, c[h]); // the last row again and again: the same numbers
            }
        }
    }
}

} // namespace

template <Precision P>
void launchProjectOnTensorCores(typename Numbers<P>::S* projections, const float* rows, const uint4* operand, std::size_t count,
                                unsigned width, float rowScale, float scale, cudaStream_t stream)
{
    constexpr unsigned perBlock = blockThreads / 32 * 16;
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>((count + perBlock - 1) / perBlock, 1, 1 << 16));
    dispatchWidth(width, [&](auto columns) {
        projectTensorKernel<P, columns()><<<blocks, blockThreads, 0, stream>>>(projections, rows, operand, count, rowScale, scale);
    });
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(P)                                                                                                                \
    template void launchProjectOnTensorCores<P>(Numbers<P>::S*, const float*, const uint4*, std::size_t, unsigned, float, float,           \
                                                cudaStream_t);
POLYAD_INSTANCES(Precision::Tf32)
POLYAD_INSTANCES(Precision::Fp16)
POLYAD_INSTANCES(Precision::Bf16)
#undef POLYAD_INSTANCES

} // namespace kernels::fastertucker::gpu
