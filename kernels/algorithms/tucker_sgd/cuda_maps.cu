// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_sgd/cuda_maps.cuh"
#include "kernels/operations/core_contraction/fours.cuh"

#include <type_traits>

namespace kernels::tucker_sgd::gpu {
namespace {

using core_contraction::gpu::Four;
using core_contraction::gpu::four;
using tucker_als::gpu::CutRow;
using tucker_als::gpu::Piece;

constexpr unsigned threads = 256;
constexpr unsigned whole = 0xFFFFFFFF; ///< warps
template <class T> constexpr unsigned ahead = 16 / sizeof(T); ///< entries of which δ are read before the first of them is needed

/// Lanes that have a row of 4 · Fours numbers, padded.
template <unsigned Fours> constexpr unsigned lanesOf = Fours == 1 ? 4 : Fours == 2 ? 8 : Fours <= 4 ? 16 : 32;

/// Some entries of a row.
struct Part {
    Index row = 0;
    Count begin = 0, end = 0;
};

/// A lane's row of M, and its number of b.
template <class T, unsigned Fours> struct Map {
    static constexpr unsigned numbers = 4 * Fours, lanes = lanesOf<Fours>;
    T of[numbers], beside;

    __device__ static unsigned lane() { return threadIdx.x % lanes; }

    __device__ void beginAsOne()
    {
#pragma unroll
        for (unsigned j = 0; j < numbers; ++j)
            of[j] = j == lane() ? T(1) : T(0);
        beside = 0;
    }

    /// M ← M (1 − γλ − γ δδᵀ), b ← b + γ x M δ: the entry before all that are in it.
    __device__ void precede(const Four<T> (&delta)[Fours], T rate, T value, T lambda)
    {
        T sums[2] = {};
#pragma unroll
        for (unsigned j = 0; j < numbers; ++j)
            sums[j / 2 % 2] += of[j] * delta[j / 4].x[j % 4];
        const T by = rate * (sums[0] + sums[1]), keep = 1 - rate * lambda;
        beside += by * value;
#pragma unroll
        for (unsigned j = 0; j < numbers; ++j)
            of[j] = keep * of[j] - by * delta[j / 4].x[j % 4];
    }
};

template <class T, unsigned Fours> __device__ void readDelta(const T* from, Four<T> (&delta)[Fours])
{
#pragma unroll
    for (unsigned v = 0; v < Fours; ++v)
        delta[v] = four(from + 4 * v);
}

/// γ of an entry whose δ is there.
template <class T, unsigned Fours> __device__ T rateOf(const StepArguments<T>& s, const T* from)
{
    if (!(s.cap > 0))
        return s.rate;
    Four<T> delta[Fours];
    readDelta(from, delta);
    T size = 0;
#pragma unroll
    for (unsigned j = 0; j < 4 * Fours; ++j)
        size += delta[j / 4].x[j % 4] * delta[j / 4].x[j % 4];
    return s.rate * size > s.cap ? s.cap / size : s.rate;
}

/// The map of a part. Parts of a warp are walked together, as far as the longest goes; what is past a part's first entry is no step.
/// Every lane finds the rate of one entry, then all of the part's lanes are told it at the entry's turn.
template <class T, unsigned Fours> __device__ Map<T, Fours> mapOf(const StepArguments<T>& s, const Part& part)
{
    using Lane = Map<T, Fours>;
    constexpr unsigned stride = 4 * Fours;
    Lane map;
    map.beginAsOne();
    const auto entries = static_cast<unsigned>(part.end - part.begin);
    unsigned longest = entries;
#pragma unroll
    for (unsigned apart = Lane::lanes; apart < 32; apart *= 2)
        longest = max(longest, __shfl_xor_sync(whole, longest, apart));
    const T* const deltas = s.rows.deltas + (part.begin - s.rows.firstEntry) * stride;
    const T* const values = s.rows.values + part.begin;
    for (unsigned done = 0; done < longest; done += Lane::lanes) {
        const unsigned mine = done + Lane::lane();
        T rate = 0, value = 0;
        if (mine < entries) {
            const unsigned entry = entries - 1 - mine;
            rate = rateOf<T, Fours>(s, deltas + std::size_t{entry} * stride);
            value = values[entry];
        }
        for (unsigned first = 0; first < Lane::lanes && done + first < longest; first += ahead<T>) {
            Four<T> delta[ahead<T>][Fours];
#pragma unroll
            for (unsigned n = 0; n < ahead<T>; ++n) {
                const unsigned at = min(done + first + n, entries > 0 ? entries - 1 : 0);
                readDelta(deltas + std::size_t{entries > 0 ? entries - 1 - at : 0} * stride, delta[n]);
            }
#pragma unroll
            for (unsigned n = 0; n < ahead<T>; ++n)
                map.precede(delta[n], __shfl_sync(whole, rate, first + n, Lane::lanes), __shfl_sync(whole, value, first + n, Lane::lanes),
                            s.lambda);
        }
    }
    return map;
}

/// Where a piece's map is kept: M row by row, then b.
template <class T> __device__ T* keptMap(const StepArguments<T>& s, std::uint32_t piece, unsigned stride)
{
    constexpr unsigned ofDouble = sizeof(double) / sizeof(T);
    return reinterpret_cast<T*>(s.rows.sums + std::size_t{piece} * (stride * (stride + 1) / ofDouble));
}

/// Groups of lanes without a part go along, for lanes ask each other; their part is of an entry that there is.
template <class T, unsigned Fours>
__global__ void __launch_bounds__(threads)
    mapsKernel(const __grid_constant__ StepArguments<T> s, Index firstRow, Count rows, std::uint32_t firstPiece, std::uint32_t pieces)
{
    using Lane = Map<T, Fours>;
    constexpr unsigned stride = 4 * Fours;
    const Count number = Count{blockIdx.x} * (threads / Lane::lanes) + threadIdx.x / Lane::lanes;
    const bool isRow = number < rows, isPiece = !isRow && number < rows + pieces;
    Part part{0, s.rows.firstEntry, s.rows.firstEntry};
    if (isRow) {
        part = {static_cast<Index>(firstRow + number), s.rows.begins[firstRow + number], s.rows.begins[firstRow + number + 1]};
        if (part.begin == part.end || part.end - part.begin > s.rows.longest)
            part.begin = part.end = s.rows.firstEntry;
    } else if (isPiece) {
        const Piece piece = s.rows.pieces[firstPiece + (number - rows)];
        part = {piece.row, piece.begin, piece.end};
    }
    const Lane map = mapOf<T, Fours>(s, part);
    T stepped = map.beside;
    if (isRow) {
        const T* const row = s.rows.rows + std::size_t{part.row} * stride;
#pragma unroll
        for (unsigned v = 0; v < Fours; ++v) {
            const Four<T> own = four(row + 4 * v);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
                stepped += map.of[4 * v + i] * own.x[i];
        }
    }
    __syncwarp(); // all have read the row
    if (Lane::lane() >= stride)
        return;
    if (isRow && part.begin < part.end)
        s.rows.rows[std::size_t{part.row} * stride + Lane::lane()] = stepped;
    if (isPiece) {
        T* const to = keptMap(s, static_cast<std::uint32_t>(firstPiece + (number - rows)), stride);
#pragma unroll
        for (unsigned v = 0; v < Fours; ++v)
            *reinterpret_cast<Four<T>*>(to + Lane::lane() * stride + 4 * v) = {map.of[4 * v], map.of[4 * v + 1], map.of[4 * v + 2],
                                                                               map.of[4 * v + 3]};
        to[stride * stride + Lane::lane()] = map.beside;
    }
}

/// Lanes: a row. The next piece's map is read while that of the last one is applied.
template <class T, unsigned Fours>
__global__ void __launch_bounds__(threads) joinKernel(const __grid_constant__ StepArguments<T> s, const CutRow* rows, std::uint32_t count)
{
    using Lane = Map<T, Fours>;
    constexpr unsigned stride = 4 * Fours;
    const std::uint32_t number = blockIdx.x * (threads / Lane::lanes) + threadIdx.x / Lane::lanes;
    const CutRow cut = number < count ? rows[number] : CutRow{0, 0, 0};
    const unsigned mine = min(Lane::lane(), stride - 1);
    const auto read = [&](std::uint32_t piece, Lane& map) {
        if (piece >= cut.pieces)
            return map.beginAsOne();
        const T* const from = keptMap(s, cut.firstPiece + piece, stride);
#pragma unroll
        for (unsigned v = 0; v < Fours; ++v) {
            const Four<T> part = four(from + mine * stride + 4 * v);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
                map.of[4 * v + i] = part.x[i];
        }
        map.beside = from[stride * stride + mine];
    };
    unsigned longest = cut.pieces;
#pragma unroll
    for (unsigned apart = Lane::lanes; apart < 32; apart *= 2)
        longest = max(longest, __shfl_xor_sync(whole, longest, apart));
    T own = s.rows.rows[std::size_t{cut.row} * stride + mine];
    Lane next;
    read(0, next);
    for (unsigned piece = 0; piece < longest; ++piece) {
        const Lane map = next;
        read(piece + 1, next);
        T sums[2] = {map.beside, T(0)};
#pragma unroll
        for (unsigned j = 0; j < stride; ++j)
            sums[j % 2] += map.of[j] * __shfl_sync(whole, own, j, Lane::lanes);
        own = sums[0] + sums[1];
    }
    if (number < count && Lane::lane() < stride)
        s.rows.rows[std::size_t{cut.row} * stride + Lane::lane()] = own;
}

/// Calls launch(std::integral_constant of the fours of a row, blocks).
template <class Launch> void dispatchFours(unsigned stride, Count groups, const Launch& launch)
{
    if (groups == 0)
        return;
    const auto with = [&](auto fours) {
        const Count ofBlock = threads / lanesOf<decltype(fours)::value>;
        launch(fours, static_cast<unsigned>((groups + ofBlock - 1) / ofBlock));
        CUDA_CHECK_LAUNCH();
    };
    using std::integral_constant;
    switch (stride / 4) {
    case 1:
        return with(integral_constant<unsigned, 1>{});
    case 2:
        return with(integral_constant<unsigned, 2>{});
    case 3:
        return with(integral_constant<unsigned, 3>{});
    case 4:
        return with(integral_constant<unsigned, 4>{});
    case 5:
        return with(integral_constant<unsigned, 5>{});
    case 6:
        return with(integral_constant<unsigned, 6>{});
    case 7:
        return with(integral_constant<unsigned, 7>{});
    default:
        return with(integral_constant<unsigned, 8>{});
    }
}

} // namespace

template <class T>
void stepByMaps(const StepArguments<T>& s, Index firstRow, Index endRow, std::uint32_t firstPiece, std::uint32_t endPiece,
                const cuda::Stream& stream)
{
    const Count rows = endRow - firstRow;
    dispatchFours(s.rows.stride, rows + (endPiece - firstPiece), [&](auto fours, unsigned blocks) {
        mapsKernel<T, decltype(fours)::value><<<blocks, threads, 0, stream>>>(s, firstRow, rows, firstPiece, endPiece - firstPiece);
    });
}

template <class T> void joinMaps(const StepArguments<T>& s, const CutRow* rows, std::uint32_t count, const cuda::Stream& stream)
{
    dispatchFours(s.rows.stride, count, [&](auto fours, unsigned blocks) {
        joinKernel<T, decltype(fours)::value><<<blocks, threads, 0, stream>>>(s, rows, count);
    });
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void stepByMaps(const StepArguments<T>&, Index, Index, std::uint32_t, std::uint32_t, const cuda::Stream&);                    \
    template void joinMaps(const StepArguments<T>&, const CutRow*, std::uint32_t, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::tucker_sgd::gpu
