// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/grouped_team.cuh"

namespace kernels::core_contraction::gpu {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned entriesOfTeam = 4; ///< at once: eight take twice the registers for 3 % fewer instructions

/// A warp: a group, and some columns (y).
template <class T, unsigned Lanes>
__global__ void __launch_bounds__(threads) groupedDeltasKernel(const __grid_constant__ Contraction<T> c, const GroupedEntries entries,
                                                               std::uint32_t first, std::uint32_t end, T* to)
{
    using Team = GroupTeam<T, Lanes, entriesOfTeam>;
    const std::uint32_t number = first + blockIdx.x * (threads / 32) + threadIdx.x / 32;
    if (number >= end)
        return;
    const Group group = entries.groups[number];
    const std::uint32_t endPlace = entries.groups[number + 1].first;
    const unsigned column = blockIdx.y * 4 * Lanes + Team::ownColumn();
    const bool inside = column < c.openStride;
    const T* const part = c.table + std::size_t{group.row} * c.positions[1].rank * c.openStride + (inside ? column : 0);
    for (std::uint32_t place = group.first; place < endPlace; place += Team::atOnce) {
        Team team;
        team.take(c.positions[1], entries.others, place, endPlace);
        T sums[Team::each][4];
        team.multiply(part, c.positions[1].rank, c.openStride, sums);
#pragma unroll
        for (unsigned n = 0; n < Team::each; ++n)
            if (inside && team.place(place, n) < endPlace)
                *reinterpret_cast<Four<T>*>(to + std::size_t{entries.slots[team.place(place, n)]} * c.openStride
                                            + column) = {sums[n][0], sums[n][1], sums[n][2], sums[n][3]};
    }
}

} // namespace

template <class T>
void groupedDeltas(const Contraction<T>& c, const GroupedEntries& entries, Count first, Count end, T* to, const cuda::Stream& stream)
{
    if (first == end)
        return;
    dispatchLanes(c.openStride, [&](auto lanes) {
        constexpr unsigned columns = 4 * decltype(lanes)::value, groupsOfBlock = threads / 32;
        const dim3 grid(static_cast<unsigned>((end - first + groupsOfBlock - 1) / groupsOfBlock), (c.openStride + columns - 1) / columns);
        groupedDeltasKernel<T, decltype(lanes)::value>
            <<<grid, threads, 0, stream>>>(c, entries, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end), to);
        CUDA_CHECK_LAUNCH();
    });
}

template void groupedDeltas(const Contraction<float>&, const GroupedEntries&, Count, Count, float*, const cuda::Stream&);
template void groupedDeltas(const Contraction<double>&, const GroupedEntries&, Count, Count, double*, const cuda::Stream&);

} // namespace kernels::core_contraction::gpu
