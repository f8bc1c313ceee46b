// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_sgd/cuda_steps.cuh"

/// Steps on narrow rows. What the entries of a row do to it one after another is an affine map, a ← M a + b, that is worked out from the
/// last entry to the first without the row: a lane has a row of M and a number of b, and no lane waits for another. So a long row is cut
/// where one likes, its pieces' maps are worked out at once, and their product is what its entries do in turn.
namespace kernels::tucker_sgd::gpu {

/// Rows [firstRow, endRow) that are not cut take all their steps; of pieces [firstPiece, endPiece) the maps are kept.
template <class T>
void stepByMaps(const StepArguments<T>&, Index firstRow, Index endRow, std::uint32_t firstPiece, std::uint32_t endPiece,
                const cuda::Stream&);
/// Cut rows take the steps of their pieces, one after another.
template <class T> void joinMaps(const StepArguments<T>&, const tucker_als::gpu::CutRow*, std::uint32_t count, const cuda::Stream&);

} // namespace kernels::tucker_sgd::gpu
