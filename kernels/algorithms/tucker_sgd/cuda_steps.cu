// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_sgd/cuda_steps.cuh"

#include <type_traits>

namespace kernels::tucker_sgd::gpu {
namespace {

using tucker_als::gpu::CutRow;
using tucker_als::gpu::Piece;
using tucker_als::gpu::pieceNumbers;

constexpr unsigned threads = 256;
constexpr unsigned whole = 0xFFFFFFFF; ///< warps
constexpr unsigned ahead = 4; ///< entries that are read before the first of them is needed

/// Some entries of a row.
struct Part {
    Index row = 0;
    Count begin = 0, end = 0;
};

/// `Width` lanes have a row, each `Own` of its numbers. Rows of a warp are stepped together, as many times as the longest has entries.
template <class T, unsigned Width, unsigned Own> struct SteppedRow {
    T numbers[Own];

    __device__ static unsigned column(unsigned i) { return threadIdx.x % Width + Width * i; }

    __device__ void take(const StepArguments<T>& s, Index row)
    {
#pragma unroll
        for (unsigned i = 0; i < Own; ++i)
            numbers[i] = column(i) < s.rows.stride ? s.rows.rows[std::size_t{row} * s.rows.stride + column(i)] : T(0);
    }

    __device__ void walk(const StepArguments<T>& s, const Part& part)
    {
        const auto entries = static_cast<unsigned>(part.end - part.begin);
        unsigned longest = entries;
#pragma unroll
        for (unsigned apart = Width; apart < 32; apart *= 2)
            longest = max(longest, __shfl_xor_sync(whole, longest, apart));
        const T* const deltas = entries > 0 ? s.rows.deltas + (part.begin - s.rows.firstEntry) * s.rows.stride : nullptr;
        for (unsigned first = 0; first < longest; first += ahead) {
            T delta[ahead][Own], value[ahead];
#pragma unroll
            for (unsigned n = 0; n < ahead; ++n) {
                const bool inside = first + n < entries;
                value[n] = inside ? s.rows.values[part.begin + first + n] : T(0);
#pragma unroll
                for (unsigned i = 0; i < Own; ++i)
                    delta[n][i] = inside && column(i) < s.rows.stride ? deltas[std::size_t{first + n} * s.rows.stride + column(i)] : T(0);
            }
#pragma unroll
            for (unsigned n = 0; n < ahead; ++n)
                step(s, delta[n], value[n], first + n < entries);
        }
    }

private:
    /// a ← a − γ (e δ + λ a), e = a·δ − x.
    __device__ void step(const StepArguments<T>& s, const T (&delta)[Own], T value, bool inside)
    {
        T predicted = 0, size = 0;
#pragma unroll
        for (unsigned i = 0; i < Own; ++i) {
            predicted += numbers[i] * delta[i];
            size += delta[i] * delta[i];
        }
#pragma unroll
        for (unsigned apart = 1; apart < Width; apart *= 2)
            predicted += __shfl_xor_sync(whole, predicted, apart);
        T rate = inside ? s.rate : T(0);
        if (s.cap > 0) {
#pragma unroll
            for (unsigned apart = 1; apart < Width; apart *= 2)
                size += __shfl_xor_sync(whole, size, apart);
            rate = rate * size > s.cap ? s.cap / size : rate;
        }
        const T keep = 1 - rate * s.lambda, by = rate * (predicted - value);
#pragma unroll
        for (unsigned i = 0; i < Own; ++i)
            numbers[i] = keep * numbers[i] - by * delta[i];
    }
};

template <unsigned Width> __device__ Count groupNumber() { return Count{blockIdx.x} * (threads / Width) + threadIdx.x / Width; }

/// Groups without a row go along, for lanes ask each other.
template <class T, unsigned Width, unsigned Own>
__global__ void __launch_bounds__(threads) rowsKernel(const __grid_constant__ StepArguments<T> s, Index first, Index end)
{
    const Count number = first + groupNumber<Width>();
    Part part;
    if (number < end) {
        part = {static_cast<Index>(number), s.rows.begins[number], s.rows.begins[number + 1]};
        if (part.end - part.begin > s.rows.longest)
            part.end = part.begin;
    }
    SteppedRow<T, Width, Own> row;
    row.take(s, part.row);
    row.walk(s, part);
    if (part.begin == part.end)
        return;
#pragma unroll
    for (unsigned i = 0; i < Own; ++i)
        if (row.column(i) < s.rows.stride)
            s.rows.rows[std::size_t{part.row} * s.rows.stride + row.column(i)] = row.numbers[i];
}

template <class T, unsigned Width, unsigned Own>
__global__ void __launch_bounds__(threads) piecesKernel(const __grid_constant__ StepArguments<T> s, std::uint32_t first, std::uint32_t end)
{
    const Count number = first + groupNumber<Width>();
    Part part;
    if (number < end) {
        const Piece piece = s.rows.pieces[number];
        part = {piece.row, piece.begin, piece.end};
    }
    SteppedRow<T, Width, Own> row;
    row.take(s, part.row);
    row.walk(s, part);
    if (part.begin == part.end)
        return;
#pragma unroll
    for (unsigned i = 0; i < Own; ++i)
        if (row.column(i) < s.rows.stride)
            s.rows.sums[number * pieceNumbers(s.rows.rank) + row.column(i)] = static_cast<double>(row.numbers[i]);
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
        sum += static_cast<double>(s.rows.pieces[p].end - s.rows.pieces[p].begin) * s.rows.sums[p * pieceNumbers(s.rows.rank) + column];
    const double entries = s.rows.begins[cut.row + 1] - s.rows.begins[cut.row];
    s.rows.rows[std::size_t{cut.row} * s.rows.stride + column] = static_cast<T>(sum / entries);
}

/// Calls launch(std::integral_constant of the lanes a row has, of the numbers a lane has, blocks).
template <class Launch> void dispatchWidth(unsigned stride, Count groups, const Launch& launch)
{
    if (groups == 0)
        return;
    const auto with = [&](auto width, auto own) {
        const Count ofBlock = threads / width.value;
        launch(width, own, static_cast<unsigned>((groups + ofBlock - 1) / ofBlock));
    };
    using std::integral_constant;
    if (stride <= 4)
        with(integral_constant<unsigned, 4>{}, integral_constant<unsigned, 1>{});
    else if (stride <= 8)
        with(integral_constant<unsigned, 8>{}, integral_constant<unsigned, 1>{});
    else if (stride <= 16)
        with(integral_constant<unsigned, 16>{}, integral_constant<unsigned, 1>{});
    else if (stride <= 32)
        with(integral_constant<unsigned, 32>{}, integral_constant<unsigned, 1>{});
    else
        with(integral_constant<unsigned, 32>{}, integral_constant<unsigned, 4>{});
    CUDA_CHECK_LAUNCH();
}

} // namespace

template <class T> void stepRows(const StepArguments<T>& s, Index first, Index end, const cuda::Stream& stream)
{
    dispatchWidth(s.rows.stride, end - first, [&](auto width, auto own, unsigned blocks) {
        rowsKernel<T, decltype(width)::value, decltype(own)::value><<<blocks, threads, 0, stream>>>(s, first, end);
    });
}

template <class T> void stepPieces(const StepArguments<T>& s, std::uint32_t first, std::uint32_t end, const cuda::Stream& stream)
{
    dispatchWidth(s.rows.stride, end - first, [&](auto width, auto own, unsigned blocks) {
        piecesKernel<T, decltype(width)::value, decltype(own)::value><<<blocks, threads, 0, stream>>>(s, first, end);
    });
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
