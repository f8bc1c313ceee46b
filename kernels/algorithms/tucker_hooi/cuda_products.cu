// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/cuda_products.cuh"

#include "kernels/device/check.cuh"

#include <algorithm>

namespace kernels::tucker_hooi::gpu {
namespace {

constexpr unsigned tileRows = 64, tileColumns = 32, tileDepth = 16, threads = 128, micro = 4;
constexpr unsigned termsInType = 256; ///< before they go into fp64

template <class T> struct alignas(16) Four {
    T x[micro];
};

/// A block: 64 × 32 of C over a part of the depth; a thread 4 × 4 of it. Tiles of A and B go through shared memory, read along
/// whichever index lies together.
template <class A, class B> __global__ void __launch_bounds__(threads) productKernel(Product<A, B> p, std::uint64_t depthOfPart, double* to)
{
    __shared__ alignas(16) A left[tileDepth][tileRows + micro];
    __shared__ alignas(16) A right[tileDepth][tileColumns + micro];
    const unsigned columnTiles = (p.columns + tileColumns - 1) / tileColumns;
    const std::uint64_t firstRow = std::uint64_t{blockIdx.x / columnTiles} * tileRows;
    const unsigned firstColumn = blockIdx.x % columnTiles * tileColumns;
    const std::uint64_t begin = blockIdx.y * depthOfPart, end = min(p.depth, begin + depthOfPart);
    const unsigned row = threadIdx.x / (tileColumns / micro) * micro, column = threadIdx.x % (tileColumns / micro) * micro;
    A sums[micro][micro] = {};
    double wide[micro][micro] = {};
    for (std::uint64_t k = begin; k < end; k += tileDepth) {
        for (unsigned n = threadIdx.x; n < tileRows * tileDepth; n += threads) {
            const unsigned i = p.aDepth == 1 ? n / tileDepth : n % tileRows, d = p.aDepth == 1 ? n % tileDepth : n / tileRows;
            left[d][i] = firstRow + i < p.rows && k + d < end ? p.a[(firstRow + i) * p.aRow + (k + d) * p.aDepth] : A(0);
        }
        for (unsigned n = threadIdx.x; n < tileColumns * tileDepth; n += threads) {
            const unsigned j = p.bColumn == 1 ? n % tileColumns : n / tileDepth, d = p.bColumn == 1 ? n / tileColumns : n % tileDepth;
            right[d][j] =
                firstColumn + j < p.columns && k + d < end ? static_cast<A>(p.b[(k + d) * p.bDepth + (firstColumn + j) * p.bColumn]) : A(0);
        }
        __syncthreads();
#pragma unroll
        for (unsigned d = 0; d < tileDepth; ++d) {
            const Four<A> x = *reinterpret_cast<const Four<A>*>(&left[d][row]);
            const Four<A> y = *reinterpret_cast<const Four<A>*>(&right[d][column]);
#pragma unroll
            for (unsigned i = 0; i < micro; ++i)
#pragma unroll
                for (unsigned j = 0; j < micro; ++j)
                    sums[i][j] += x.x[i] * y.x[j];
        }
        if ((k - begin) % termsInType == termsInType - tileDepth || k + tileDepth >= end)
#pragma unroll
            for (unsigned i = 0; i < micro; ++i)
#pragma unroll
                for (unsigned j = 0; j < micro; ++j) {
                    wide[i][j] += static_cast<double>(sums[i][j]);
                    sums[i][j] = 0;
                }
        __syncthreads();
    }
    to += blockIdx.y * p.rows * p.columns;
    for (unsigned i = 0; i < micro; ++i)
        for (unsigned j = 0; j < micro; ++j)
            if (firstRow + row + i < p.rows && firstColumn + column + j < p.columns)
                to[(firstRow + row + i) * p.columns + firstColumn + column + j] = wide[i][j];
}

__global__ void sumParts(const double* parts, unsigned count, std::uint64_t numbers, double* to)
{
    const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= numbers)
        return;
    double sum = 0;
    for (unsigned part = 0; part < count; ++part)
        sum += parts[part * numbers + i];
    to[i] = sum;
}

} // namespace

template <class A, class B> void multiply(const Product<A, B>& p, const cuda::Stream& stream)
{
    if (p.rows == 0 || p.columns == 0)
        return;
    const auto tiles = static_cast<unsigned>((p.rows + tileRows - 1) / tileRows * ((p.columns + tileColumns - 1) / tileColumns));
    const std::uint64_t each = (p.depth + p.parts - 1) / p.parts, depthOfPart = (each + tileDepth - 1) / tileDepth * tileDepth;
    productKernel<A, B><<<dim3(tiles, p.parts), threads, 0, stream>>>(p, depthOfPart, p.parts > 1 ? p.partials : p.c);
    CUDA_CHECK_LAUNCH();
    if (p.parts == 1)
        return;
    const std::uint64_t numbers = p.rows * p.columns;
    sumParts<<<static_cast<unsigned>((numbers + 255) / 256), 256, 0, stream>>>(p.partials, p.parts, numbers, p.c);
    CUDA_CHECK_LAUNCH();
}

template void multiply(const Product<float, float>&, const cuda::Stream&);
template void multiply(const Product<float, double>&, const cuda::Stream&);
template void multiply(const Product<double, double>&, const cuda::Stream&);

} // namespace kernels::tucker_hooi::gpu
