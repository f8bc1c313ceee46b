// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/check.cuh"
#include "kernels/operations/spttm/product_cuda.cuh"

#include <algorithm>

/// out[f] = Σ x · U[i] over the entries of fibre f. A warp takes a piece: as many entries as every other warp, 32 at a time, whose
/// words and values its lanes read side by side. Groups of lanes divide these among themselves, a lane with a few columns (16 bytes
/// where rows are whole vectors, else one column) of the result's row. A fibre that begins and ends among a group's entries is
/// written at once; sums that go on from group to group meet by a segmented scan over the warp, and as long as no fibre begins the
/// groups only add up. The fibre that a piece begins inside has its sum apart; a second kernel adds such sums, in order, to the row
/// its first piece wrote. So nothing is added atomically, two runs give the same bits, and an entry costs its index and value (4 +
/// size of T bytes), a gathered row, and its share of a row that is written once. Sums are of type T.
namespace kernels::spttm::gpu {

constexpr unsigned blockThreads = 256, warpThreads = 32, warpsOfBlock = blockThreads / warpThreads;
constexpr unsigned all = ~0U;

/// Columns of a row that a lane has.
template <class T, unsigned W> struct alignas(W * sizeof(T)) Part {
    T of[W];

    __device__ static Part zero()
    {
        Part part;
#pragma unroll
        for (unsigned c = 0; c < W; ++c)
            part.of[c] = T(0);
        return part;
    }
    __device__ void add(const Part& row, T value)
    {
#pragma unroll
        for (unsigned c = 0; c < W; ++c)
            of[c] = fma(row.of[c], value, of[c]);
    }
    __device__ void add(const Part& other)
    {
#pragma unroll
        for (unsigned c = 0; c < W; ++c)
            of[c] += other.of[c];
    }
    __device__ Part fromBelow(unsigned distance) const
    {
        Part part;
#pragma unroll
        for (unsigned c = 0; c < W; ++c)
            part.of[c] = __shfl_up_sync(all, of[c], distance);
        return part;
    }
    /// Of all groups of so many lanes.
    __device__ Part overGroups(unsigned lanes) const
    {
        Part sum = *this;
        for (unsigned distance = lanes; distance < warpThreads; distance *= 2) {
#pragma unroll
            for (unsigned c = 0; c < W; ++c)
                sum.of[c] += __shfl_xor_sync(all, sum.of[c], distance);
        }
        return sum;
    }
    /// Not to be read soon: rows of the matrix stay in the cache.
    __device__ void writeOnce(T* at) const
    {
        if constexpr (W == 1)
            __stcs(at, of[0]);
        else
            __stcs(reinterpret_cast<uint4*>(at), reinterpret_cast<const uint4&>(*this));
    }
    /// Of a lane's, at the same place in its group.
    __device__ Part fromLane(unsigned lane) const
    {
        Part part;
#pragma unroll
        for (unsigned c = 0; c < W; ++c)
            part.of[c] = __shfl_sync(all, of[c], lane);
        return part;
    }
    __device__ static Part readFrom(const T* at)
    {
        if constexpr (W == 1) {
            Part part;
            part.of[0] = __ldg(at);
            return part;
        } else {
            static_assert(sizeof(Part) == 16);
            const uint4 bits = __ldg(reinterpret_cast<const uint4*>(at));
            return reinterpret_cast<const Part&>(bits);
        }
    }
};

/// 32 bits times 32 bits.
template <class T> __device__ inline const T* rowOf(const T* matrix, Index row, unsigned rowBytes)
{
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(matrix) + std::uint64_t{row} * rowBytes);
}

/// Bits below the i-th, i up to 31.
__device__ inline unsigned below(unsigned i) { return (1U << i) - 1; }

