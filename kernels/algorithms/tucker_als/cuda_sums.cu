// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cuda_rows.cuh"
#include "kernels/operations/core_contraction/fours.cuh"

namespace kernels::tucker_als::gpu {
namespace {

using core_contraction::gpu::Four;
using core_contraction::gpu::four;

constexpr unsigned threads = 256;

/// Adds two sums of a block's threads to two numbers.
__device__ void addSums(double first, double second, double* to)
{
    __shared__ double sums[2][threads];
    sums[0][threadIdx.x] = first;
    sums[1][threadIdx.x] = second;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            for (auto& sum : sums)
                sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < 2)
        to[threadIdx.x] += sums[threadIdx.x][0];
}

/// x̂: an entry's row times its δ.
template <class T> __device__ T predict(const T* row, const T* delta, unsigned stride)
{
    T sum = 0;
    for (unsigned j = 0; j < stride; j += 4) {
        const Four<T> d = four(delta + j), a = four(row + j);
#pragma unroll
        for (unsigned i = 0; i < 4; ++i)
            sum += d.x[i] * a.x[i];
    }
    return sum;
}

template <class T> __global__ void __launch_bounds__(threads) weighKernel(const __grid_constant__ PredictionArguments<T> a, bool residuals)
{
    double squares = 0;
    for (Count e = a.begin + Count{blockIdx.x} * threads + threadIdx.x; e < a.end; e += Count{gridDim.x} * threads) {
        const T* const row = a.rows + std::size_t{a.own[e]} * a.stride;
        T* const delta = a.deltas + (e - a.begin) * a.stride;
        const T predicted = predict(row, delta, a.stride), weight = residuals ? a.values[e] - predicted : predicted;
        squares += static_cast<double>(weight) * static_cast<double>(weight);
        for (unsigned j = 0; j < a.stride; j += 4) {
            Four<T> numbers = four(row + j);
#pragma unroll
            for (T& number : numbers.x)
                number *= weight;
            *reinterpret_cast<Four<T>*>(delta + j) = numbers;
        }
    }
    addSums(squares, 0, a.sums + 2 * blockIdx.x);
}

template <class T>
__global__ void __launch_bounds__(threads)
    judgeKernel(const __grid_constant__ PredictionArguments<T> a, double predictedUnit, double errorUnit)
{
    double squares = 0, magnitudes = 0;
    for (Count e = a.begin + Count{blockIdx.x} * threads + threadIdx.x; e < a.end; e += Count{gridDim.x} * threads) {
        const T predicted = predict<T>(a.rows + std::size_t{a.own[e]} * a.stride, a.deltas + (e - a.begin) * a.stride, a.stride);
        const double error = errorUnit * (static_cast<double>(a.values[e]) - predictedUnit * static_cast<double>(predicted));
        squares += error * error;
        magnitudes += fabs(error);
    }
    addSums(squares, magnitudes, a.sums + 2 * blockIdx.x);
}

/// A block: a part of the rows. Threads have an element each; where there are fewer, groups of threads share the rows.
template <class T>
__global__ void __launch_bounds__(threads)
    gramKernel(const __grid_constant__ RowsArguments<T> a, Index rows, Index rowsOfPart, double* sums)
{
    __shared__ double others[threads];
    const Count first = Count{blockIdx.x} * rowsOfPart, end = min(Count{rows}, first + rowsOfPart);
    const unsigned elements = a.rank * a.rank, here = min(threads, elements), groups = threads / here, group = threadIdx.x / here;
    for (unsigned firstElement = 0; firstElement < elements; firstElement += here) {
        const unsigned element = firstElement + threadIdx.x % here, i = element / a.rank, j = element % a.rank;
        const bool active = group < groups && element < elements;
        double sum = 0;
        if (active)
#pragma unroll 4
            for (Count row = first + group; row < end; row += groups) {
                const T* const numbers = a.rows + row * a.stride;
                const double entries = a.begins[row + 1] - a.begins[row];
                sum += entries * static_cast<double>(numbers[i]) * static_cast<double>(numbers[j]);
            }
        __syncthreads();
        others[threadIdx.x] = sum;
        __syncthreads();
        if (group > 0 || !active)
            continue;
        for (unsigned g = 1; g < groups; ++g)
            sum += others[g * here + threadIdx.x];
        sums[Count{blockIdx.x} * elements + element] = sum;
    }
}

template <class T>
__global__ void __launch_bounds__(threads) distanceKernel(const __grid_constant__ RowsArguments<T> a, Index rows, double* sums)
{
    double sum = 0;
    for (Count row = Count{blockIdx.x} * threads + threadIdx.x; row < rows; row += Count{gridDim.x} * threads)
        for (unsigned j = 0; j < a.rank; ++j) {
            const double apart = static_cast<double>(a.rows[row * a.stride + j]) - a.centre[j];
            sum += apart * apart;
        }
    addSums(sum, 0, sums + 2 * blockIdx.x);
}

} // namespace

template <class T> void weigh(const PredictionArguments<T>& a, CoreWeights weights, const cuda::Stream& stream)
{
    weighKernel<T><<<sumBlocks, threads, 0, stream>>>(a, weights == CoreWeights::Residuals);
    CUDA_CHECK_LAUNCH();
}

template <class T> void judge(const PredictionArguments<T>& a, double predictedUnit, double errorUnit, const cuda::Stream& stream)
{
    judgeKernel<T><<<sumBlocks, threads, 0, stream>>>(a, predictedUnit, errorUnit);
    CUDA_CHECK_LAUNCH();
}

template <class T> void gramOfParts(const RowsArguments<T>& a, Index rows, double* sums, const cuda::Stream& stream)
{
    const unsigned parts = gramParts(a.rank);
    gramKernel<T><<<parts, threads, 0, stream>>>(a, rows, static_cast<Index>((Count{rows} + parts - 1) / parts), sums);
    CUDA_CHECK_LAUNCH();
}

template <class T> void squaredDistance(const RowsArguments<T>& a, Index rows, double* sums, const cuda::Stream& stream)
{
    distanceKernel<T><<<sumBlocks, threads, 0, stream>>>(a, rows, sums);
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void weigh(const PredictionArguments<T>&, CoreWeights, const cuda::Stream&);                                                  \
    template void judge(const PredictionArguments<T>&, double, double, const cuda::Stream&);                                               \
    template void gramOfParts(const RowsArguments<T>&, Index, double*, const cuda::Stream&);                                               \
    template void squaredDistance(const RowsArguments<T>&, Index, double*, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::tucker_als::gpu
