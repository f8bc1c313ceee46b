// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/cuda_step.cuh"
#include "kernels/operations/mttkrp/runs_kernels.cuh"

/// A mode's rows from one look at its entries: S = ∘ other rows, x̂ = a·S, then Σ p and Σ p̄. A team walks so many entries one
/// after another, each lane with 16 bytes of the rows, four entries at a time: the lanes add up four x̂ together, and S stays in registers
/// until the weights are known. A row whose entries one team has alone is renewed by it at once (no other row of the mode is read
/// for it); what is cut between teams is left in `partials`. Nothing is added atomically: the same bits every time.
namespace kernels::ntf::gpu {

using formats::RunsRecord;
using mttkrp::gpu::Fields;
using mttkrp::gpu::inFlight;
using mttkrp::gpu::readFour;
using mttkrp::gpu::readRow;
using mttkrp::gpu::Records;
static_assert(inFlight == 4);

template <class T> __device__ inline T dot(const Part<T>& a, const Part<T>& b)
{
    T sum = a.of[0] * b.of[0];
#pragma unroll
    for (unsigned c = 1; c < Part<T>::columns; ++c)
        sum = fma(a.of[c], b.of[c], sum);
    return sum;
}

/// Of four numbers the sums over Lanes lanes: lane l has that of number l % 4.
template <unsigned Lanes, class T> __device__ inline T sumOfFour(const T (&x)[inFlight], unsigned lane)
{
    const bool odd = lane & 1, high = lane & 2;
    T low = odd ? x[1] : x[0], up = odd ? x[3] : x[2];
    low += __shfl_xor_sync(~0U, odd ? x[0] : x[1], 1);
    up += __shfl_xor_sync(~0U, odd ? x[2] : x[3], 1);
    T sum = high ? up : low;
    sum += __shfl_xor_sync(~0U, high ? low : up, 2);
#pragma unroll
    for (unsigned distance = 4; distance < Lanes; distance *= 2)
        sum += __shfl_xor_sync(~0U, sum, distance);
    return sum;
}

/// The same over all warps of a block; room: two of them are used in turn, so that one barrier is enough.
template <class T> __device__ inline T sumOverWarps(T ofWarp, T (*room)[inFlight])
{
    const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
    if (lane < inFlight)
        room[threadIdx.x / 32][lane] = ofWarp;
    __syncthreads();
    T sum = 0;
    for (unsigned warp = lane / inFlight; warp < warps; warp += 32 / inFlight)
        sum += room[warp][lane % inFlight];
#pragma unroll
    for (unsigned distance = inFlight; distance < 32; distance *= 2)
        sum += __shfl_xor_sync(~0U, sum, distance);
    return sum;
}

/// How S counts in p and p̄, from the one number that an entry's x̂ gives: x̂ itself, or where it divides 1 / x̂.
template <class T>
__device__ inline void weigh(Divergence divergence, const T (&values)[inFlight], const T (&told)[inFlight], T (&up)[inFlight],
                             T (&down)[inFlight])
{
#pragma unroll
    for (unsigned i = 0; i < inFlight; ++i)
        if (divergence == Divergence::Euclidean) {
            up[i] = values[i];
            down[i] = told[i];
        } else if (divergence == Divergence::KullbackLeibler) {
            up[i] = values[i] * told[i];
            down[i] = 1;
        } else {
            up[i] = values[i] * told[i] * told[i];
            down[i] = told[i];
        }
}

template <class T> struct PassSums {
    Part<T> up = Part<T>::zero(), down = Part<T>::zero();

    __device__ void add(const Part<T>& product, T upWeight, T downWeight)
    {
        up.add(product, upWeight);
        down.add(product, downWeight);
    }
    /// end: 0 of the row that a team begins in, 1 of the one it ends in.
    __device__ void leave(const PassArguments<T>& a, std::uint32_t team, unsigned end, unsigned part) const
    {
        Part<T>* const at = reinterpret_cast<Part<T>*>(a.runs.partials) + (std::size_t{team} * 4 + 2 * end) * a.runs.parts + part;
        at[0] = up;
        at[a.runs.parts] = down;
    }
};

template <class T, bool Block> constexpr unsigned mostThreads = Block && sizeof(T) == 8 ? 512 : blockThreads;
template <class T, bool Block> constexpr unsigned residentBlocks = Block && sizeof(T) == 8 ? 1 : 3;

/// Block: a team is all of a block.
template <class T, unsigned Lanes, bool Block, unsigned Others, RunsRecord::Kind Kind>
__global__ void __launch_bounds__(mostThreads<T, Block>, residentBlocks<T, Block>) passKernel(const __grid_constant__ PassArguments<T> a)
{
    constexpr unsigned groupsOfWarp = 32 / Lanes;
    __shared__ T room[Block ? 2 : 1][Block ? mostThreads<T, Block> / 32 : 1][inFlight];
    const unsigned lane = threadIdx.x % Lanes, part = Block ? threadIdx.x : lane;
    const std::uint32_t warpTeam =
        a.firstTeam + (Block ? blockIdx.x : (blockIdx.x * (blockThreads / 32) + threadIdx.x / 32) * groupsOfWarp);
    if (warpTeam >= a.endTeam)
        return; // a whole warp, or block
    const std::uint32_t team = warpTeam + threadIdx.x % 32 / Lanes;
    const bool mine = part < a.runs.parts; // else lanes walk along
    const unsigned column = (mine ? part : 0) * Part<T>::columns, rowBytes = a.runs.parts * 16;
    const unsigned others = Others ? Others : a.runs.record.others;
    const T* const firstRows = a.runs.rows[0] + column;
    const T* const secondRows = a.runs.rows[1] + column;
    const auto ownRow = [&](Index row) { return *reinterpret_cast<const Part<T>*>(rowOf(a.finish.rows + column, row, rowBytes)); };

    const std::uint32_t begin = team * a.runs.perGroup;
    const std::uint32_t place = warpTeam * a.runs.perGroup + threadIdx.x % 32 / Lanes * inFlight;
    std::uint32_t run = static_cast<std::uint32_t>(a.runs.stretches[begin / formats::runsStretch].run());
    Part<T> own = ownRow(a.runs.runRows[run]);
    PassSums<T> sums;
    const Fields<Others, typename Records<Kind>::Word> fields(a.runs.record);
    Records<Kind> next;
    next.fetch(a.runs, place);
    bool cut = !next.begins(0);
    next.words[0] &= ~Records<Kind>::flag; // a team begins with it anyway
#pragma unroll 1
    for (unsigned done = 0; done < a.runs.perGroup; done += inFlight) {
        const std::uint32_t at = place + done * groupsOfWarp;
        Part<T> product[inFlight];
        T values[inFlight];
        Records<Kind> now;
        {
            Part<T> second[inFlight];
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i) {
                product[i] = readRow(firstRows, next.index(a.runs, fields, at, i, 0), rowBytes);
                if (Others > 1 || others > 1)
                    second[i] = readRow(secondRows, next.index(a.runs, fields, at, i, 1), rowBytes);
            }
            readFour(a.runs.values + at, values);
            now = next;
            if (done + inFlight < a.runs.perGroup)
                next.fetch(a.runs, at + inFlight * groupsOfWarp);
            if (Others > 1 || others > 1)
#pragma unroll
                for (unsigned i = 0; i < inFlight; ++i)
                    product[i].multiply(second[i]);
        }
        if constexpr (Others == 0)
            for (unsigned k = 2; k < others; ++k) {
                Part<T> third[inFlight];
#pragma unroll
                for (unsigned i = 0; i < inFlight; ++i)
                    third[i] = readRow(a.runs.rows[k] + column, now.index(a.runs, fields, at, i, k), rowBytes);
#pragma unroll
                for (unsigned i = 0; i < inFlight; ++i)
                    product[i].multiply(third[i]);
            }
        if (begin + done + inFlight > a.entries) // padding is no entry of value 0
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i)
                if (begin + done + i >= a.entries)
                    product[i] = Part<T>::zero();

