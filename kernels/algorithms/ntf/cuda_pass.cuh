// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/cuda_step.cuh"
#include "kernels/operations/mttkrp/runs_kernels.cuh"

/// A mode's rows from one look at its entries: S = ∘ other rows, x̂ = a·S, then Σ p and Σ p̄. A team walks so many entries one
/// after another, each lane with 16 bytes of the rows (of those in bf16, 8), four entries at a time: the lanes add up four x̂ together, and
/// S stays in registers until the weights are known. A row whose entries one team has alone is renewed by it at once (no other row of the
/// mode is read for it); what is cut between teams is left in `partials`. Nothing is added atomically: the same bits every time.
namespace kernels::ntf::gpu {

using formats::RunsRecord;
using mttkrp::gpu::Fields;
using mttkrp::gpu::inFlight;
using mttkrp::gpu::readFour;
using mttkrp::gpu::readRow;
using mttkrp::gpu::Records;
static_assert(inFlight == 4);

template <class Sum, class T> __device__ inline Sum dot(const Part<T>& a, const Part<T>& b)
{
    Sum sum = static_cast<Sum>(a.of[0]) * static_cast<Sum>(b.of[0]);
#pragma unroll
    for (unsigned c = 1; c < Part<T>::columns; ++c)
        sum = fma(static_cast<Sum>(a.of[c]), static_cast<Sum>(b.of[c]), sum);
    return sum;
}

/// As readRow, of rows that are kept in bf16.
__device__ inline Part<float> readRow(const __nv_bfloat16* rows, Index row, unsigned rowBytes)
{
    const uint2 bits = __ldg(reinterpret_cast<const uint2*>(rowOf(rows, row, rowBytes)));
    return {{__uint_as_float(bits.x << 16), __uint_as_float(bits.x & 0xFFFF0000U), __uint_as_float(bits.y << 16),
             __uint_as_float(bits.y & 0xFFFF0000U)}};
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

template <class T, bool Block> constexpr unsigned mostThreads = !Block ? blockThreads : sizeof(T) == 8 ? 512 : 256;
/// As many as registers allow with none spilled: what is spilled is the records under way, which the walk then waits for.
template <class T, bool Block, unsigned Others>
constexpr unsigned residentBlocks = Block ? (sizeof(T) == 8    ? 1
                                                 : Others == 2 ? 3
                                                               : 2)
    : Others == 2                         ? 5
                                          : 4;

/// A thread's part in its team's walk. Stored: what the other modes' rows are kept in. Block: a team is all of a block.
template <class T, class Sum, class Stored, unsigned Lanes, bool Block, unsigned Others, RunsRecord::Kind Kind> struct Walk {
    static constexpr unsigned groupsOfWarp = 32 / Lanes;
    using Room = Sum[Block ? 2 : 1][Block ? mostThreads<T, Block> / 32 : 1][inFlight];

    const PassArguments<T>& a;
    const unsigned lane, part;
    const std::uint32_t warpTeam, team;
    const bool mine; ///< else lanes walk along

    __device__ explicit Walk(const PassArguments<T>& arguments)
        : a(arguments)
        , lane(threadIdx.x % Lanes)
        , part(Block ? threadIdx.x : lane)
        , warpTeam(a.firstTeam + (Block ? blockIdx.x : (blockIdx.x * (blockThreads / 32) + threadIdx.x / 32) * groupsOfWarp))
        , team(warpTeam + threadIdx.x % 32 / Lanes)
        , mine(part < a.runs.parts)
    {
    }
    __device__ bool any() const { return warpTeam < a.endTeam; } ///< the same for a whole warp, or block
    __device__ bool beginsCut() const { return !atPlace().begins(0); }

    /// visit(S, values, which entries begin a row, x̂, position, run) for every four entries; begins: bit i of entry i, never of the
    /// team's first; x̂: of entry lane % 4; run: the one before the first that begins here.
    template <class Visit> __device__ void run(Room& room, const Visit& visit) const
    {
        const unsigned column = (mine ? part : 0) * Part<T>::columns, rowBytes = a.runs.parts * 16;
        const unsigned others = Others ? Others : a.runs.record.others;
        constexpr unsigned narrower = sizeof(T) / sizeof(Stored);
        const auto rowsOf = [&](unsigned k) {
            if constexpr (std::is_same_v<Stored, T>)
                return a.runs.rows[k] + column;
            else
                return a.narrowRows[k] + column;
        };
        const Stored* const firstRows = rowsOf(0);
        const Stored* const secondRows = rowsOf(1);
        const auto ownRow = [&](Index row) { return *reinterpret_cast<const Part<T>*>(rowOf(a.finish.rows + column, row, rowBytes)); };
        const std::uint32_t begin = team * a.runs.perGroup, place = firstPlace();
        std::uint32_t run = static_cast<std::uint32_t>(a.runs.stretches[begin / formats::runsStretch].run());
        Part<T> own = ownRow(a.runs.runRows[run]);
        const Fields<Others, typename Records<Kind>::Word> fields(a.runs.record);
        Records<Kind> next = atPlace();
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
                    product[i] = readRow(firstRows, next.index(a.runs, fields, at, i, 0), rowBytes / narrower);
                    if (Others > 1 || others > 1)
                        second[i] = readRow(secondRows, next.index(a.runs, fields, at, i, 1), rowBytes / narrower);
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
                        third[i] = readRow(rowsOf(k), now.index(a.runs, fields, at, i, k), rowBytes / narrower);
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
            Sum x[inFlight];
            if (begins == 0) {
#pragma unroll
                for (unsigned i = 0; i < inFlight; ++i)
                    x[i] = dot<Sum>(product[i], own);
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
                    x[i] = dot<Sum>(product[i], ownRow(rows[i]));
            }
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i)
                x[i] = mine ? x[i] : Sum(0);
            Sum predicted = sumOfFour<Lanes>(x, lane);
            if constexpr (Block)
                predicted = sumOverWarps(predicted, room[done / inFlight % 2]);
            visit(product, values, begins, predicted, begin + done, run);
            if (begins != 0) {
                run += __popc(begins);
                own = ownRow(a.runs.runRows[run]);
            }
        }
    }

private:
    __device__ std::uint32_t firstPlace() const { return warpTeam * a.runs.perGroup + threadIdx.x % 32 / Lanes * inFlight; }
    __device__ Records<Kind> atPlace() const
    {
        Records<Kind> records;
        records.fetch(a.runs, firstPlace());
        return records;
    }
};

