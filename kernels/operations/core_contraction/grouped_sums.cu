// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/grouped_team.cuh"

#include <algorithm>

namespace kernels::core_contraction::gpu {
namespace {

constexpr unsigned whole = 0xFFFFFFFF; ///< warps
constexpr unsigned threads = 128; ///< of a block that sums products: each has many registers
constexpr unsigned warps = threads / 32;
/// At once. More share what is read of the table, but leave the products too few registers and too few warps to wait for others.
template <class T> constexpr unsigned entriesOfTeam(GroupedWork work, unsigned fours)
{
    return work != GroupedWork::Errors && fours >= 3 && sizeof(T) == sizeof(float) ? 4 : 2;
}
constexpr unsigned foldThreads = 256;

/// Both are left in the first thread.
template <unsigned Threads> __device__ void sumOfBlock(double& first, double& second)
{
    __shared__ double others[2][Threads];
    others[0][threadIdx.x] = first;
    others[1][threadIdx.x] = second;
    for (unsigned half = Threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (auto& sums : others)
                sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    first = others[0][0];
    second = others[1][0];
}

/// Where a team finds what its entries need: asked for a step ahead. Past the end: the last entry's.
template <class Team> struct Places {
    Index other[Team::each], own[Team::each];
    std::uint32_t slot[Team::each];

    template <class T> __device__ void take(const GroupedSums<T>& a, std::uint32_t first, std::uint32_t end)
    {
#pragma unroll
        for (unsigned n = 0; n < Team::each; ++n) {
            const std::uint32_t place = min(Team::place(first, n), end - 1);
            other[n] = a.entries.others[place];
            own[n] = a.own[place];
            slot[n] = a.entries.slots[place];
        }
    }
};

/// A block: a slice of the entries of one row at position 0 (neighbouring batches: long runs), whose part of the table contracts the other
/// two rows to x̂. A lane sums four columns of Σ (row at position 1) w (own row) over its team's entries: for the core, that is all but the
/// row they share.
template <class T, unsigned Lanes, unsigned Fours, GroupedWork Work>
__global__ void __launch_bounds__(threads) sumGroupsKernel(const __grid_constant__ GroupedSums<T> a, Index firstRow)
{
    using Team = GroupTeam<T, Lanes, entriesOfTeam<T>(Work, Fours)>;
    const Contraction<T>& c = a.contraction;
    const unsigned rank = c.positions[1].rank, stride = c.positions[1].stride, slice = blockIdx.x % a.slices;
    const Index row = firstRow + blockIdx.x / a.slices;
    const unsigned column = Team::ownColumn();
    const bool inside = column < c.openStride;
    const T* const part = c.table + std::size_t{row} * rank * c.openStride + (inside ? column : 0);
    T products[Work == GroupedWork::Errors ? 1 : 4 * Fours][4] = {};
    double squares = 0, magnitudes = 0;
    const unsigned sliceBegin = a.batchCount * slice, sliceEnd = sliceBegin + a.batchCount; // in parts of a batch, as many as slices
    for (unsigned b = sliceBegin / a.slices; b * a.slices < sliceEnd; ++b) {
        const std::uint32_t* const run = a.runs + std::size_t{b} * a.rows + row;
        const std::uint32_t begin = run[0], end = run[1], steps = (end - begin + Team::atOnce - 1) / Team::atOnce;
        const T* const values = a.values + a.batches[b];
        const auto stepAt = [&](unsigned part) {
            const unsigned parts = min(part - min(part, b * a.slices), a.slices);
            return static_cast<std::uint32_t>(std::uint64_t{steps} * parts / a.slices);
        };
        const std::uint32_t endStep = stepAt(sliceEnd);
        const auto firstOf = [&](std::uint32_t step) { return begin + step * Team::atOnce; };
        Places<Team> places, next;
        std::uint32_t step = stepAt(sliceBegin) + threadIdx.x / 32;
        if (step < endStep)
            places.take(a, firstOf(step), end);
        for (; step < endStep; step += warps, places = next) {
            const std::uint32_t first = firstOf(step);
            Team team;
            Four<T> own[Team::each];
            T ofEntries[Team::each];
#pragma unroll
            for (unsigned n = 0; n < Team::each; ++n) { // asked for before the products wait for theirs
                team.rows[n] = c.positions[1].rows + std::size_t{places.other[n]} * stride;
                own[n] = inside ? four(a.ownRows + std::size_t{places.own[n]} * c.openStride + column) : Four<T>{};
                ofEntries[n] = values[places.slot[n]];
            }
            if (step + warps < endStep)
                next.take(a, firstOf(step + warps), end);
            T sums[Team::each][4];
            team.template multiply<Fours>(part, rank, c.openStride, sums);
#pragma unroll
            for (unsigned n = 0; n < Team::each; ++n) {
                const std::uint32_t place = team.place(first, n);
                const T value = ofEntries[n];
                T predicted = 0;
#pragma unroll
                for (unsigned j = 0; j < 4; ++j)
                    predicted += sums[n][j] * own[n].x[j];
#pragma unroll
                for (unsigned apart = 1; apart < Lanes; apart *= 2)
                    predicted += __shfl_xor_sync(whole, predicted, apart);
                const bool counts = place < end;
                const T weight = !counts ? T(0) : Work == GroupedWork::Products ? predicted : value - predicted;
                if (column == 0) { // one lane of the team
                    const double error = a.unit * static_cast<double>(weight);
                    squares += error * error;
                    if constexpr (Work == GroupedWork::Errors)
                        magnitudes += fabs(error);
                }
#pragma unroll
                for (T& number : own[n].x)
                    number = counts ? number * weight : T(0);
            }
            if constexpr (Work != GroupedWork::Errors) {
#pragma unroll
                for (unsigned v = 0; v < Fours; ++v)
                    if (4 * v < stride)
#pragma unroll
                        for (unsigned n = 0; n < Team::each; ++n) {
                            const Four<T> by = four(team.rows[n] + 4 * v);
#pragma unroll
                            for (unsigned i = 0; i < 4; ++i)
#pragma unroll
                                for (unsigned j = 0; j < 4; ++j)
                                    products[4 * v + i][j] += by.x[i] * own[n].x[j];
                        }
            }
        }
    }
    double* const to = a.blocks + (Count{row} * a.slices + slice) * (rank * c.openStride + 2);
    if constexpr (Work != GroupedWork::Errors) {
        __shared__ T ofWarps[warps][4 * Fours][4 * Lanes];
#pragma unroll
        for (unsigned v = 0; v < 4 * Fours; ++v)
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                T sum = products[v][j];
#pragma unroll
                for (unsigned apart = Lanes; apart < 32; apart *= 2)
                    sum += __shfl_xor_sync(whole, sum, apart);
                if (threadIdx.x % 32 < Lanes)
                    ofWarps[threadIdx.x / 32][v][column + j] = sum;
            }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < rank * c.openStride; i += threads) {
            double sum = 0;
#pragma unroll
            for (unsigned w = 0; w < warps; ++w)
                sum += static_cast<double>(ofWarps[w][i / c.openStride][i % c.openStride]);
            to[i] = sum;
        }
    }
    sumOfBlock<threads>(squares, magnitudes);
    if (threadIdx.x == 0) {
        to[std::size_t{rank} * c.openStride] = squares;
        to[std::size_t{rank} * c.openStride + 1] = magnitudes;
    }
}

/// A thread: a number of the core (x), from a part of the rows (y).
template <class T>
__global__ void __launch_bounds__(foldThreads) foldKernel(const __grid_constant__ GroupedSums<T> a, unsigned part, double* parts)
{
    const Position<T>& position = a.contraction.positions[0];
    const unsigned i = blockIdx.x * foldThreads + threadIdx.x, numbers = position.rank * part;
    if (i >= numbers)
        return;
    const unsigned j = i / part;
    const double* const from = a.blocks + i % part;
    const auto bound = [&](unsigned p) { return static_cast<Index>(Count{a.rows} * p / gridDim.y); };
    double sum = 0;
    for (Index row = bound(blockIdx.y); row < bound(blockIdx.y + 1); ++row) {
        double ofRow = 0;
#pragma unroll 4
        for (unsigned slice = 0; slice < a.slices; ++slice)
            ofRow += from[(Count{row} * a.slices + slice) * (part + 2)];
        sum += ofRow * static_cast<double>(position.rows[std::size_t{row} * position.stride + j]);
    }
    parts[std::size_t{blockIdx.y} * numbers + i] = sum;
}

template <class T>
__global__ void __launch_bounds__(foldThreads) errorsKernel(const __grid_constant__ GroupedSums<T> a, unsigned part, double* to)
{
    double squares = 0, magnitudes = 0;
#pragma unroll 4
    for (Count i = threadIdx.x; i < Count{a.rows} * a.slices; i += foldThreads) {
        squares += a.blocks[i * (part + 2) + part];
        magnitudes += a.blocks[i * (part + 2) + part + 1];
    }
    sumOfBlock<foldThreads>(squares, magnitudes);
    if (threadIdx.x == 0) {
        to[0] = squares;
        to[1] = magnitudes;
    }
}

template <class T, unsigned Lanes, unsigned Fours>
void launchSums(const GroupedSums<T>& a, GroupedWork work, Index first, unsigned blocks, const cuda::Stream& stream)
{
    if (work == GroupedWork::Residuals)
        sumGroupsKernel<T, Lanes, Fours, GroupedWork::Residuals><<<blocks, threads, 0, stream>>>(a, first);
    else if (work == GroupedWork::Products)
        sumGroupsKernel<T, Lanes, Fours, GroupedWork::Products><<<blocks, threads, 0, stream>>>(a, first);
    else
        sumGroupsKernel<T, Lanes, Fours, GroupedWork::Errors><<<blocks, threads, 0, stream>>>(a, first);
    CUDA_CHECK_LAUNCH();
}

} // namespace

