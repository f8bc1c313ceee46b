// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/check.cuh"
#include "kernels/operations/spttm/product_cuda.cuh"

#include <algorithm>

/// The paper's products: a thread for each fibre and column, which walks the fibre's entries one after another. It sums in the
/// result itself, or in shared memory. Two runs give the same bits. 512 threads a block, which the paper found best.
namespace kernels::spttm::gpu {
namespace {

constexpr unsigned blockThreads = 512;

/// Columns along x, so that neighbours read neighbouring columns of a row; fibres along y.
template <class T, bool Shared>
__global__ void __launch_bounds__(blockThreads)
    byFibresKernel(const __grid_constant__ ProductArguments<T> a, const __grid_constant__ FibreSlice slice)
{
    __shared__ T sums[blockThreads];
    T& shared = sums[threadIdx.y * blockDim.x + threadIdx.x];
    for (Count fibre = slice.fibre + Count{blockIdx.x} * blockDim.y + threadIdx.y; fibre < slice.lastFibre;
         fibre += Count{gridDim.x} * blockDim.y) {
        const Count begin = Count{a.begins[fibre]} + slice.first, end = min(Count{a.begins[fibre + 1]}, begin + slice.count);
        for (Count column = threadIdx.x; column < a.columns; column += blockDim.x) {
            const std::uint32_t place = static_cast<std::uint32_t>(column) / a.rank;
            T* const to = a.out + fibre * a.columns + column;
            if (slice.first == 0)
                *to = T(0);
            shared = T(0);
            for (Count e = begin; e < end; ++e) {
                const std::uint32_t row = a.words[e] & ~beginsFibre;
                const T product = a.values[e * a.places + place] * a.matrix[Count{row} * a.rank + (column - place * a.rank)];
                if constexpr (Shared)
                    shared += product;
                else
                    *to += product;
            }
            if constexpr (Shared)
                *to += shared;
        }
    }
}

} // namespace

template <class T> void launchByFibres(const ProductArguments<T>& a, bool shared, const FibreSlice& slice, const cuda::Stream& stream)
{
    constexpr Count mostBlocks = 1 << 20;
    const auto columns = static_cast<unsigned>(std::min<Count>(a.columns, blockThreads));
    const dim3 threads(columns, blockThreads / columns);
    const auto blocks = static_cast<unsigned>(std::min<Count>(mostBlocks, (slice.lastFibre - slice.fibre + threads.y - 1) / threads.y));
    if (shared)
        byFibresKernel<T, true><<<blocks, threads, 0, stream>>>(a, slice);
    else
        byFibresKernel<T, false><<<blocks, threads, 0, stream>>>(a, slice);
    CUDA_CHECK_LAUNCH();
}
template void launchByFibres(const ProductArguments<float>&, bool, const FibreSlice&, const cuda::Stream&);
template void launchByFibres(const ProductArguments<double>&, bool, const FibreSlice&, const cuda::Stream&);

} // namespace kernels::spttm::gpu