        unsigned begins = 0;
#pragma unroll
        for (unsigned i = 0; i < inFlight; ++i)
            begins |= (now.begins(i) ? 1U : 0U) << i;
        T x[inFlight];
        if (begins == 0) {
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i)
                x[i] = dot(product[i], own);
        } else {
            Index rows[inFlight];
            std::uint32_t ahead = run;
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i) {
                ahead += begins >> i & 1;
                rows[i] = a.runs.runRows[ahead];
            }
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i)
                x[i] = dot(product[i], ownRow(rows[i]));
        }
#pragma unroll
        for (unsigned i = 0; i < inFlight; ++i)
            x[i] = mine ? x[i] : T(0);
        T predicted = sumOfFour<Lanes>(x, lane);
        if constexpr (Block)
            predicted = sumOverWarps(predicted, room[done / inFlight % 2]);
        const T floored = predicted > a.least ? predicted : a.least;
        const T told = a.divergence == Divergence::Euclidean ? predicted : 1 / floored;
        T all[inFlight], up[inFlight], down[inFlight];
#pragma unroll
        for (unsigned i = 0; i < inFlight; ++i)
            all[i] = __shfl_sync(~0U, told, static_cast<int>(i), Lanes);
        weigh(a.divergence, values, all, up, down);
        if (begins == 0) {
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i)
                sums.add(product[i], up[i], down[i]);
        } else { // once in the code, whichever entry a row begins with
#pragma unroll 1
            for (unsigned i = 0; i < inFlight; ++i, begins >>= 1) {
                if (begins & 1) {
                    if (mine && cut)
                        sums.leave(a, team, 0, part);
                    else if (mine)
                        finishPart<T, T>(a.finish, a.runs.runRows[run], part, sums.up.of, sums.down.of);
                    cut = false;
                    ++run;
                    sums = PassSums<T>();
                }
                sums.add(product[0], up[0], down[0]);
#pragma unroll
                for (unsigned k = 0; k + 1 < inFlight; ++k) {
                    product[k] = product[k + 1];
                    up[k] = up[k + 1];
                    down[k] = down[k + 1];
                }
            }
            own = ownRow(a.runs.runRows[run]);
        }
    }
    if (mine && team < a.teams)
        sums.leave(a, team, cut ? 0 : 1, part);
}

