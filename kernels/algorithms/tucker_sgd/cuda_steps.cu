// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_sgd/cuda_steps.cuh"

namespace kernels::tucker_sgd::gpu {
namespace {

using tucker_als::gpu::CutRow;
using tucker_als::gpu::Piece;

constexpr unsigned threads = 256;
constexpr unsigned whole = 0xFFFFFFFF; ///< warps
constexpr unsigned ahead = 4; ///< entries that are read before the first of them is needed

/// Some entries of a row.
struct Part {
    Index row = 0;
    Count begin = 0, end = 0;
};

/// A warp has a row, every lane some of its numbers.
template <class T> struct SteppedRow {
    static constexpr unsigned own = 4;
    T numbers[own];

    __device__ static unsigned column(unsigned i) { return threadIdx.x % 32 + 32 * i; }

    __device__ void take(const StepArguments<T>& s, Index row)
    {
#pragma unroll
        for (unsigned i = 0; i < own; ++i)
            numbers[i] = column(i) < s.rows.stride ? s.rows.rows[std::size_t{row} * s.rows.stride + column(i)] : T(0);
    }

    __device__ void walk(const StepArguments<T>& s, const Part& part)
    {
        const auto entries = static_cast<unsigned>(part.end - part.begin);
        const T* const deltas = s.rows.deltas + (part.begin - s.rows.firstEntry) * s.rows.stride;
        for (unsigned first = 0; first < entries; first += ahead) {
            T delta[ahead][own], value[ahead];
#pragma unroll
            for (unsigned n = 0; n < ahead; ++n) {
                const bool inside = first + n < entries;
                value[n] = inside ? s.rows.values[part.begin + first + n] : T(0);
#pragma unroll
                for (unsigned i = 0; i < own; ++i)
                    delta[n][i] = inside && column(i) < s.rows.stride ? deltas[std::size_t{first + n} * s.rows.stride + column(i)] : T(0);
            }
#pragma unroll
            for (unsigned n = 0; n < ahead; ++n)
                step(s, delta[n], value[n], first + n < entries);
        }
    }

private:
    /// a ← a − γ (e δ + λ a), e = a·δ − x.
    __device__ void step(const StepArguments<T>& s, const T (&delta)[own], T value, bool inside)
    {
        T predicted = 0, size = 0;
#pragma unroll
        for (unsigned i = 0; i < own; ++i) {
            predicted += numbers[i] * delta[i];
            size += delta[i] * delta[i];
        }
#pragma unroll
        for (unsigned apart = 1; apart < 32; apart *= 2)
            predicted += __shfl_xor_sync(whole, predicted, apart);
        T rate = inside ? s.rate : T(0);
        if (s.cap > 0) {
#pragma unroll
            for (unsigned apart = 1; apart < 32; apart *= 2)
                size += __shfl_xor_sync(whole, size, apart);
            rate = rate * size > s.cap ? s.cap / size : rate;
        }
        const T keep = 1 - rate * s.lambda, by = rate * (predicted - value);
#pragma unroll
        for (unsigned i = 0; i < own; ++i)
            numbers[i] = keep * numbers[i] - by * delta[i];
    }
};

__device__ Count warpNumber() { return Count{blockIdx.x} * (threads / 32) + threadIdx.x / 32; }

template <class T> __global__ void __launch_bounds__(threads) rowsKernel(const __grid_constant__ StepArguments<T> s, Index first, Index end)
{
    const Count number = first + warpNumber();
    if (number >= end)
        return;
    const Part part{static_cast<Index>(number), s.rows.begins[number], s.rows.begins[number + 1]};
    if (part.begin == part.end || part.end - part.begin > s.rows.longest)
        return;
    SteppedRow<T> row;
    row.take(s, part.row);
    row.walk(s, part);
#pragma unroll
    for (unsigned i = 0; i < row.own; ++i)
        if (row.column(i) < s.rows.stride)
            s.rows.rows[std::size_t{part.row} * s.rows.stride + row.column(i)] = row.numbers[i];
}

template <class T>
__global__ void __launch_bounds__(threads) piecesKernel(const __grid_constant__ StepArguments<T> s, std::uint32_t first, std::uint32_t end)
{
    const Count number = first + warpNumber();
    if (number >= end)
        return;
    const Piece piece = s.rows.pieces[number];
    SteppedRow<T> row;
    row.take(s, piece.row);
    row.walk(s, {piece.row, piece.begin, piece.end});
#pragma unroll
    for (unsigned i = 0; i < row.own; ++i)
        if (row.column(i) < s.rows.stride)
            s.rows.sums[number * s.rows.stride + row.column(i)] = static_cast<double>(row.numbers[i]);
}

/// A block: a row.
template <class T> __global__ void __launch_bounds__(threads) joinKernel(const __grid_constant__ StepArguments<T> s, const CutRow* rows)
{
    const CutRow cut = rows[blockIdx.x];
    const unsigned column = threadIdx.x;
    if (column >= s.rows.rank)
        return;
    double sum = 0;
    for (std::uint32_t p = cut.firstPiece; p < cut.firstPiece + cut.pieces; ++p)
        sum += static_cast<double>(s.rows.pieces[p].end - s.rows.pieces[p].begin) * s.rows.sums[p * s.rows.stride + column];
    const double entries = s.rows.begins[cut.row + 1] - s.rows.begins[cut.row];
    s.rows.rows[std::size_t{cut.row} * s.rows.stride + column] = static_cast<T>(sum / entries);
}

/// Calls launch(blocks).
template <class Launch> void forRows(Count rows, const Launch& launch)
{
    if (rows == 0)
        return;
    launch(static_cast<unsigned>((rows + threads / 32 - 1) / (threads / 32)));
    CUDA_CHECK_LAUNCH();
}

} // namespace

template <class T> void stepRows(const StepArguments<T>& s, Index first, Index end, const cuda::Stream& stream)
{
    forRows(end - first, [&](unsigned blocks) { rowsKernel<T><<<blocks, threads, 0, stream>>>(s, first, end); });
}

template <class T> void stepPieces(const StepArguments<T>& s, std::uint32_t first, std::uint32_t end, const cuda::Stream& stream)
{
    forRows(end - first, [&](unsigned blocks) { piecesKernel<T><<<blocks, threads, 0, stream>>>(s, first, end); });
}

template <class T> void joinPieces(const StepArguments<T>& s, const CutRow* rows, std::uint32_t count, const cuda::Stream& stream)
{
    if (count == 0)
        return;
    joinKernel<T><<<count, threads, 0, stream>>>(s, rows);
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void stepRows(const StepArguments<T>&, Index, Index, const cuda::Stream&);                                                    \
    template void stepPieces(const StepArguments<T>&, std::uint32_t, std::uint32_t, const cuda::Stream&);                                  \
    template void joinPieces(const StepArguments<T>&, const CutRow*, std::uint32_t, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::tucker_sgd::gpu
