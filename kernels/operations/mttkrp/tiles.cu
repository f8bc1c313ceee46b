// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/tiles.cuh"

#include "kernels/operations/mttkrp/row_vectors.cuh"

namespace kernels::mttkrp::gpu {
namespace {

constexpr unsigned threads = 256;

template <class T> __global__ void __launch_bounds__(threads) sumOfCopiesKernel(const T* copies, unsigned count, Count parts, T* product)
{
    const Count part = Count{blockIdx.x} * threads + threadIdx.x;
    if (part >= parts)
        return;
    Part<T> sum = Part<T>::zero();
    for (unsigned copy = 0; copy < count; ++copy)
        sum.add(reinterpret_cast<const Part<T>*>(copies)[copy * parts + part]);
    reinterpret_cast<Part<T>*>(product)[part] = sum;
}

} // namespace

template <class T> void launchSumOfCopies(const TileArguments<T>& a, T* product, const cuda::Stream& stream)
{
    const Count parts = Count{a.outRows} * a.parts;
    sumOfCopiesKernel<T><<<static_cast<unsigned>((parts + threads - 1) / threads), threads, 0, stream>>>(a.out, a.copies, parts, product);
    CUDA_CHECK_LAUNCH();
}
template void launchSumOfCopies(const TileArguments<float>&, float*, const cuda::Stream&);
template void launchSumOfCopies(const TileArguments<double>&, double*, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