/// W columns a lane, groups of L lanes.
template <class T, unsigned W, unsigned L>
__global__ void __launch_bounds__(blockThreads) balancedKernel(const __grid_constant__ ProductArguments<T> a, std::uint32_t firstPiece)
{
    using Sum = Part<T, W>;
    constexpr unsigned inFlight = L < 4 ? L : 4; // rows under way at once
    const std::uint32_t piece = firstPiece + blockIdx.x * warpsOfBlock + threadIdx.x / warpThreads;
    if (piece >= a.pieces)
        return;
    const unsigned laneOfWarp = threadIdx.x % warpThreads, lane = laneOfWarp % L, group = laneOfWarp / L, firstOwn = group * L;
    const std::uint32_t begin = piece * a.perPiece, end = begin + min(a.entries - begin, a.perPiece);
    const unsigned rowBytes = a.rank * sizeof(T);
    const bool single = a.places == 1;
    const std::uint32_t parts = a.columns / W;
    for (Count slab = blockIdx.y; slab * L < parts; slab += gridDim.y) {
        const auto part = static_cast<std::uint32_t>(slab) * L + lane;
        const bool mine = part < parts;
        const std::uint32_t column = (mine ? part : 0) * W; // of the block
        const std::uint32_t place = single ? 0 : column / a.rank;
        const T* const matrix = a.matrix + (column - place * a.rank);
        const T* const values = a.values + place;
        T* const out = a.out + column;

        std::uint32_t word = begin + laneOfWarp < end ? __ldcs(a.words + begin + laneOfWarp) : 0;
        T value = single && begin + laneOfWarp < end ? __ldcs(a.values + begin + laneOfWarp) : T(0);
        const bool inside = !(__shfl_sync(all, word, 0) & beginsFibre); // a fibre, at the piece's begin
        std::uint32_t open = a.pieceFibres[piece] - (inside ? 0 : 1); // the fibre before the next entry
        const std::uint32_t atStart = open;
        const auto write = [&](std::uint32_t fibre, const Sum& sum) {
            if (!mine || (fibre == atStart && !inside))
                return;
            T* const at = fibre == atStart ? a.sums + Count{a.pieceSums[piece]} * a.columns + column : out + Count{fibre} * a.columns;
            sum.writeOnce(at);
        };

        Sum carry = Sum::zero(); // over all groups: of the open fibre
        bool spread = false; // else the last group has all of it
        for (std::uint32_t base = begin; base < end; base += warpThreads) {
            const unsigned count = min(end - base, warpThreads);
            const std::uint32_t now = word;
            const T nowValue = value;
            const std::uint32_t ahead = base + warpThreads + laneOfWarp;
            word = ahead < end ? __ldcs(a.words + ahead) : 0;
            if (single)
                value = ahead < end ? __ldcs(a.values + ahead) : T(0);
            const unsigned flags = __ballot_sync(all, (now & beginsFibre) != 0);

            Sum sum = flags ? Sum::zero() : carry, head = Sum::zero();
            bool seen = false; // a fibre began among the group's entries
#pragma unroll
            for (unsigned i = 0; i < L; i += inFlight) {
                Sum rows[inFlight];
                T factors[inFlight];
#pragma unroll
                for (unsigned j = 0; j < inFlight; ++j) {
                    const unsigned at = firstOwn + i + j;
                    const std::uint32_t row = __shfl_sync(all, now, at) & ~beginsFibre;
                    const T shuffled = __shfl_sync(all, nowValue, at);
                    rows[j] = Sum::readFrom(rowOf(matrix, row, rowBytes)); // of row 0 past the end
                    factors[j] = single || at >= count ? shuffled : __ldg(values + Count{base + at} * a.places);
                }
#pragma unroll
                for (unsigned j = 0; j < inFlight; ++j) {
                    const unsigned at = firstOwn + i + j;
                    if (flags >> at & 1) {
                        if (seen)
                            write(open + __popc(flags & below(at)), sum);
                        else
                            head = sum;
                        seen = true;
                        sum = Sum::zero();
                    }
                    if (at < count)
                        sum.add(rows[j], factors[j]);
                }
            }
            if (flags == 0) {
                carry = sum;
                spread = true;
                continue;
            }
            const Sum before = spread ? carry.overGroups(L) : carry.fromLane(warpThreads - L + lane);
            Sum upTo = sum; // since the last fibre began, over the groups before
#pragma unroll
            for (unsigned distance = L; distance < warpThreads; distance *= 2) {
                const Sum other = upTo.fromBelow(distance);
                // What upTo has so far: as many lanes' entries up to the group's last.
                if (laneOfWarp >= distance && !(flags & (below(distance) << (firstOwn + L - distance))))
                    upTo.add(other);
            }
            Sum reaching = upTo.fromBelow(L); // what goes on into the group
            const unsigned earlier = flags & below(firstOwn);
            if (group == 0)
                reaching = before;
            else if (earlier == 0)
                reaching.add(before);
            if (seen) {
                head.add(reaching);
                write(open + __popc(earlier), head);
            }
            carry = group == warpThreads / L - 1 ? upTo : Sum::zero();
            spread = false;
            open += __popc(flags);
        }
        const Sum last = carry.overGroups(L);
        if (group == 0)
            write(open, last);
    }
}

