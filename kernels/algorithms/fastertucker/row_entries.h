// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/run_control.h"
#include "kernels/formats/bcsf_parts.h"
#include "kernels/tensor/sparse_tensor.h"

#include <optional>
#include <vector>

/// The entries as the CPU's passes walk them: copies in an order of their own for every mode.
namespace kernels::fastertucker {

/// Row after row of one mode. Other modes are numbered upwards, the mode itself left out.
template <class T> struct RowEntries {
    Array<Count> begins; ///< of every row; then entries
    std::vector<Array<Index>> indices; ///< [other mode][position]
    Array<T> values;

    Count count() const { return values.size(); }
    std::uint64_t bytes() const;
};

/// Sorted by the modes of modeOrder, the first of which owns the rows; entries alike in all of them stay in loadOrder of the
/// seed, or without one in their own order. Values are divided by the unit.
template <class T>
RowEntries<T> arrangeRows(const SparseTensor&, const std::vector<unsigned>& modeOrder, std::optional<std::uint64_t> seed, RunControl&,
                          double unit = 1);
/// The most that takes at once, the result included, and what is left of it. sortedBy: the sizes of modeOrder's modes, in any order.
std::uint64_t arrangeRowsBytes(unsigned order, Count entries, Index rows, unsigned valueBytes, const std::vector<Index>& sortedBy);
std::uint64_t rowEntriesBytes(unsigned order, Count entries, Index rows, unsigned valueBytes);

/// Fibres of the balanced tree whose leaves are one mode, each with all indices above it, so that any can be taken by itself.
template <class T> struct FibreEntries {
    std::vector<Array<Index>> indices; ///< [other mode][fibre]
    Array<Count> begins; ///< first leaf of every fibre; then leaves
    Array<Index> leaves;
    Array<T> values;

    Count fibres() const { return begins.size() - 1; }
    std::uint64_t bytes() const;
};

/// Trees of so many ranges of the mode's rows at most, with about as many entries each: no row is a leaf of two.
template <class T>
std::vector<FibreEntries<T>> arrangeFibres(const SparseTensor&, unsigned mode, const formats::BcsfLimits&, unsigned parts, RunControl&);
/// As many as keep the threads busy (0: of all cores), and no more where entries are few.
unsigned fibreParts(unsigned threads, Count entries);
std::uint64_t arrangeFibresBytes(const std::vector<Index>& dims, unsigned mode, Count entries, unsigned tensorValueBytes,
                                 unsigned valueBytes, const formats::BcsfLimits&, unsigned parts);
std::uint64_t fibreEntriesBytes(const std::vector<Index>& dims, unsigned mode, Count entries, unsigned valueBytes,
                                const formats::BcsfLimits&, unsigned parts);

/// Nodes of one tree of all entries at most, by level; the last level's are the fibres.
std::vector<Count> mostNodes(const std::vector<Index>& dims, unsigned mode, Count entries, const formats::BcsfLimits&);
Count mostFibres(const std::vector<Index>& dims, unsigned mode, Count entries, const formats::BcsfLimits&, unsigned parts = 1);

} // namespace kernels::fastertucker
