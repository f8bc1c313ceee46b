// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/stream.cuh"
#include "kernels/operations/observed_rows/device_sizes.h"
#include "kernels/operations/observed_rows/pieces.h"

/// Least squares of the rows of one mode of a CP model on a GPU, as ridge_row.h and column_row.h have them. The same bits every time.
namespace kernels::observed_rows::gpu {

/// Entries sorted by the rows that are renewed, and the rows. These have `stride` numbers each, kruskal_rows::gpu::deviceStride(rank).
template <class T> struct RidgeArguments {
    unsigned rank = 1, stride = 1, others = 0;
    T* own = nullptr; ///< rows that are renewed
    const T* rows[maxOrder - 1] = {}; ///< of the other modes
    const Index* columns[maxOrder - 1] = {}; ///< [other mode][entry]
    const T* values = nullptr;
    const T* residuals = nullptr; ///< values − own row · h, where h is in several tiles; of entries from `firstResidual` on
    Count firstResidual = 0;
    const std::uint32_t* begins = nullptr; ///< of every row; then all entries
    const Piece* pieces = nullptr;
    const std::uint32_t* firsts = nullptr; ///< pieces of every row
    double* sums = nullptr; ///< [slot]: ridgeNumbers(rank)
    double* room = nullptr; ///< of wide ranks: solverRoom()
    double rounding = 0; ///< of the sums, of the largest on the diagonal: what sumPieces() said
    double penalty = 0; ///< λ
    bool weighted = false; ///< times the row's entries
    const double* centre = nullptr;
};

/// Equations of the launch's pieces; how far they are rounded.
template <class T> double sumPieces(const RidgeArguments<T>&, const Launch&, const cuda::Stream&);
/// The same on tensor cores: false where it has no kernel for the rank, or the device none.
bool sumOnTensorCores(const RidgeArguments<float>&, const Launch&, const cuda::Stream&);
/// What a block of sumPieces() takes for itself.
template <class T> std::size_t sumsSharedBytes(unsigned rank);
/// The rows that the launch completes.
template <class T> void solveRows(const RidgeArguments<T>&, const Launch&, const cuda::Stream&);
/// What a block of solveRows() takes for itself.
std::size_t solveSharedBytes(unsigned rank);

/// sums[b] = Σ |a − centre|², each row as often as `weighted` says, of the rows that block b of penaltyBlocks has.
template <class T> void sumPenalties(const RidgeArguments<T>&, Index rows, double* sums, const cuda::Stream&);

} // namespace kernels::observed_rows::gpu
