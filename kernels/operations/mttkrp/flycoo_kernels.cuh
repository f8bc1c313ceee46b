// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/flycoo.cuh"
#include "kernels/operations/mttkrp/row_pieces.cuh"

#include <cuda_pipeline.h>

/// A block owns a partition and the rows in it: it adds up x · ∘ rows of their entries, tile after tile, and writes each row
/// once, so that nothing is added atomically and two runs give the same bits. All partitions are worked on at once, each from
/// its heaviest rows on. In a tile a group of lanes walks so many entries one after another, each lane with 16 bytes of the rows,
/// and keeps the sum of the row it is in; what is cut between groups is put together in warp and block, and what is cut between
/// tiles is carried on. Records come
/// some steps ahead; each lane holds every Lanes-th of its group's step and tells the others of it by shuffles; where
/// entries still have the order of the mode before, it fetched it from there and writes it to its place here. Bytes an entry then,
/// with records of 16: a sector of 32 and a position of 4 read, 16 written, and its rows.
namespace kernels::mttkrp::gpu {

using formats::FlycooVector;

constexpr unsigned stepEntries = 8; ///< of a group
constexpr unsigned rowsInFlight = 4; ///< entries whose rows are under way at once

/// Steps whose records are under way to shared memory: fetched ones come from far.
template <unsigned Lanes> constexpr unsigned stepsAhead = Lanes == 8 ? 4 : Lanes == 4 ? 3 : 2;
template <unsigned Lanes> using RecordRing = uint4[stepsAhead<Lanes>][stepEntries / Lanes][mostFlycooThreads];

/// Where sums of rows go: a lane's part of them.
template <class T> struct FlycooOutput {
    const FlycooArguments<T>& a;
    unsigned column;
    bool mine; ///< the part is inside the row
    std::uint32_t firstCut, endCut; ///< of the partition

    /// mayBeCut: the row is looked for among those that the partition shares.
    __device__ void put(Index row, const Part<T>& sum, bool mayBeCut) const
    {
        if (!mine)
            return;
        T* at = rowOf(a.out + column, row, a.parts * 16);
        if (mayBeCut)
            for (std::uint32_t cut = firstCut; cut < endCut; ++cut)
                if (a.cuts[cut].row == row)
                    at = rowOf(a.partials + column, cut, a.parts * 16);
        *reinterpret_cast<Part<T>*>(at) = sum;
    }
};

/// A group's step as a lane holds it: the entries lane, lane + Lanes, …. First where they lie, a step ahead of what is there.
template <class T, unsigned Lanes> struct Sources {
    static constexpr unsigned count = stepEntries / Lanes;
    std::uint32_t of[count];

    __device__ void fetch(const FlycooArguments<T>& a, std::uint32_t begin, unsigned lane, std::uint32_t last)
    {
#pragma unroll
        for (unsigned e = 0; e < count; ++e) {
            of[e] = min(begin + e * Lanes + lane, last);
            if (a.sources)
                of[e] = __ldcs(a.sources + of[e]);
        }
    }
};

/// Vectors 1: a record in registers; 0: of any length, read where it lies.
template <class T, unsigned Lanes, unsigned Vectors> struct Held {
    static constexpr unsigned count = stepEntries / Lanes;
    uint4 bits[count];
    Sources<T, Lanes> from; ///< of no meaning where bits have one

    __device__ std::uint32_t word(const FlycooArguments<T>& a, unsigned e, unsigned word) const
    {
        if constexpr (Vectors == 1) {
            const std::uint32_t low = word & 1 ? bits[e].y : bits[e].x, high = word & 1 ? bits[e].w : bits[e].z;
            return word & 2 ? high : low;
        } else
            return reinterpret_cast<const std::uint32_t*>(a.from + std::size_t{from.of[e]} * a.record.vectors)[word];
    }
    __device__ Index index(const FlycooArguments<T>& a, unsigned e, unsigned mode) const
    {
        return a.record.index(word(a, e, a.record.word[mode]), mode);
    }
    __device__ T value(const FlycooArguments<T>& a, unsigned e) const
    {
        if constexpr (sizeof(T) == 4)
            return __uint_as_float(word(a, e, 0));
        else
            return __hiloint2double(static_cast<int>(word(a, e, 1)), static_cast<int>(word(a, e, 0)));
    }
    __device__ void put(const FlycooArguments<T>& a, unsigned e, std::uint32_t position) const
    {
        if constexpr (Vectors == 1)
            __stcs(reinterpret_cast<uint4*>(a.to) + position, bits[e]);
        else
            for (unsigned v = 0; v < a.record.vectors; ++v)
                a.to[std::size_t{position} * a.record.vectors + v] = a.from[std::size_t{from.of[e]} * a.record.vectors + v];
    }
};

/// A group of lanes on its way through a partition.
template <class T, unsigned Lanes, unsigned Others, unsigned Vectors> struct FlycooWalk {
    using Step = Held<T, Lanes, Vectors>;
    const FlycooArguments<T>& a;
    const FlycooOutput<T>& out;
    const Pieces<T, Lanes>& pieces; ///< of the warp
    RecordRing<Lanes>& ring; ///< each thread has its own part
    unsigned lane, groupOfWarp;
    Index row = 0;
    Part<T> sum = Part<T>::zero();
    bool cut = true; ///< the row may have begun before the group

    __device__ unsigned others() const { return Others ? Others : a.others; }
    __device__ unsigned groupMask() const { return ((1U << Lanes) - 1) << (groupOfWarp * Lanes); }

    /// Bit j: entry j of the step begins a row; before: the row of the entry before the step, afterwards the step's last.
    __device__ unsigned begins(const Step& step, const Index (&rows)[Step::count], std::uint32_t begin, std::uint32_t end,
                               Index& before) const
    {
        unsigned found = 0;
#pragma unroll
        for (unsigned e = 0; e < Step::count; ++e) {
            const Index left = __shfl_up_sync(~0U, rows[e], 1, Lanes);
            const bool begun = begin + e * Lanes + lane < end && rows[e] != (lane == 0 ? before : left);
            found |= (__ballot_sync(~0U, begun) >> (groupOfWarp * Lanes) & ((1U << Lanes) - 1)) << (e * Lanes);
            before = __shfl_sync(~0U, rows[e], Lanes - 1, Lanes);
        }
        return found;
    }

    /// The products of four entries of a step, from the i-th on, all rows asked for before any is waited for.
    __device__ void multiply(const Step& step, unsigned from, const T (&values)[Step::count], Part<T> (&product)[rowsInFlight],
                             Part<T> (&second)[rowsInFlight]) const
    {
        const auto row = [&](unsigned k, unsigned i, Index held) {
            const Index index = __shfl_sync(~0U, held, (from + i) % Lanes, Lanes);
            return readRow(a.rows[k] + out.column, index, a.parts * 16);
        };
        const auto index = [&](unsigned k, unsigned i) { return step.index(a, (from + i) / Lanes, a.otherModes[k]); };
#pragma unroll
        for (unsigned i = 0; i < rowsInFlight; ++i) {
            product[i] = row(0, i, index(0, i));
            if (others() > 1)
                second[i] = row(1, i, index(1, i));
        }
#pragma unroll
        for (unsigned i = 0; i < rowsInFlight; ++i)
            product[i].multiply(__shfl_sync(~0U, values[(from + i) / Lanes], (from + i) % Lanes, Lanes));
        for (unsigned k = 2; k < others(); ++k) {
            Part<T> third[rowsInFlight];
#pragma unroll
            for (unsigned i = 0; i < rowsInFlight; ++i)
                third[i] = row(k, i, index(k, i));
#pragma unroll
            for (unsigned i = 0; i < rowsInFlight; ++i)
                product[i].multiply(third[i]);
        }
    }

    /// What has been summed of the row at hand, which ends here.
    __device__ void finish(bool mayBeCut)
    {
        if (cut)
            pieces.set(2 * groupOfWarp, lane, row, sum);
        else
            out.put(row, sum, mayBeCut);
        cut = false;
        sum = Part<T>::zero();
    }

    __device__ void take(const Step& step, std::uint32_t begin, std::uint32_t end, Index& before, bool first, bool mayBeCut)
    {
        Index rows[Step::count];
        T values[Step::count];
#pragma unroll
        for (unsigned e = 0; e < Step::count; ++e) {
            const bool there = begin + e * Lanes + lane < end;
            if (a.sources && there)
                step.put(a, e, begin + e * Lanes + lane);
            rows[e] = step.index(a, e, a.mode);
            values[e] = there ? step.value(a, e) : T(0);
        }
        if (first)
            row = before = __shfl_sync(~0U, rows[0], 0, Lanes);
        const unsigned begun = begins(step, rows, begin, end, before);
#pragma unroll
        for (unsigned from = 0; from < stepEntries; from += rowsInFlight) {
            Part<T> product[rowsInFlight], second[rowsInFlight];
            multiply(step, from, values, product, second);
#pragma unroll
            for (unsigned i = 0; i < rowsInFlight; ++i) {
                if (begun >> (from + i) & 1) {
                    finish(mayBeCut);
                    row = __shfl_sync(groupMask(), rows[(from + i) / Lanes], (from + i) % Lanes, Lanes);
                }
                if (others() > 1)
                    sum.add(product[i], second[i]);
                else
                    sum.add(product[i]);
            }
        }
    }

    __device__ void request(const Sources<T, Lanes>& sources, unsigned slot) const
    {
#pragma unroll
        for (unsigned e = 0; e < Step::count; ++e)
            __pipeline_memcpy_async(&ring[slot][e][threadIdx.x], a.from + sources.of[e], sizeof(uint4));
    }

    /// begin: of the group; steps: for as long as the warp's first group has some.
    __device__ void takeAll(std::uint32_t begin, std::uint32_t end, unsigned steps, bool mayBeCut)
    {
        const std::uint32_t groupEnd = min(begin + a.perGroup, end);
        Sources<T, Lanes> sources;
        Index before = 0;
        if constexpr (Vectors == 1) {
            constexpr unsigned depth = stepsAhead<Lanes>;
            __pipeline_wait_prior(0); // nothing of a tile before comes any more
            Sources<T, Lanes> first[depth];
#pragma unroll
            for (unsigned d = 0; d < depth; ++d)
                first[d].fetch(a, begin + d * stepEntries, lane, end - 1);
#pragma unroll
            for (unsigned d = 0; d < depth; ++d) {
                request(first[d], d);
                __pipeline_commit();
            }
            sources.fetch(a, begin + depth * stepEntries, lane, end - 1);
            unsigned slot = 0;
#pragma unroll 1
            for (unsigned step = 0; step < steps; ++step, slot = slot + 1 == depth ? 0 : slot + 1) {
                __pipeline_wait_prior(depth - 1);
                Step now;
#pragma unroll
                for (unsigned e = 0; e < Step::count; ++e)
                    now.bits[e] = ring[slot][e][threadIdx.x];
                if (step + depth < steps) {
                    request(sources, slot);
                    sources.fetch(a, begin + (step + depth + 1) * stepEntries, lane, end - 1);
                }
                __pipeline_commit();
                take(now, begin + step * stepEntries, groupEnd, before, step == 0, mayBeCut);
            }
        } else {
#pragma unroll 1
            for (unsigned step = 0; step < steps; ++step) {
                Step now;
                now.from.fetch(a, begin + step * stepEntries, lane, end - 1);
                take(now, begin + step * stepEntries, groupEnd, before, step == 0, mayBeCut);
            }
        }
    }

    /// The group's share of a tile; the warp's groups go together. Leaves two pieces.
    __device__ void walk(std::uint32_t begin, std::uint32_t end, bool mayBeCut)
    {
        if (lane == 0)
            pieces.runs[2 * groupOfWarp] = noRun;
        cut = true;
        sum = Part<T>::zero();
        const std::uint32_t left = end - (begin - groupOfWarp * a.perGroup); // for the warp
        takeAll(begin, end, (min(a.perGroup, left) + stepEntries - 1) / stepEntries, mayBeCut);
        pieces.set(2 * groupOfWarp + 1, lane, begin < end ? row : noRun, sum);
    }
};

template <class T, unsigned Lanes, unsigned Others, unsigned Vectors>
__global__ void __launch_bounds__(mostFlycooThreads, flycooBlocks(Others, Vectors))
    flycooKernel(const __grid_constant__ FlycooArguments<T> a)
{
    constexpr unsigned groupsOfWarp = 32 / Lanes, mostWarps = mostFlycooThreads / 32, carry = 4 * mostWarps;
    __shared__ Part<T> sums[mostWarps][2 * groupsOfWarp][Lanes]; // pieces of groups
    __shared__ std::uint32_t runs[mostWarps][2 * groupsOfWarp];
    __shared__ Part<T> blockSums[carry + 1][Lanes]; // those of warps, of two tiles; then what is carried on
    __shared__ std::uint32_t blockRuns[carry + 1];
    __shared__ RecordRing<Lanes> ring;
    const unsigned lane = threadIdx.x % Lanes, warp = threadIdx.x / 32, groupOfWarp = threadIdx.x % 32 / Lanes, warps = blockDim.x / 32;
    const unsigned part = blockIdx.y * Lanes + lane;
    const std::uint32_t end = a.begins[blockIdx.x + 1];
    const FlycooOutput<T> out{a, (part < a.parts ? part : 0) * Part<T>::columns, part < a.parts, a.firstCut[blockIdx.x],
                              a.firstCut[blockIdx.x + 1]};
    const bool shares = out.firstCut < out.endCut;
    const std::uint32_t sharesEnd = shares ? a.cuts[out.endCut - 1].end : 0;
    const Pieces<T, Lanes> pieces{sums[warp], runs[warp]}, blockPieces{blockSums, blockRuns};
    FlycooWalk<T, Lanes, Others, Vectors> walk{a, out, pieces, ring, lane, groupOfWarp};
    const std::uint32_t perWarp = groupsOfWarp * a.perGroup, perTile = warps * perWarp;
    if (threadIdx.x == 0)
        blockRuns[carry] = noRun;
    __syncthreads();

    unsigned buffer = 0;
    for (std::uint32_t tile = a.begins[blockIdx.x]; tile < end; tile += perTile, buffer = 1 - buffer) {
        const bool mayBeCut = shares && tile <= sharesEnd;
        const unsigned piece = buffer * 2 * mostWarps + 2 * warp;
        const std::uint32_t begin = tile + warp * perWarp;
        if (begin < end) {
            walk.walk(begin + groupOfWarp * a.perGroup, end, mayBeCut);
            __syncwarp();
            if (threadIdx.x % 32 < Lanes) {
                std::uint32_t firstRun = noRun, lastRun = noRun;
                Part<T> firstSum = Part<T>::zero(), lastSum = Part<T>::zero();
                pieces.addUp(
                    2 * groupsOfWarp, lane, [](unsigned i) { return i; },
                    [&](std::uint32_t r, const Part<T>& s) { firstRun = r, firstSum = s; },
                    [&](std::uint32_t r, const Part<T>& s) { out.put(r, s, mayBeCut); },
                    [&](std::uint32_t r, const Part<T>& s) { lastRun = r, lastSum = s; });
                blockPieces.set(piece, lane, firstRun, firstSum);
                blockPieces.set(piece + 1, lane, lastRun, lastSum);
            }
        } else if (threadIdx.x % 32 == 0)
            blockRuns[piece] = blockRuns[piece + 1] = noRun;
        __syncthreads(); // warps go on to the other buffer while the first one adds up this one
        if (threadIdx.x < Lanes) {
            const auto whole = [&](std::uint32_t r, const Part<T>& s) { out.put(r, s, mayBeCut); };
            std::uint32_t lastRun = noRun;
            Part<T> lastSum = Part<T>::zero();
            blockPieces.addUp(
                2 * warps + 1, lane, [&](unsigned i) { return i == 0 ? carry : buffer * 2 * mostWarps + i - 1; }, whole, whole,
                [&](std::uint32_t r, const Part<T>& s) { lastRun = r, lastSum = s; });
            __syncwarp((1U << Lanes) - 1); // all have read the runs
            blockPieces.set(carry, lane, lastRun, lastSum);
            __syncwarp((1U << Lanes) - 1);
        }
        __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x < Lanes && blockRuns[carry] != noRun)
        out.put(blockRuns[carry], blockSums[carry][lane], shares);
}

/// A warp for every row that is cut: its groups of lanes share the sums that partitions left.
template <class T, unsigned Lanes>
__global__ void __launch_bounds__(mostFlycooThreads) flycooCutRowsKernel(const __grid_constant__ FlycooArguments<T> a)
{
    constexpr unsigned groupsOfWarp = 32 / Lanes;
    const unsigned cutRow = (blockIdx.x * mostFlycooThreads + threadIdx.x) / 32;
    if (cutRow >= a.cutRows)
        return;
    const unsigned lane = threadIdx.x % Lanes, group = threadIdx.x % 32 / Lanes, part = blockIdx.y * Lanes + lane;
    const unsigned column = (part < a.parts ? part : 0) * Part<T>::columns, rowBytes = a.parts * 16;
    const std::uint32_t first = a.firstOfRow[cutRow], end = a.firstOfRow[cutRow + 1];
    Part<T> sum = Part<T>::zero();
    for (std::uint32_t i = first + group; i < end; i += groupsOfWarp)
        sum.add(*reinterpret_cast<const Part<T>*>(rowOf(a.partials + column, a.cutsOfRow[i], rowBytes)));
#pragma unroll
    for (unsigned distance = 16; distance >= Lanes; distance /= 2)
        sum.add(sum.fromLane(distance));
    if (group == 0 && part < a.parts)
        *reinterpret_cast<Part<T>*>(rowOf(a.out + column, a.cuts[a.cutsOfRow[first]].row, rowBytes)) = sum;
}

template <class T, unsigned Lanes> void launchFlycooLanes(const FlycooArguments<T>& a, const cuda::Stream& stream)
{
    const unsigned slabs = (a.parts + Lanes - 1) / Lanes;
    const dim3 grid(a.partitions, slabs);
    if (a.record.vectors == 1 && a.others == 2)
        flycooKernel<T, Lanes, 2, 1><<<grid, a.threads, 0, stream>>>(a);
    else if (a.record.vectors == 1 && a.others == 3)
        flycooKernel<T, Lanes, 3, 1><<<grid, a.threads, 0, stream>>>(a);
    else if (a.record.vectors == 1)
        flycooKernel<T, Lanes, 0, 1><<<grid, a.threads, 0, stream>>>(a);
    else
        flycooKernel<T, Lanes, 0, 0><<<grid, a.threads, 0, stream>>>(a);
    CUDA_CHECK_LAUNCH();
    if (a.cutRows == 0)
        return;
    constexpr unsigned warps = mostFlycooThreads / 32;
    flycooCutRowsKernel<T, Lanes><<<dim3((a.cutRows + warps - 1) / warps, slabs), mostFlycooThreads, 0, stream>>>(a);
    CUDA_CHECK_LAUNCH();
}

template <class T> void launchFlycoo(const FlycooArguments<T>& a, unsigned lanes, const cuda::Stream& stream)
{
    switch (lanes) {
    case 2:
        return launchFlycooLanes<T, 2>(a, stream);
    case 4:
        return launchFlycooLanes<T, 4>(a, stream);
    default:
        return launchFlycooLanes<T, 8>(a, stream);
    }
}

} // namespace kernels::mttkrp::gpu
