// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/cuda_step.cuh"
#include "kernels/algorithms/ntf/start_number.h"

/// What is done with rows, and with sums of them that passes left.
namespace kernels::ntf::gpu {
namespace {

constexpr unsigned warps = blockThreads / 32;

/// Of pieces of a row in fp64, in an order that is always the same.
template <class T> struct Pieces {
    double up[Part<T>::columns] = {}, down[Part<T>::columns] = {};

    /// Those of a team's end, as PassSums::leave() left them.
    __device__ void add(const T* partials, std::uint32_t team, unsigned end, unsigned parts, unsigned part)
    {
        const Part<T>* const at = reinterpret_cast<const Part<T>*>(partials) + (std::size_t{team} * 4 + 2 * end) * parts + part;
        const Part<T> p = at[0], q = at[parts];
#pragma unroll
        for (unsigned c = 0; c < Part<T>::columns; ++c) {
            up[c] += static_cast<double>(p.of[c]);
            down[c] += static_cast<double>(q.of[c]);
        }
    }
    __device__ void add(const Pieces& other)
    {
#pragma unroll
        for (unsigned c = 0; c < Part<T>::columns; ++c) {
            up[c] += other.up[c];
            down[c] += other.down[c];
        }
    }
};

template <class T>
__global__ void __launch_bounds__(blockThreads)
    nearRowsKernel(const __grid_constant__ Finish<T> f, const T* partials, const CutRow* rows, std::uint32_t count)
{
    const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockThreads + threadIdx.x;
    if (thread >= std::uint64_t{count} * f.parts)
        return;
    const CutRow row = rows[thread / f.parts];
    const auto part = static_cast<unsigned>(thread % f.parts);
    Pieces<T> sums;
    sums.add(partials, row.team, 1, f.parts, part);
    for (std::uint32_t head = 1; head <= row.heads; ++head)
        sums.add(partials, row.team + head, 0, f.parts, part);
    finishPart<T, double>(f, row.row, part, sums.up, sums.down);
}

/// Width threads have a slab of a row; so many of them as fit the block take its pieces in turn.
template <class T>
__global__ void __launch_bounds__(blockThreads)
    farRowsKernel(const __grid_constant__ Finish<T> f, const T* partials, const CutRow* rows, unsigned width)
{
    __shared__ Pieces<T> pieces[blockThreads];
    const CutRow row = rows[blockIdx.x];
    const unsigned part = blockIdx.y * width + threadIdx.x % width, first = threadIdx.x / width, step = blockThreads / width;
    Pieces<T> sums;
    if (part < f.parts) {
        if (first == 0)
            sums.add(partials, row.team, 1, f.parts, part);
#pragma unroll 4
        for (std::uint32_t head = 1 + first; head <= row.heads; head += step)
            sums.add(partials, row.team + head, 0, f.parts, part);
    }
    pieces[threadIdx.x] = sums;
    for (unsigned half = step / 2; half > 0; half /= 2) {
        __syncthreads();
        if (first < half)
            pieces[threadIdx.x].add(pieces[threadIdx.x + half * width]);
    }
    if (first == 0 && part < f.parts)
        finishPart<T, double>(f, row.row, part, pieces[threadIdx.x].up, pieces[threadIdx.x].down);
}

template <class T>
__global__ void __launch_bounds__(blockThreads) clearSumsKernel(const __grid_constant__ Finish<T> f, const Index* rows, std::uint64_t count)
{
    const std::uint64_t step = std::uint64_t{gridDim.x} * blockThreads;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockThreads + threadIdx.x; i < count * f.rank; i += step) {
        const std::size_t at = std::size_t{rows[i / f.rank]} * f.rank + i % f.rank;
        f.numerators[at] = 0;
        f.denominators[at] = 0;
    }
}

/// Warps have a row each, so that nothing is divided by its length.
template <class T>
__global__ void __launch_bounds__(blockThreads) stepRowsKernel(const __grid_constant__ Finish<T> f, Index rows, const Count* entriesOfRows)
{
    const std::uint64_t step = std::uint64_t{gridDim.x} * warps;
    for (std::uint64_t row = std::uint64_t{blockIdx.x} * warps + threadIdx.x / 32; row < rows; row += step) {
        if (entriesOfRows[row] == 0)
            continue;
        T* const own = rowOf(f.rows, static_cast<Index>(row), f.parts * 16);
        const std::size_t first = row * f.rank;
        const double penalty = f.counts ? f.penalty * static_cast<double>(f.counts[row]) : f.penalty;
        for (unsigned r = threadIdx.x % 32; r < f.rank; r += 32)
            own[r] = stepped(f.rule, own[r], static_cast<double>(f.numerators[first + r]), static_cast<double>(f.denominators[first + r]),
                             penalty);
    }
}

template <class T>
__global__ void __launch_bounds__(blockThreads)
    startRowsKernel(T* rows, Index count, unsigned rank, unsigned stride, std::uint64_t seed, unsigned mode, double size)
{
    const std::uint64_t numbers = std::uint64_t{count} * stride, step = std::uint64_t{gridDim.x} * blockThreads;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockThreads + threadIdx.x; i < numbers; i += step) {
        const auto r = static_cast<unsigned>(i % stride);
        rows[i] = r < rank ? static_cast<T>(startNumberOf(seed, mode, i / stride, rank, r, size)) : T(0);
    }
}

