// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_rows.cuh"

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/device/check.cuh"

#include <algorithm>

namespace kernels::fasttucker_plus::gpu {
namespace {

using Products = gpu::Products<Precision::Fp16>;

/// A block's y is a mode.
__global__ void __launch_bounds__(blockThreads) narrowRows(const __grid_constant__ NarrowTables tables)
{
    const NarrowTable& table = tables.of[blockIdx.y];
    for (std::size_t q = blockIdx.x * blockThreads + threadIdx.x; q < table.quads; q += std::size_t{gridDim.x} * blockThreads) {
        const Vec4<float> x = load4(table.rows + 4 * q);
        table.narrow[q] = {Products::packClamped(x[0] * table.scale, x[1] * table.scale),
                           Products::packClamped(x[2] * table.scale, x[3] * table.scale)};
    }
}

template <Precision P> __global__ void __launch_bounds__(blockThreads) narrowOperands(const __grid_constant__ NarrowTables tables)
{
    using Products = gpu::Products<P>;
    const NarrowTable& table = tables.of[blockIdx.y];
    auto* const words = reinterpret_cast<unsigned*>(table.narrow);
    for (std::size_t q = blockIdx.x * blockThreads + threadIdx.x; q < table.quads; q += std::size_t{gridDim.x} * blockThreads) {
        const Vec4<float> x = load4(table.rows + 4 * q);
        unsigned* const to = words + q / 4 * 8 + q % 4; // of 16 columns
        to[0] = Products::packClamped(x[0] * table.scale, x[1] * table.scale);
        to[4] = Products::packClamped(x[2] * table.scale, x[3] * table.scale);
    }
}

__global__ void __launch_bounds__(blockThreads) widenRows(const __grid_constant__ NarrowTables tables)
{
    const NarrowTable& table = tables.of[blockIdx.y];
    const float inverse = 1 / table.scale;
    for (std::size_t q = blockIdx.x * blockThreads + threadIdx.x; q < table.quads; q += std::size_t{gridDim.x} * blockThreads) {
        const uint2 x = table.narrow[q];
        const float2 low = Products::floats(x.x);
        const float2 high = Products::floats(x.y);
        store4(table.rows + 4 * q, Vec4<float>{{low.x * inverse, low.y * inverse, high.x * inverse, high.y * inverse}});
    }
}

dim3 blocksFor(const NarrowTables& tables)
{
    std::size_t most = 0;
    for (unsigned n = 0; n < tables.count; ++n)
        most = std::max(most, tables.of[n].quads);
    return {static_cast<unsigned>(std::clamp<std::size_t>(most / blockThreads + 1, 1, 4096)), tables.count};
}

} // namespace

void launchNarrowRows(const NarrowTables& tables, cudaStream_t stream)
{
    narrowRows<<<blocksFor(tables), blockThreads, 0, stream>>>(tables);
    CUDA_CHECK_LAUNCH();
}

void launchNarrowOperands(const NarrowTables& tables, Precision precision, cudaStream_t stream)
{
    const auto kernel = precision == Precision::Fp16 ? narrowOperands<Precision::Fp16> : narrowOperands<Precision::Bf16>;
    kernel<<<blocksFor(tables), blockThreads, 0, stream>>>(tables);
    CUDA_CHECK_LAUNCH();
}

void launchWidenRows(const NarrowTables& tables, cudaStream_t stream)
{
    widenRows<<<blocksFor(tables), blockThreads, 0, stream>>>(tables);
    CUDA_CHECK_LAUNCH();
}

} // namespace kernels::fasttucker_plus::gpu
