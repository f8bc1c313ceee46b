// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_working_rows.cuh"

#include "kernels/algorithms/fasttucker_plus/cuda_tensor_products.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_vectors.cuh"
#include "kernels/device/check.cuh"

#include <algorithm>

namespace kernels::fasttucker_plus::gpu {
namespace {

/// Quad q of the model's rows among those of the slots.
__device__ std::size_t inSlots(const WorkingTable& table, std::size_t q)
{
    if (table.slotBits == 0)
        return q;
    const auto quad = static_cast<unsigned>(q); // short modes alone are in slots
    return (std::size_t{quad / table.quadsOfRow} << table.slotBits) * table.quadsOfRow + quad % table.quadsOfRow;
}

/// A block's y is a mode.
template <WorkingNumbers Numbers> __global__ void __launch_bounds__(blockThreads) toWorking(const __grid_constant__ WorkingTables tables)
{
    using Products = gpu::Products<Numbers == WorkingNumbers::Bf16Operands ? Precision::Bf16 : Precision::Fp16>;
    const WorkingTable& table = tables.of[blockIdx.y];
    for (std::size_t q = blockIdx.x * blockThreads + threadIdx.x; q < table.quads; q += std::size_t{gridDim.x} * blockThreads) {
        const Vec4<float> x = load4(table.rows + 4 * q);
        const std::size_t slot = inSlots(table, q);
        if constexpr (Numbers == WorkingNumbers::Fp32)
            store4(static_cast<float*>(table.working) + 4 * slot, x);
        else {
            const uint2 packed = {Products::packClamped(x[0] * table.scale, x[1] * table.scale),
                                  Products::packClamped(x[2] * table.scale, x[3] * table.scale)};
            if constexpr (Numbers == WorkingNumbers::Fp16)
                static_cast<uint2*>(table.working)[slot] = packed;
            else {
                unsigned* const to = static_cast<unsigned*>(table.working) + slot / 4 * 8 + slot % 4; // of 16 columns
                to[0] = packed.x;
                to[4] = packed.y;
            }
        }
    }
}

template <WorkingNumbers Numbers> __global__ void __launch_bounds__(blockThreads) fromWorking(const __grid_constant__ WorkingTables tables)
{
    using Products = gpu::Products<Precision::Fp16>;
    const WorkingTable& table = tables.of[blockIdx.y];
    const float inverse = 1 / table.scale;
    for (std::size_t q = blockIdx.x * blockThreads + threadIdx.x; q < table.quads; q += std::size_t{gridDim.x} * blockThreads) {
        const std::size_t slot = inSlots(table, q);
        if constexpr (Numbers == WorkingNumbers::Fp32)
            store4(table.rows + 4 * q, load4(static_cast<const float*>(table.working) + 4 * slot));
        else {
            const uint2 x = static_cast<const uint2*>(table.working)[slot];
            const float2 low = Products::floats(x.x);
            const float2 high = Products::floats(x.y);
            store4(table.rows + 4 * q, Vec4<float>{{low.x * inverse, low.y * inverse, high.x * inverse, high.y * inverse}});
        }
    }
}

void launch(void (*kernel)(WorkingTables), const WorkingTables& tables, cudaStream_t stream)
{
    if (tables.count == 0)
        return;
    std::size_t most = 0;
    for (unsigned n = 0; n < tables.count; ++n)
        most = std::max(most, tables.of[n].quads);
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(most / blockThreads + 1, 1, 4096));
    kernel<<<dim3(blocks, tables.count), blockThreads, 0, stream>>>(tables);
    CUDA_CHECK_LAUNCH();
}

} // namespace

void copyToWorking(const WorkingTables& tables, WorkingNumbers numbers, cudaStream_t stream)
{
    using enum WorkingNumbers;
    launch(numbers == Fp32               ? toWorking<Fp32>
               : numbers == Fp16         ? toWorking<Fp16>
               : numbers == Fp16Operands ? toWorking<Fp16Operands>
                                         : toWorking<Bf16Operands>,
           tables, stream);
}

void copyFromWorking(const WorkingTables& tables, WorkingNumbers numbers, cudaStream_t stream)
{
    launch(numbers == WorkingNumbers::Fp32 ? fromWorking<WorkingNumbers::Fp32> : fromWorking<WorkingNumbers::Fp16>, tables, stream);
}

} // namespace kernels::fasttucker_plus::gpu
