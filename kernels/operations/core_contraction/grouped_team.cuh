// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/core_contraction/fours.cuh"
#include "kernels/operations/core_contraction/grouped.cuh"

#include <type_traits>

/// What kernels over groups share.
namespace kernels::core_contraction::gpu {

/// A warp works on a group: teams of `Lanes` lanes have an entry at a time, each lane four columns of it, so that a team reads and writes
/// whole sectors. `each` entries a team, but no more than `Most`, are worked on at once: they share what is read of the table, and take
/// registers, which leaves room for fewer warps.
template <class T, unsigned Lanes, unsigned Most> struct GroupTeam {
    static constexpr unsigned teams = 32 / Lanes;
    static constexpr unsigned fitting = groupEntries / teams * sizeof(float) / sizeof(T); ///< fp64 takes twice the registers
    static constexpr unsigned each = fitting < Most ? fitting : Most;
    static constexpr unsigned atOnce = teams * each;

    const T* rows[each]; ///< at position 1; of places past the end those of the last entry

    __device__ static unsigned ownColumn() { return threadIdx.x % Lanes * 4; }
    __device__ static std::uint32_t place(std::uint32_t first, unsigned n) { return first + n * teams + threadIdx.x % 32 / Lanes; }

    __device__ void take(const Position<T>& position, const Index* others, std::uint32_t first, std::uint32_t end)
    {
#pragma unroll
        for (unsigned n = 0; n < each; ++n)
            rows[n] = position.rows + std::size_t{others[min(place(first, n), end - 1)]} * position.stride;
    }

    /// Four columns of the rows times a part of the table, as many rows of which there are as `rank` says: up to 4 · Fours, or any number
    /// where Fours is 0.
    template <unsigned Fours = 0> __device__ void multiply(const T* part, unsigned rank, unsigned stride, T (&sums)[each][4]) const
    {
#pragma unroll
        for (unsigned n = 0; n < each; ++n)
#pragma unroll
            for (unsigned j = 0; j < 4; ++j)
                sums[n][j] = 0;
#pragma unroll(Fours ? Fours : 1)
        for (unsigned v = 0; v < (Fours ? 4 * Fours : rank); v += 4, part += 4 * std::size_t{stride}) {
            Four<T> by[each];
#pragma unroll
            for (unsigned n = 0; n < each; ++n)
                by[n] = four(rows[n] + v);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) {
                const Four<T> numbers = v + i < rank ? four(part + i * std::size_t{stride}) : Four<T>{};
#pragma unroll
                for (unsigned n = 0; n < each; ++n)
#pragma unroll
                    for (unsigned j = 0; j < 4; ++j)
                        sums[n][j] += by[n].x[i] * numbers.x[j];
            }
        }
    }
};

/// Calls launch(std::integral_constant) for the lanes of a team.
template <class Launch> void dispatchLanes(unsigned stride, const Launch& launch)
{
    using std::integral_constant;
    if (stride <= 4)
        launch(integral_constant<unsigned, 1>{});
    else if (stride <= 8)
        launch(integral_constant<unsigned, 2>{});
    else
        launch(integral_constant<unsigned, 4>{});
}

} // namespace kernels::core_contraction::gpu