/// Called, so that what it needs takes no registers from the walk, which would then wait for records that are under way.
template <class T> __device__ __noinline__ void finishAside(const Finish<T>& f, Index row, unsigned part, Part<T> up, Part<T> down)
{
    finishPart<T, T>(f, row, part, up.of, down.of);
}

template <class T, class Stored, unsigned Lanes, bool Block, unsigned Others, RunsRecord::Kind Kind>
__global__ void __launch_bounds__(mostThreads<T, Block>, residentBlocks<T, Block, Others>)
    passKernel(const __grid_constant__ PassArguments<T> a)
{
    using Walk = Walk<T, T, Stored, Lanes, Block, Others, Kind>;
    __shared__ typename Walk::Room room;
    const Walk walk(a);
    if (!walk.any())
        return;
    PassSums<T> sums;
    bool cut = walk.beginsCut();
    walk.run(room,
             [&](Part<T>(&product)[inFlight], const T(&values)[inFlight], unsigned begins, T predicted, std::uint32_t, std::uint32_t run) {
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
                     return;
                 }
#pragma unroll 1
                 for (unsigned i = 0; i < inFlight; ++i, begins >>= 1) { // once in the code, whichever entry a row begins with
                     if (begins & 1) {
                         if (walk.mine && cut)
                             sums.leave(a, walk.team, 0, walk.part);
                         else if (walk.mine)
                             finishAside<T>(a.finish, a.runs.runRows[run], walk.part, sums.up, sums.down);
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
             });
    if (walk.mine && walk.team < a.teams)
        sums.leave(a, walk.team, cut ? 0 : 1, walk.part);
}

/// As row_steps_isa.cpp has it.
__device__ inline double divergenceOf(Divergence divergence, double x, double predicted, double least)
{
    if (divergence == Divergence::Euclidean)
        return (x - predicted) * (x - predicted);
    const double p = predicted > least ? predicted : least, ratio = x / p, below = (1 - ratio) * (predicted - p);
    const double logarithm = ratio > 0 ? log(ratio) : x > 0 ? log(x) - log(p) : 0; // x / p may be too small to hold
    if (divergence == Divergence::ItakuraSaito)
        return ratio - 1 - logarithm + below / p;
    return x > 0 ? p * (ratio * logarithm - ratio + 1) + below : predicted;
}

/// x̂ is summed in fp64 of S in T.
template <class T, unsigned Lanes, bool Block, unsigned Others, RunsRecord::Kind Kind>
__global__ void __launch_bounds__(mostThreads<T, Block>, Block ? (sizeof(T) == 8 ? 1 : 2) : 4)
    judgeKernel(const __grid_constant__ JudgeArguments<T> j)
{
    using Walk = Walk<T, double, T, Lanes, Block, Others, Kind>;
    __shared__ typename Walk::Room room;
    __shared__ double partial[mostThreads<T, Block> / 32];
    const Walk walk(j.pass);
    double sums[judgeSums] = {};
    if (walk.any())
        walk.run(
            room,
            [&](const Part<T>(&)[inFlight], const T(&values)[inFlight], unsigned, double predicted, std::uint32_t position, std::uint32_t) {
                const unsigned entry = walk.part;
                if (entry >= inFlight || position + entry >= j.pass.entries)
                    return;
                const T value = entry & 2 ? (entry & 1 ? values[3] : values[2]) : (entry & 1 ? values[1] : values[0]);
                const double x = j.unit * static_cast<double>(value), expected = j.unit * predicted, error = expected - x;
                sums[0] += error * error;
                sums[1] += error < 0 ? -error : error;
                sums[2] += divergenceOf(j.pass.divergence, x, expected, j.least);
            });
    double* const to = j.sums + (j.pass.firstTeam / (Block ? 1 : blockThreads / Lanes) + blockIdx.x) * judgeSums;
#pragma unroll
    for (unsigned s = 0; s < judgeSums; ++s) {
        double sum = sums[s];
        for (unsigned distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(~0U, sum, distance);
        __syncthreads(); // what was summed before is read
        if (threadIdx.x % 32 == 0)
            partial[threadIdx.x / 32] = sum;
        __syncthreads();
        for (unsigned warp = 1; threadIdx.x == 0 && warp < blockDim.x / 32; ++warp)
            sum += partial[warp];
        if (threadIdx.x == 0)
            to[s] = sum;
    }
}

/// launch.of<lanes, block, others, kind>() for what records and rank take.
template <unsigned Lanes, bool Block, class Launch> void launchLanes(const RunsRecord& record, const Launch& launch)
{
    using Kind = RunsRecord::Kind;
    switch (record.kind) {
    case Kind::Narrow:
        return launch.template of<Lanes, Block, 2, Kind::Narrow>();
    case Kind::Wide:
        return record.others == 2 ? launch.template of<Lanes, Block, 2, Kind::Wide>() : launch.template of<Lanes, Block, 0, Kind::Wide>();
    case Kind::Loose:
        return launch.template of<Lanes, Block, 0, Kind::Loose>();
    }
}
template <class Launch> void launchFor(const RunsRecord& record, const Team& team, const Launch& launch)
{
    if (team.isBlock())
        return launchLanes<32, true>(record, launch);
    switch (team.lanes) {
    case 4:
        return launchLanes<4, false>(record, launch);
    case 8:
        return launchLanes<8, false>(record, launch);
    case 16:
        return launchLanes<16, false>(record, launch);
    default:
        return launchLanes<32, false>(record, launch);
    }
}

struct Grid {
    unsigned blocks, threads;

    template <class T>
    Grid(const PassArguments<T>& a, const Team& team)
        : blocks((a.endTeam - a.firstTeam + team.ofBlock() - 1) / team.ofBlock())
        , threads(team.isBlock() ? 32 * team.warps : blockThreads)
    {
    }
};

template <class T, class Stored> struct PassLaunch {
    const PassArguments<T>& a;
    Grid grid;
    const cuda::Stream& stream;
    template <unsigned Lanes, bool Block, unsigned Others, RunsRecord::Kind Kind> void of() const
    {
        passKernel<T, Stored, Lanes, Block, Others, Kind><<<grid.blocks, grid.threads, 0, stream>>>(a);
        CUDA_CHECK_LAUNCH();
    }
};
template <class T> struct JudgeLaunch {
    const JudgeArguments<T>& a;
    Grid grid;
    const cuda::Stream& stream;
    template <unsigned Lanes, bool Block, unsigned Others, RunsRecord::Kind Kind> void of() const
    {
        judgeKernel<T, Lanes, Block, Others, Kind><<<grid.blocks, grid.threads, 0, stream>>>(a);
        CUDA_CHECK_LAUNCH();
    }
};

template <class T> void launchPass(const PassArguments<T>& a, const Team& team, const cuda::Stream& stream)
{
    launchFor(a.runs.record, team, PassLaunch<T, T>{a, Grid(a, team), stream});
}

template <class T> void judge(const JudgeArguments<T>& a, const Team& team, const cuda::Stream& stream)
{
    launchFor(a.pass.runs.record, team, JudgeLaunch<T>{a, Grid(a.pass, team), stream});
}

} // namespace kernels::ntf::gpu
