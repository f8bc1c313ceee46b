// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/kruskal_rows/device_rows.cuh"

#include "kernels/operations/core_contraction/fours.cuh"

#include <algorithm>

namespace kernels::kruskal_rows::gpu {
namespace {

using core_contraction::gpu::Four;
using core_contraction::gpu::four;

constexpr unsigned threads = 256, mostLanes = 8;
constexpr unsigned whole = 0xFFFFFFFF; ///< warps

/// Lanes that share an entry: each reads sixteen bytes (a double: 32) of a row, a group of them neighbouring ones.
unsigned lanesFor(unsigned stride)
{
    unsigned lanes = 1;
    while (lanes < mostLanes && lanes * 4 < stride)
        lanes *= 2;
    return lanes;
}

/// x̂ of an entry, which `lanes` lanes have together; all lanes of a warp come here. Entries beyond the end are none.
template <class T> __device__ T predict(const Entries<T>& a, const T* const* rows, unsigned stride, Count e, bool inside, unsigned lanes)
{
    T sum = 0;
    if (inside && stride == 1) {
        sum = threadIdx.x % lanes == 0 ? 1 : 0;
#pragma unroll 3
        for (unsigned n = 0; n < a.order; ++n)
            sum *= rows[n][a.columns[n][e]];
    } else if (inside) {
        for (unsigned r = threadIdx.x % lanes * 4; r < stride; r += lanes * 4) {
            Four<T> product = four(rows[0] + std::size_t{a.columns[0][e]} * stride + r);
#pragma unroll 3
            for (unsigned n = 1; n < a.order; ++n) {
                const Four<T> row = four(rows[n] + std::size_t{a.columns[n][e]} * stride + r);
#pragma unroll
                for (unsigned i = 0; i < 4; ++i)
                    product.x[i] *= row.x[i];
            }
            sum += (product.x[0] + product.x[1]) + (product.x[2] + product.x[3]);
        }
    }
    for (unsigned apart = 1; apart < lanes; apart *= 2)
        sum += __shfl_xor_sync(whole, sum, apart);
    return sum;
}

template <class T>
__global__ void __launch_bounds__(threads) judgeKernel(const __grid_constant__ Entries<T> a, Count begin, Count end, unsigned lanes,
                                                       double predictedUnit, double errorUnit, double* to)
{
    __shared__ double sums[2][threads];
    const unsigned ofBlock = threads / lanes;
    double squares = 0, magnitudes = 0;
    for (Count first = begin + Count{blockIdx.x} * ofBlock; first < end; first += Count{gridDim.x} * ofBlock) {
        const Count e = first + threadIdx.x / lanes;
        const T predicted = predict(a, a.rows, a.stride, e, e < end, lanes);
        if (e >= end || threadIdx.x % lanes != 0)
            continue; // the next round's lanes meet where they ask each other
        const double error = errorUnit * (static_cast<double>(a.values[e]) - predictedUnit * static_cast<double>(predicted));
        squares += error * error;
        magnitudes += fabs(error);
    }
    sums[0][threadIdx.x] = squares;
    sums[1][threadIdx.x] = magnitudes;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            for (auto& sum : sums)
                sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < 2)
        to[2 * blockIdx.x + threadIdx.x] += sums[threadIdx.x][0];
}

template <class T>
__global__ void __launch_bounds__(threads)
    subtractKernel(const __grid_constant__ Entries<T> a, Count begin, Count end, unsigned lanes, T* to)
{
    const Count e = begin + (Count{blockIdx.x} * threads + threadIdx.x) / lanes;
    const T predicted = predict(a, a.rows, a.stride, e, e < end, lanes);
    if (e < end && threadIdx.x % lanes == 0)
        to[e - begin] = a.values[e] - predicted;
}

template <class T>
__global__ void __launch_bounds__(threads) exchangeKernel(const __grid_constant__ Exchange<T> x, Count begin, Count end, unsigned lanes)
{
    const Count e = begin + (Count{blockIdx.x} * threads + threadIdx.x) / lanes;
    T change = predict(x.entries, x.entries.rows, x.entries.stride, e, e < end, lanes);
    if (x.otherStride > 0)
        change -= predict(x.entries, x.others, x.otherStride, e, e < end, lanes);
    if (e < end && threadIdx.x % lanes == 0)
        x.values[e] += change;
}

unsigned blocksFor(Count entries, unsigned lanes)
{
    const unsigned ofBlock = threads / lanes;
    return static_cast<unsigned>((entries + ofBlock - 1) / ofBlock);
}

} // namespace

template <class T>
void judge(const Entries<T>& a, Count begin, Count end, double predictedUnit, double errorUnit, double* sums, const cuda::Stream& stream)
{
    judgeKernel<T><<<sumBlocks, threads, 0, stream>>>(a, begin, end, lanesFor(a.stride), predictedUnit, errorUnit, sums);
    CUDA_CHECK_LAUNCH();
}

template <class T> void subtractPredictions(const Entries<T>& a, Count begin, Count end, T* to, const cuda::Stream& stream)
{
    if (begin == end)
        return;
    const unsigned lanes = lanesFor(a.stride);
    subtractKernel<T><<<blocksFor(end - begin, lanes), threads, 0, stream>>>(a, begin, end, lanes, to);
    CUDA_CHECK_LAUNCH();
}

template <class T> void exchangePredictions(const Exchange<T>& x, Count begin, Count end, const cuda::Stream& stream)
{
    if (begin == end)
        return;
    const unsigned lanes = lanesFor(std::max(x.entries.stride, x.otherStride));
    exchangeKernel<T><<<blocksFor(end - begin, lanes), threads, 0, stream>>>(x, begin, end, lanes);
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void judge(const Entries<T>&, Count, Count, double, double, double*, const cuda::Stream&);                                    \
    template void subtractPredictions(const Entries<T>&, Count, Count, T*, const cuda::Stream&);                                           \
    template void exchangePredictions(const Exchange<T>&, Count, Count, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::kruskal_rows::gpu
