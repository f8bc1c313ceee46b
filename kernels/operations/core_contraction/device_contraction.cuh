// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"
#include "kernels/device/stream.cuh"
#include "kernels/operations/core_contraction/device_sizes.h"

#include <cstddef>

/// A dense core contracted with the rows of many entries on a GPU. One mode is open; the others are positions 0, 1, … of a walk, and
/// the core is a matrix: of the Kronecker products of their rows, the last position varying fastest, times the open mode's columns.
namespace kernels::core_contraction::gpu {

/// Of entries and rows.
template <class T> struct Position {
    const Index* column = nullptr;
    const T* rows = nullptr;
    unsigned rank = 1, stride = 4;
};

template <class T> struct Contraction {
    Position<T> positions[maxOrder - 1];
    unsigned count = 0; ///< of positions
    unsigned openRank = 1, openStride = 4;
    const T* core = nullptr;
    const T* table = nullptr; ///< null, or of every row of position 0 what the core contracted with it leaves; at least two positions
};

/// Numbers of a table for one row.
template <class T> Count partNumbers(const Contraction<T>& c)
{
    Count numbers = c.openStride;
    for (unsigned p = 1; p < c.count; ++p)
        numbers *= c.positions[p].rank;
    return numbers;
}

/// to[(row − first) · partNumbers …] of rows of position 0.
template <class T> void makeTable(const Contraction<T>&, Index first, Index end, T* to, const cuda::Stream&);

/// to[(e − begin) · openStride …] = δ of entry e.
template <class T> void deltas(const Contraction<T>&, Count begin, Count end, T* to, const cuda::Stream&);
/// Shared memory that a block of deltas() takes, in bytes.
template <class T> std::size_t deltasSharedBytes(const Contraction<T>&);

/// Adds Σ (⊗ rows) w to parts[part][core as it is laid out], w = weighted[(e − begin) · openStride …]. The same bits every time.
template <class T>
void addGradients(const Contraction<T>&, const T* weighted, Count begin, Count end, unsigned partCount, double* parts, const cuda::Stream&);

/// to[i] = Σ over the parts, in their order; `numbers` of rows of `rank` that stand `stride` apart.
void sumParts(const double* parts, Count partCount, Count numbers, unsigned rank, unsigned stride, double* to, const cuda::Stream&);

} // namespace kernels::core_contraction::gpu
