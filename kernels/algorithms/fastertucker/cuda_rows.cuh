// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_storage.cuh"
#include "kernels/base/run_control.h"
#include "kernels/formats/bcsf_parts.h"

#include <vector>

/// The entries as the GPU's passes walk them: copies in an order of their own for every mode. They are those of row_entries.h.
namespace kernels::fastertucker::gpu {

/// Entries of one row that one group of lanes takes.
struct RowChunk {
    std::uint32_t begin = 0, length = 0; ///< positions
    Index row = 0;
    std::uint32_t shared = 0; ///< 1: other chunks have the same row
};

constexpr std::uint32_t entryBlock = 16; ///< entries that are read together; columns are padded to whole ones with zeros

/// Row after row of one mode. Other modes are numbered upwards, the mode itself left out.
template <class T> struct RowEntries {
    std::vector<cuda::DeviceBuffer<Index>> indices; ///< [other mode][position]
    cuda::DeviceBuffer<T> values;
    /// Short rows whole, by length, and those of long ones spread evenly over the pass, so that few of a row meet in it.
    cuda::DeviceBuffer<RowChunk> chunks;
    /// Deterministic mode: the first piece of every row, then the second of those that have one, … cut where a batch ends.
    cuda::DeviceBuffer<RowChunk> wholeRows;
    std::vector<Count> rounds; ///< where each of these begins in wholeRows, and their end
};

/// Sorted by the modes of modeOrder, the first of which owns the rows; entries alike in all of them stay as they were. A batch
/// of 0: not deterministic.
template <class T>
RowEntries<T> arrangeRows(const fasttucker_plus::gpu::Entries<T>&, const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder,
                          Count batch, RunControl&, const cuda::Stream&);

constexpr std::uint32_t fibreBlock = 32; ///< fibres that are read together; their columns are padded to whole blocks with zeros

/// Fibres of the balanced tree whose leaves are one mode, each with all indices above it, in the tree's order. Or the first leaf of
/// a fibre is the one whose row has most leaves, and fibres stand in the order of these rows: what neighbours add to a hot row can be
/// added up before.
template <class T> struct FibreEntries {
    std::vector<cuda::DeviceBuffer<Index>> indices; ///< [other mode][fibre]
    cuda::DeviceBuffer<Index> firstLeaves; ///< [fibre]
    cuda::DeviceBuffer<T> firstValues; ///< [fibre]
    cuda::DeviceBuffer<std::uint32_t> restBegins; ///< of every fibre's other leaves; then how many there are
    cuda::DeviceBuffer<Index> restLeaves;
    cuda::DeviceBuffer<T> restValues;

    Count fibres() const { return restBegins.count() > 0 ? restBegins.count() - 1 : 0; }
};

template <class T>
FibreEntries<T> arrangeFibres(const fasttucker_plus::gpu::Entries<T>&, const std::vector<Index>& dims, unsigned mode,
                              const formats::BcsfLimits&, bool byHottestRow, RunControl&, const cuda::Stream&);

} // namespace kernels::fastertucker::gpu
