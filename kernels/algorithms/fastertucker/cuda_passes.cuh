// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/cuda_rows.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

/// The passes over one mode. All rows, of A and of C, are as wide as the widest of J and R, padded to 16, 32, 64 or 128; a group of
/// width / 4 lanes owns a row, each lane four columns.
namespace kernels::fastertucker::gpu {

/// One mode at work. S: what the projected rows C^(k) of the others are kept in.
template <class T, class S> struct RowArguments {
    unsigned others = 0; ///< modes but this one
    const S* projections[maxOrder] = {}; ///< [other mode]
    const Index* indices[maxOrder] = {}; ///< [other mode][position], of entries or of fibres
    const T* values = nullptr;
    T* rows = nullptr; ///< A of this mode
    T* own = nullptr; ///< C of this mode, in the masters' precision
    const T* projecting = nullptr; ///< B, [j][r]
    const T* returning = nullptr; ///< its transpose, [r][j]
    const T* gram = nullptr; ///< Bᵀ B
    unsigned rank = 0, coreRank = 0; ///< unpadded
    unsigned width = 0; ///< of all rows
};

template <class T> struct RowStep {
    T rate = 0, lambda = 0;
    const float* rowScales = nullptr; ///< null: 1
    unsigned tile = 1; ///< entries of a row between two multiples of this position see the same old row
    bool nonnegative = false;
};

/// Chunks [begin, end) are renewed, tile after tile; whole rows are stored, shared ones added to.
template <class T, class S>
void launchUpdateRows(const RowArguments<T, S>&, const RowStep<T>&, const RowChunk* chunks, Count begin, Count end, unsigned mostGroups,
                      cudaStream_t);

/// sums[chunk − begin] = Σ e w of its entries.
template <class T, class S>
void launchSumResiduals(const RowArguments<T, S>&, const RowChunk* chunks, Count begin, Count end, T* sums, cudaStream_t);

/// partials[block][j][r] += Σ a sum of chunks [begin, end), each block's share in order.
template <class T>
void launchAddOuter(const RowChunk* chunks, Count begin, Count end, const T* rows, const T* sums, unsigned width, unsigned blocks,
                    double* partials, cudaStream_t);

/// Fibres [begin, end) of a tree whose leaves are this mode, leaf after leaf.
template <class T, class S> struct Fibres {
    RowArguments<T, S> problem;
    const std::uint32_t* begins = nullptr;
    const Index* leaves = nullptr;
    bool reuse = false; ///< w and d once for all leaves
};
template <class T, class S>
void launchUpdateFibres(const Fibres<T, S>&, const RowStep<T>&, Count begin, Count end, unsigned mostGroups, cudaStream_t);

/// C = A B of all rows, in the precision that is kept.
template <class T, class S>
void launchProject(S* projections, const T* rows, const T* core, std::size_t count, unsigned width, cudaStream_t);
template <class T> void launchGram(T* gram, const T* core, unsigned width, cudaStream_t);

/// Groups that work at the same time when the whole device does.
template <class T, class S> unsigned groupsOfRows(unsigned width, unsigned others);
template <class T, class S> unsigned groupsOfFibres(unsigned width, unsigned others);

} // namespace kernels::fastertucker::gpu
