// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_rows.cuh"

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/device/check.cuh"

#include <algorithm>

namespace kernels::fasttucker_plus::gpu {
namespace {

using Products = gpu::Products<Precision::Fp16>;

__global__ void __launch_bounds__(blockThreads) narrowRows(const float* rows, std::size_t quads, float scale, uint2* narrow)
{
    for (std::size_t q = blockIdx.x * blockThreads + threadIdx.x; q < quads; q += std::size_t{gridDim.x} * blockThreads) {
        const Vec4<float> x = load4(rows + 4 * q);
        narrow[q] = {Products::packClamped(x[0] * scale, x[1] * scale), Products::packClamped(x[2] * scale, x[3] * scale)};
    }
}

__global__ void __launch_bounds__(blockThreads) widenRows(const uint2* narrow, std::size_t quads, float inverse, float* rows)
{
    for (std::size_t q = blockIdx.x * blockThreads + threadIdx.x; q < quads; q += std::size_t{gridDim.x} * blockThreads) {
        const uint2 x = narrow[q];
        const float2 low = HalfPairs<Products>::floats(x.x);
        const float2 high = HalfPairs<Products>::floats(x.y);
        store4(rows + 4 * q, Vec4<float>{{low.x * inverse, low.y * inverse, high.x * inverse, high.y * inverse}});
    }
}

unsigned blocksFor(std::size_t quads) { return static_cast<unsigned>(std::clamp<std::size_t>(quads / blockThreads + 1, 1, 4096)); }

} // namespace

void launchNarrowRows(const float* rows, std::size_t quads, float scale, uint2* narrow, cudaStream_t stream)
{
    narrowRows<<<blocksFor(quads), blockThreads, 0, stream>>>(rows, quads, scale, narrow);
    CUDA_CHECK_LAUNCH();
}

void launchWidenRows(const uint2* narrow, std::size_t quads, float scale, float* rows, cudaStream_t stream)
{
    widenRows<<<blocksFor(quads), blockThreads, 0, stream>>>(narrow, quads, 1 / scale, rows);
    CUDA_CHECK_LAUNCH();
}

} // namespace kernels::fasttucker_plus::gpu