template <class T> void sumGroups(const GroupedSums<T>& a, GroupedWork work, Index first, Index end, const cuda::Stream& stream)
{
    if (first == end)
        return;
    const unsigned blocks = (end - first) * a.slices;
    dispatchLanes(a.contraction.openStride, [&](auto lanes) {
        constexpr unsigned ofTeam = decltype(lanes)::value;
        const unsigned fours = a.contraction.positions[1].stride / 4;
        if (fours <= 1)
            launchSums<T, ofTeam, 1>(a, work, first, blocks, stream);
        else if (fours == 2)
            launchSums<T, ofTeam, 2>(a, work, first, blocks, stream);
        else if (fours == 3)
            launchSums<T, ofTeam, 3>(a, work, first, blocks, stream);
        else
            launchSums<T, ofTeam, 4>(a, work, first, blocks, stream);
    });
}

template <class T> void foldGroups(const GroupedSums<T>& a, unsigned partCount, double* parts, const cuda::Stream& stream)
{
    const auto part = static_cast<unsigned>(partNumbers(a.contraction));
    const dim3 grid((a.contraction.positions[0].rank * part + foldThreads - 1) / foldThreads, partCount);
    foldKernel<T><<<grid, foldThreads, 0, stream>>>(a, part, parts);
    CUDA_CHECK_LAUNCH();
}

template <class T> void sumGroupErrors(const GroupedSums<T>& a, double* to, const cuda::Stream& stream)
{
    errorsKernel<T><<<1, foldThreads, 0, stream>>>(a, static_cast<unsigned>(partNumbers(a.contraction)), to);
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void sumGroups(const GroupedSums<T>&, GroupedWork, Index, Index, const cuda::Stream&);                                        \
    template void foldGroups(const GroupedSums<T>&, unsigned, double*, const cuda::Stream&);                                               \
    template void sumGroupErrors(const GroupedSums<T>&, double*, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::core_contraction::gpu