template <class T, unsigned Lanes, bool Block, unsigned Others, RunsRecord::Kind Kind>
void launchOf(const PassArguments<T>& a, const Team& team, const cuda::Stream& stream)
{
    const unsigned threads = Block ? 32 * team.warps : blockThreads, teamsOfBlock = Block ? 1 : blockThreads / Lanes;
    const unsigned blocks = (a.endTeam - a.firstTeam + teamsOfBlock - 1) / teamsOfBlock;
    passKernel<T, Lanes, Block, Others, Kind><<<blocks, threads, 0, stream>>>(a);
    CUDA_CHECK_LAUNCH();
}

template <class T, unsigned Lanes, bool Block> void launchLanes(const PassArguments<T>& a, const Team& team, const cuda::Stream& stream)
{
    using Kind = RunsRecord::Kind;
    const bool two = a.runs.record.others == 2;
    switch (a.runs.record.kind) {
    case Kind::Narrow:
        return launchOf<T, Lanes, Block, 2, Kind::Narrow>(a, team, stream);
    case Kind::Wide:
        return two ? launchOf<T, Lanes, Block, 2, Kind::Wide>(a, team, stream) : launchOf<T, Lanes, Block, 0, Kind::Wide>(a, team, stream);
    case Kind::Loose:
        return launchOf<T, Lanes, Block, 0, Kind::Loose>(a, team, stream);
    }
}

template <class T> void launchPass(const PassArguments<T>& a, const Team& team, const cuda::Stream& stream)
{
    if (team.isBlock())
        return launchLanes<T, 32, true>(a, team, stream);
    switch (team.lanes) {
    case 4:
        return launchLanes<T, 4, false>(a, team, stream);
    case 8:
        return launchLanes<T, 8, false>(a, team, stream);
    case 16:
        return launchLanes<T, 16, false>(a, team, stream);
    default:
        return launchLanes<T, 32, false>(a, team, stream);
    }
}

} // namespace kernels::ntf::gpu