/// A block for every fibre that goes on in other pieces: its groups of lanes deal the sums out, and what they have is added up in
/// order.
template <class T, unsigned W, unsigned L>
__global__ void __launch_bounds__(blockThreads) cutKernel(const __grid_constant__ ProductArguments<T> a)
{
    using Sum = Part<T, W>;
    constexpr unsigned groups = blockThreads / L;
    __shared__ Sum ofGroups[groups][L];
    const CutFibre cut = a.cut[blockIdx.x];
    const unsigned lane = threadIdx.x % L, group = threadIdx.x / L;
    const Count parts = a.columns / W;
    for (Count slab = blockIdx.y; slab * L < parts; slab += gridDim.y) {
        const auto part = static_cast<std::uint32_t>(slab) * L + lane;
        const bool mine = part < parts;
        const std::uint32_t column = (mine ? part : 0) * W;
        Sum sum = Sum::zero();
#pragma unroll 4
        for (std::uint32_t i = cut.firstSum + group; i <= cut.lastSum; i += groups)
            sum.add(*reinterpret_cast<const Sum*>(a.sums + Count{i} * a.columns + column));
        ofGroups[group][lane] = sum;
        __syncthreads();
        for (unsigned half = groups / 2; half > 0; half /= 2) {
            if (group < half)
                ofGroups[group][lane].add(ofGroups[group + half][lane]);
            __syncthreads();
        }
        if (group == 0 && mine) {
            Sum* const to = reinterpret_cast<Sum*>(a.out + Count{cut.fibre} * a.columns + column);
            Sum whole = *to;
            whole.add(ofGroups[0][lane]);
            *to = whole;
        }
        __syncthreads();
    }
}

template <class T, unsigned W, unsigned L> void launchOf(const ProductArguments<T>& a, const cuda::Stream& stream, RunControl& control)
{
    constexpr Count mostSlabs = 65535;
    const auto slabs = static_cast<unsigned>(std::min<Count>(mostSlabs, (a.columns / W + L - 1) / L));
    const Count blocks = (a.pieces + warpsOfBlock - 1) / warpsOfBlock, parts = Count{a.entries} * a.columns / workAtOnce + 1;
    const Count blocksAtOnce = (blocks + parts - 1) / parts;
    cuda::LaunchPacer pacer(stream, control);
    for (Count block = 0; block < blocks; block += blocksAtOnce) {
        const dim3 grid(static_cast<unsigned>(std::min(blocks - block, blocksAtOnce)), slabs);
        balancedKernel<T, W, L><<<grid, blockThreads, 0, stream>>>(a, static_cast<std::uint32_t>(block * warpsOfBlock));
        CUDA_CHECK_LAUNCH();
        if (parts > 1)
            pacer.launched();
    }
    if (a.cuts > 0) {
        cutKernel<T, W, L><<<dim3(a.cuts, slabs), blockThreads, 0, stream>>>(a);
        CUDA_CHECK_LAUNCH();
    }
}

/// As many lanes to a group as the row has parts, at most 8 with 16 bytes each (128 together, a cache line), or 32 of one column.
template <class T> void launchBalanced(const ProductArguments<T>& a, const cuda::Stream& stream, RunControl& control)
{
    constexpr unsigned vector = 16 / sizeof(T);
    if (a.rank % vector == 0) {
        const Count parts = a.columns / vector;
        parts <= 1       ? launchOf<T, vector, 1>(a, stream, control)
            : parts <= 2 ? launchOf<T, vector, 2>(a, stream, control)
            : parts <= 4 ? launchOf<T, vector, 4>(a, stream, control)
                         : launchOf<T, vector, 8>(a, stream, control);
        return;
    }
    a.columns <= 1        ? launchOf<T, 1, 1>(a, stream, control)
        : a.columns <= 2  ? launchOf<T, 1, 2>(a, stream, control)
        : a.columns <= 4  ? launchOf<T, 1, 4>(a, stream, control)
        : a.columns <= 8  ? launchOf<T, 1, 8>(a, stream, control)
        : a.columns <= 16 ? launchOf<T, 1, 16>(a, stream, control)
                          : launchOf<T, 1, 32>(a, stream, control);
}

} // namespace kernels::spttm::gpu
