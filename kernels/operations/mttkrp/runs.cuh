// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/runs_cuda.cuh"
#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"
#include "kernels/operations/mttkrp/row_vectors.cuh"

namespace kernels::mttkrp::gpu {

constexpr unsigned blockThreads = 256, warpThreads = 32;

/// What the kernels of entries in runs are given.
template <class T> struct RunsArguments {
    formats::RunsRecord record;
    const std::uint32_t* words;
    const T* values;
    const Index* runRows;
    const formats::RunsStretch* stretches;
    std::uint32_t positions, runs;
    formats::RunsKey key;
    bool keepFirst; ///< rows of the first other mode, in a multiprocessor's cache
    bool addsUp; ///< a row has a run in several blocks: sums are added to it atomically
    const T* rows[maxOrder]; ///< [other]
    unsigned parts; ///< of 16 bytes in a row
    unsigned perGroup; ///< positions that a group of lanes takes; they lie as RunsPlaces has them for the groups of a warp
    unsigned blocks; ///< of threads
    T* out;
    T* partials; ///< [block][first, last][stride]: sums of the runs that a block begins and ends in
};

/// Both kernels: blocks add up their runs, then what was cut between blocks is put together.
template <class T> void launchRuns(const RunsArguments<T>&, unsigned lanes, const cuda::Stream&);
extern template void launchRuns(const RunsArguments<float>&, unsigned, const cuda::Stream&);
extern template void launchRuns(const RunsArguments<double>&, unsigned, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
