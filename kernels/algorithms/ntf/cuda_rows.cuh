// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/cuda_sizes.h"
#include "kernels/algorithms/ntf/row_steps.h"
#include "kernels/operations/mttkrp/runs.cuh"

#include <cuda_bf16.h>

namespace kernels::ntf::gpu {

/// A row that is cut between teams: the sums that the first of them leaves at its end, and those that so many others after it
/// have at their beginning.
struct CutRow {
    Index row;
    std::uint32_t team, heads;
};

/// What is done with a row's P and P̄.
template <class T> struct Finish {
    T* rows; ///< of the mode
    unsigned rank, parts; ///< numbers of a row, and its vectors of 16 bytes
    Rule rule;
    double penalty; ///< λ
    const Count* counts; ///< entries of rows, where λ is times them; or null
    T* numerators; ///< rows × rank: P and P̄ go there, and rows stay as they are. Or null
    T* denominators;
};

/// What the kernels of a pass over a mode's entries are given.
template <class T> struct PassArguments {
    mttkrp::gpu::RunsArguments<T> runs; ///< but for out and blocks
    const __nv_bfloat16* narrowRows[maxOrder] = {}; ///< the other modes' as runs.rows, kept in bf16, for passes that read those; else null
    Finish<T> finish;
    Divergence divergence;
    T least; ///< of x̂
    std::uint32_t entries, teams;
    std::uint32_t firstTeam, endTeam; ///< of this launch; the first one begins a warp
};

/// P and P̄ of every row that one team has alone are finished; of all others parts are left in `runs.partials`.
template <class T> void launchPass(const PassArguments<T>&, const Team&, const cuda::Stream&);
extern template void launchPass(const PassArguments<float>&, const Team&, const cuda::Stream&);
extern template void launchPass(const PassArguments<double>&, const Team&, const cuda::Stream&);
/// The same where the other modes' rows are read as they are kept in bf16.
void launchNarrowPass(const PassArguments<float>&, const Team&, const cuda::Stream&);

/// Errors and divergences of a copy's entries: of each block its squared errors, absolute errors and divergences.
template <class T> struct JudgeArguments {
    PassArguments<T> pass; ///< finish: its rows alone
    double unit, least; ///< of x̂ and values; of x̂ in their own unit
    double* sums; ///< [block][judgeSums]
};
template <class T> void judge(const JudgeArguments<T>&, const Team&, const cuda::Stream&);
extern template void judge(const JudgeArguments<float>&, const Team&, const cuda::Stream&);
extern template void judge(const JudgeArguments<double>&, const Team&, const cuda::Stream&);

/// Rows that are cut: a thread for 16 bytes of a row, or, where `far`, a block for it.
template <class T>
void finishCutRows(const Finish<T>&, const T* partials, const CutRow*, std::uint32_t count, bool far, const cuda::Stream&);

/// P and P̄ of these rows ← 0.
template <class T> void clearSums(const Finish<T>&, const Index* rows, std::size_t count, const cuda::Stream&);

/// From Finish's numerators and denominators; rows without entries in `entriesOfRows` stay.
template <class T> void stepRows(const Finish<T>&, Index rows, const Count* entriesOfRows, const cuda::Stream&);

template <class T> void startRows(T* rows, Index count, unsigned rank, std::uint64_t seed, unsigned mode, double size, const cuda::Stream&);

/// Rows as they are read in bf16; so many numbers, a multiple of four.
void narrowRows(const float* rows, std::size_t count, __nv_bfloat16* to, const cuda::Stream&);

/// Σ over rows of their squares, each times its weight where there are weights: a sum for each of sumBlocks.
template <class T> void sumSquares(const T* rows, Index count, unsigned stride, const Count* weights, double* sums, const cuda::Stream&);

} // namespace kernels::ntf::gpu
