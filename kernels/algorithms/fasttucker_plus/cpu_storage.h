// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/base/aligned_array.h"
#include "kernels/base/array.h"
#include "kernels/base/chunks.h"
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

/// Copies a tensor's entries: at position p entry entryAt(p).
template <class T, class EntryAt> StoredEntries<T> storeEntries(const SparseTensor& tensor, const EntryAt& entryAt, RunControl& control)
{
    constexpr Count entriesAtOnce = 4096;
    const Count entries = tensor.entries();
    const unsigned order = tensor.order();
    StoredEntries<T> result;
    result.indices.resize(entries * order);
    result.values.resize(entries);
    std::visit(
        [&](const auto& values) {
            forEachChunk(entries, entriesAtOnce, control, [&](Count, Count begin, Count end) {
                for (Count position = begin; position < end; ++position) {
                    const Count entry = entryAt(position);
                    for (unsigned n = 0; n < order; ++n)
                        result.indices[position * order + n] = tensor.indices[n][entry];
                    result.values[position] = static_cast<T>(values[entry]);
                }
            });
        },
        tensor.values);
    return result;
}

/// B ← B − rate (Gr / entries + λ B).
struct CoreStep {
    double rate = 0, lambda = 0, entries = 1;
    bool nonnegative = false;
};

/// Factor rows and core matrices, padded with zeros.
template <class T> struct StoredModel {
    std::vector<Array<T>> factors; ///< [n]: I_n × stride_n
    std::vector<Array<T>> cores; ///< [n]: J_n × padded R
    std::vector<AlignedArray<T>> coresTransposed; ///< [n]: R × stride_n

    std::uint64_t bytes() const;
    /// Rows and cores of a model of the same shape; the transposed cores stay as they are.
    void copyNumbers(const StoredModel& other);
    /// gradient: J_n × padded R. The transposed core stays as it is.
    void updateCore(unsigned mode, unsigned rank, unsigned coreRank, const double* gradient, const CoreStep&);
    void transposeCores(const std::vector<unsigned>& ranks, unsigned coreRank);
};

template <class T> StoredModel<T> storeModel(const Model&, RunControl&);
/// Back to the public, unpadded form. `shape` lends kind, dims and ranks.
template <class T> Model publicModel(const StoredModel<T>&, const Model& shape);

} // namespace kernels::fasttucker_plus
