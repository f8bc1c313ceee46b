// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/cuda_rows.cuh"

/// Steps of wide rows on a GPU by the δ of their entries, one entry after another. The same bits every time.
namespace kernels::tucker_sgd::gpu {

template <class T> struct StepArguments {
    tucker_als::gpu::RowsArguments<T> rows; ///< sums: of every piece, the row it came to; or its map, a narrow row's
    T rate = 0, lambda = 0;
    T cap = 0; ///< the rate is at most this over |δ|²; 0: there is no cap
};

/// Rows [first, end) that are not cut.
template <class T> void stepRows(const StepArguments<T>&, Index first, Index end, const cuda::Stream&);
/// Pieces, each from the row as it is.
template <class T> void stepPieces(const StepArguments<T>&, std::uint32_t first, std::uint32_t end, const cuda::Stream&);
/// Cut rows become the means of their pieces, each weighing as many entries as it has.
template <class T> void joinPieces(const StepArguments<T>&, const tucker_als::gpu::CutRow*, std::uint32_t count, const cuda::Stream&);

} // namespace kernels::tucker_sgd::gpu
