// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/row_vectors.cuh"

/// How sums of neighbouring entries of one row, a run, are put together in a block of threads.
namespace kernels::mttkrp::gpu {

constexpr std::uint32_t noRun = ~0U;

/// Pieces of runs side by side in shared memory, each the sum of neighbouring entries.
template <class T, unsigned Lanes> struct Pieces {
    Part<T> (*sums)[Lanes];
    std::uint32_t* runs; ///< noRun: no piece

    __device__ void set(unsigned piece, unsigned lane, std::uint32_t run, const Part<T>& sum) const
    {
        sums[piece][lane] = sum;
        if (lane == 0)
            runs[piece] = run;
    }
    /// Adds up neighbours of one run among so many pieces, of which place(i) is the i-th: the first run's sum is given to
    /// first(run, sum) and the last one's to last, if it is another one, all between to whole.
    template <class Place, class First, class Whole, class Last>
    __device__ void addUp(unsigned count, unsigned lane, const Place& place, const First& first, const Whole& whole, const Last& last) const
    {
        std::uint32_t run = noRun;
        Part<T> sum = Part<T>::zero();
        bool several = false;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned piece = place(i);
            const std::uint32_t next = runs[piece];
            if (next == noRun)
                continue;
            if (next != run && run != noRun) {
                if (several)
                    whole(run, sum);
                else
                    first(run, sum);
                several = true;
                sum = Part<T>::zero();
            }
            run = next;
            sum.add(sums[piece][lane]);
        }
        last(run, sum);
    }
};

} // namespace kernels::mttkrp::gpu
