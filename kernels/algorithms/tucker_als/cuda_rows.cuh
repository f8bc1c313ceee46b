// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/device_cuts.h"
#include "kernels/device/stream.cuh"

#include <cstdint>

/// What alternating least squares does on a GPU with the δ of some entries, and sums over rows and entries. The same bits every time.
namespace kernels::tucker_als::gpu {

/// Rows of a mode and their entries, sorted by rows. Rows have `stride` numbers, as δ have.
template <class T> struct RowsArguments {
    T* rows = nullptr;
    unsigned rank = 1, stride = 4;
    const std::uint32_t* begins = nullptr; ///< of every row; then entries
    const T* values = nullptr;
    const T* deltas = nullptr; ///< of entries from `firstEntry` on
    Count firstEntry = 0;
    Count longest = 0; ///< rows with more entries are left to their pieces
    double penalty = 0;
    const double* centre = nullptr;
    const Piece* pieces = nullptr;
    double* sums = nullptr; ///< [piece]: its equations
};

/// Shared memory that a block takes, in bytes.
std::size_t rowsSharedBytes(unsigned rank, unsigned valueBytes);
/// Renews rows [first, end) that are not cut, by the δ of their entries.
template <class T> void renewRows(const RowsArguments<T>&, Index first, Index end, const cuda::Stream&);
template <class T> void sumPieces(const RowsArguments<T>&, std::uint32_t first, std::uint32_t end, const cuda::Stream&);
/// Renews rows whose pieces are summed.
template <class T> void renewCutRows(const RowsArguments<T>&, const CutRow*, std::uint32_t count, const cuda::Stream&);

/// Entries with their δ and own rows.
template <class T> struct PredictionArguments {
    const T* rows = nullptr;
    unsigned stride = 4;
    const Index* own = nullptr; ///< row of every entry
    const T* values = nullptr;
    T* deltas = nullptr; ///< of entries from `begin` on
    Count begin = 0, end = 0;
    double* sums = nullptr; ///< [block]: two numbers, added to
};

/// With w = x − x̂ or x̂: an entry's δ becomes w a. Adds Σ w².
template <class T> void weigh(const PredictionArguments<T>&, CoreWeights, const cuda::Stream&);
/// Adds Σ e² and Σ |e|, e = errorUnit (x − predictedUnit x̂).
template <class T> void judge(const PredictionArguments<T>&, double predictedUnit, double errorUnit, const cuda::Stream&);

/// sums[part][…] = Σ a aᵀ of a part of the rows, each as often as it has entries.
template <class T> void gramOfParts(const RowsArguments<T>&, Index rows, double* sums, const cuda::Stream&);
/// Adds to two numbers of every block, to the first Σ |a − centre|².
template <class T> void squaredDistance(const RowsArguments<T>&, Index rows, double* sums, const cuda::Stream&);

} // namespace kernels::tucker_als::gpu
