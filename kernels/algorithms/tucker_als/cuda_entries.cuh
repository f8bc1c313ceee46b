// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/cuda_rows.cuh"
#include "kernels/base/run_control.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/formats/csf_cuda.cuh"

#include <vector>

namespace kernels::tucker_als::gpu {

/// What is worked on at once: δ of neighbouring entries, then the rows whose entries these all are and pieces of longer rows.
struct Batch {
    Count begin = 0, end = 0;
    Index firstRow = 0, endRow = 0; ///< those that are cut are among them
    std::uint32_t firstPiece = 0, endPiece = 0;
};

/// A mode's entries sorted by the walk's modes, itself first; entries alike in all stay as they were.
template <class T> struct ModeEntries {
    std::vector<cuda::DeviceBuffer<Index>> columns; ///< by position of the walk behind the mode itself
    cuda::DeviceBuffer<T> values; ///< in the unit
    cuda::DeviceBuffer<std::uint32_t> begins; ///< of every row; then entries
    cuda::DeviceBuffer<Index> own; ///< row of every entry, where it is kept
    cuda::DeviceBuffer<Piece> pieces;
    cuda::DeviceBuffer<CutRow> cutRows;
    std::vector<Batch> batches;
};

template <class T>
ModeEntries<T> arrangeEntries(const formats::gpu::EntryColumns<T>&, const std::vector<unsigned>& modes, const PassSizes&, bool keepsOwn,
                              double unit, RunControl&, const cuda::Stream&);

} // namespace kernels::tucker_als::gpu
