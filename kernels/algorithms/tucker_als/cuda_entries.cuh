// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/cuda_rows.cuh"
#include "kernels/base/run_control.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/formats/csf_cuda.cuh"
#include "kernels/operations/core_contraction/grouped.cuh"

#include <vector>

namespace kernels::tucker_als::gpu {

/// A mode's entries sorted by the walk's modes, itself first; entries alike in all stay as they were. Grouped: columns are in the grouped
/// order, slots first, then rows at position 1.
template <class T> struct ModeEntries {
    std::vector<cuda::DeviceBuffer<Index>> columns; ///< by position of the walk behind the mode itself
    cuda::DeviceBuffer<T> values; ///< in the unit, in the order of rows
    cuda::DeviceBuffer<std::uint32_t> begins; ///< of every row; then entries
    cuda::DeviceBuffer<Index> own; ///< row of every entry, where it is kept, in the columns' order
    cuda::DeviceBuffer<Piece> pieces;
    cuda::DeviceBuffer<CutRow> cutRows;
    std::vector<Batch> batches;
    cuda::DeviceBuffer<core_contraction::gpu::Group> groups; ///< none: entries are not grouped
    cuda::DeviceBuffer<std::uint32_t> runs, batchBegins;

    bool grouped() const { return groups.count() > 0; }
    core_contraction::gpu::GroupedEntries asGrouped() const { return {columns[0].data(), columns[1].data(), groups.data()}; }
    std::uint64_t bytes() const
    {
        std::uint64_t sum = values.bytes() + begins.bytes() + own.bytes() + pieces.bytes() + cutRows.bytes() + groups.bytes() + runs.bytes()
            + batchBegins.bytes();
        for (const auto& column : columns)
            sum += column.bytes();
        return sum;
    }
};

struct Arrangement {
    bool keepsOwn = false; ///< every entry's row
    bool groups = false;
    double unit = 1;
};

template <class T>
ModeEntries<T> arrangeEntries(const formats::gpu::EntryColumns<T>&, const std::vector<unsigned>& modes, const PassSizes&,
                              const Arrangement&, RunControl&, const cuda::Stream&);

} // namespace kernels::tucker_als::gpu