__global__ void __launch_bounds__(blockThreads) narrowRowsKernel(const float* rows, std::uint64_t quads, __nv_bfloat16* to)
{
    const std::uint64_t step = std::uint64_t{gridDim.x} * blockThreads;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockThreads + threadIdx.x; i < quads; i += step) {
        const float4 wide = reinterpret_cast<const float4*>(rows)[i];
        reinterpret_cast<__nv_bfloat162*>(to)[2 * i] = __floats2bfloat162_rn(wide.x, wide.y);
        reinterpret_cast<__nv_bfloat162*>(to)[2 * i + 1] = __floats2bfloat162_rn(wide.z, wide.w);
    }
}

/// To the block's first thread.
__device__ inline double sumOfBlock(double sum, double* room)
{
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0U, sum, distance);
    __syncthreads(); // the room may hold sums made before
    if (threadIdx.x % 32 == 0)
        room[threadIdx.x / 32] = sum;
    __syncthreads();
    for (unsigned warp = 1; threadIdx.x == 0 && warp < warps; ++warp)
        sum += room[warp];
    return sum;
}

template <class T>
__global__ void __launch_bounds__(blockThreads)
    squaresKernel(const T* rows, Index count, unsigned stride, const Count* weights, double* sums)
{
    __shared__ double room[warps];
    const std::uint64_t numbers = std::uint64_t{count} * stride, step = std::uint64_t{gridDim.x} * blockThreads;
    double sum = 0;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockThreads + threadIdx.x; i < numbers; i += step) {
        const double a = static_cast<double>(rows[i]);
        sum += (weights ? static_cast<double>(weights[i / stride]) : 1.0) * a * a;
    }
    sum = sumOfBlock(sum, room);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

unsigned blocksFor(std::uint64_t threads) { return static_cast<unsigned>((threads + blockThreads - 1) / blockThreads); }

/// That go through so much in turn.
unsigned blocksInTurn(std::uint64_t numbers)
{
    return std::min(16U * sumBlocks, std::max(1U, blocksFor(std::min<std::uint64_t>(numbers, 1U << 30))));
}

} // namespace

template <class T>
void finishCutRows(const Finish<T>& f, const T* partials, const CutRow* rows, std::uint32_t count, bool far, const cuda::Stream& stream)
{
    if (count == 0)
        return;
    if (far) {
        unsigned width = 1;
        while (width < 32 && width < f.parts)
            width *= 2;
        farRowsKernel<T><<<dim3(count, (f.parts + width - 1) / width), blockThreads, 0, stream>>>(f, partials, rows, width);
    } else
        nearRowsKernel<T><<<blocksFor(std::uint64_t{count} * f.parts), blockThreads, 0, stream>>>(f, partials, rows, count);
    CUDA_CHECK_LAUNCH();
}

template <class T> void clearSums(const Finish<T>& f, const Index* rows, std::size_t count, const cuda::Stream& stream)
{
    if (count == 0)
        return;
    clearSumsKernel<T><<<blocksInTurn(count * f.rank), blockThreads, 0, stream>>>(f, rows, count);
    CUDA_CHECK_LAUNCH();
}

template <class T> void stepRows(const Finish<T>& f, Index rows, const Count* entriesOfRows, const cuda::Stream& stream)
{
    stepRowsKernel<T><<<blocksInTurn(std::uint64_t{rows} * 32), blockThreads, 0, stream>>>(f, rows, entriesOfRows);
    CUDA_CHECK_LAUNCH();
}

template <class T>
void startRows(T* rows, Index count, unsigned rank, std::uint64_t seed, unsigned mode, double size, const cuda::Stream& stream)
{
    const unsigned stride = strideOf(rank, sizeof(T));
    startRowsKernel<T>
        <<<blocksInTurn(std::uint64_t{count} * stride), blockThreads, 0, stream>>>(rows, count, rank, stride, seed, mode, size);
    CUDA_CHECK_LAUNCH();
}

void narrowRows(const float* rows, std::size_t count, __nv_bfloat16* to, const cuda::Stream& stream)
{
    if (count == 0)
        return;
    narrowRowsKernel<<<blocksInTurn(count / 4), blockThreads, 0, stream>>>(rows, count / 4, to);
    CUDA_CHECK_LAUNCH();
}

template <class T>
void sumSquares(const T* rows, Index count, unsigned stride, const Count* weights, double* sums, const cuda::Stream& stream)
{
    squaresKernel<T><<<sumBlocks, blockThreads, 0, stream>>>(rows, count, stride, weights, sums);
    CUDA_CHECK_LAUNCH();
}

template void finishCutRows(const Finish<float>&, const float*, const CutRow*, std::uint32_t, bool, const cuda::Stream&);
template void finishCutRows(const Finish<double>&, const double*, const CutRow*, std::uint32_t, bool, const cuda::Stream&);
template void clearSums(const Finish<float>&, const Index*, std::size_t, const cuda::Stream&);
template void clearSums(const Finish<double>&, const Index*, std::size_t, const cuda::Stream&);
template void stepRows(const Finish<float>&, Index, const Count*, const cuda::Stream&);
template void stepRows(const Finish<double>&, Index, const Count*, const cuda::Stream&);
template void startRows(float*, Index, unsigned, std::uint64_t, unsigned, double, const cuda::Stream&);
template void startRows(double*, Index, unsigned, std::uint64_t, unsigned, double, const cuda::Stream&);
template void sumSquares(const float*, Index, unsigned, const Count*, double*, const cuda::Stream&);
template void sumSquares(const double*, Index, unsigned, const Count*, double*, const cuda::Stream&);

} // namespace kernels::ntf::gpu
