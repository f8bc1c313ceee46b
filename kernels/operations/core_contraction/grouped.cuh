// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/core_contraction/device_contraction.cuh"

/// Three modes with a table on a GPU. In the order of the open mode's rows every entry asks for another part of the table, J² numbers;
/// grouped by their rows at position 0, batch after batch, entries share it and ask for one row of J numbers each.
namespace kernels::core_contraction::gpu {

/// Entries in the grouped order; batches hold the same places there as in the order of rows.
struct GroupedEntries {
    const std::uint32_t* slots = nullptr; ///< in the order of rows, from the batch's first on
    const Index* others = nullptr; ///< row at position 1
    const Group* groups = nullptr; ///< and one more, which begins at the end
};

/// to[slot · openStride …] = δ of the entries of groups [first, end) of one batch.
template <class T> void groupedDeltas(const Contraction<T>&, const GroupedEntries&, Count first, Count end, T* to, const cuda::Stream&);

/// What is made of an entry's prediction x̂, and what weighs its rows then.
enum class GroupedWork {
    Residuals, ///< w = x − x̂
    Products, ///< w = x̂
    Errors ///< none: Σ e² and Σ |e|
};

template <class T> struct GroupedSums {
    Contraction<T> contraction;
    GroupedEntries entries;
    const Index* own = nullptr; ///< open mode's row of every entry, in the grouped order
    const T* ownRows = nullptr; ///< of openStride numbers
    const T* values = nullptr; ///< in the order of rows
    const std::uint32_t* runs = nullptr; ///< [batch][row at position 0]: its first entry in the grouped order; at last how many there are
    const std::uint32_t* batches = nullptr; ///< [batch]: its first entry
    unsigned batchCount = 0;
    Index rows = 0; ///< at position 0
    unsigned slices = 1;
    double unit = 1; ///< of errors
    double* blocks = nullptr; ///< [row][slice]: Σ (row at position 1) w (own row), then Σ w² and 0, or the errors' sums
};

/// Numbers of `blocks` for one row and slice.
template <class T> Count blockNumbers(const Contraction<T>& c) { return partNumbers(c) + 2; }
/// Of the rows [first, end) at position 0. The same bits every time.
template <class T> void sumGroups(const GroupedSums<T>&, GroupedWork, Index first, Index end, const cuda::Stream&);
/// parts[part][core as it is laid out] = Σ (row at position 0) ⊗ (its sums) over a part of these rows.
template <class T> void foldGroups(const GroupedSums<T>&, unsigned partCount, double* parts, const cuda::Stream&);
/// Two numbers: those that follow the products, over all rows and slices.
template <class T> void sumGroupErrors(const GroupedSums<T>&, double* to, const cuda::Stream&);

} // namespace kernels::core_contraction::gpu
