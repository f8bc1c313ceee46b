// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/entry_order.h"
#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/base/aligned_array.h"
#include "kernels/base/array.h"
#include "kernels/base/run_control.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <vector>

namespace kernels::fasttucker_plus {

/// Entries entry by entry: all indices of one, then the next, so that a tile reads one stretch of memory.
template <class T> struct StoredEntries {
    Array<Index> indices; ///< entry × order
    Array<T> values;

    Count count() const { return values.size(); }
    std::uint64_t bytes() const { return indices.size() * sizeof(Index) + values.size() * sizeof(T); }
};

/// Copies a tensor's entries, in an order or (null) their own.
template <class T> StoredEntries<T> storeEntries(const SparseTensor&, const Arrangement*, RunControl&);

/// Factor rows and core matrices, padded with zeros.
template <class T> struct StoredModel {
    std::vector<Array<T>> factors; ///< [n]: I_n × stride_n
    std::vector<Array<T>> cores; ///< [n]: J_n × padded R
    std::vector<AlignedArray<T>> coresTransposed; ///< [n]: R × stride_n

    std::uint64_t bytes() const;
    /// Rows and cores of a model of the same shape; the transposed cores stay as they are.
    void copyNumbers(const StoredModel& other);
    void transposeCores(const std::vector<unsigned>& ranks, unsigned coreRank);
};

template <class T> StoredModel<T> storeModel(const Model&, RunControl&);
/// Back to the public, unpadded form. `shape` lends kind, dims and ranks.
template <class T> Model publicModel(const StoredModel<T>&, const Model& shape);

} // namespace kernels::fasttucker_plus
