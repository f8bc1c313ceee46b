// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/formats/csf_cuda.cuh"
#include "kernels/operations/observed_rows/pieces.h"

#include <vector>

namespace kernels::cp_completion_als::gpu {

/// A mode's entries sorted by its rows, those of a row by the other modes, and how they are shared.
template <class T> struct ModeList {
    std::vector<cuda::DeviceBuffer<Index>> columns; ///< [mode][entry]
    cuda::DeviceBuffer<T> values; ///< in the unit
    cuda::DeviceBuffer<std::uint32_t> begins; ///< of every row; then entries
    cuda::DeviceBuffer<observed_rows::Piece> pieces;
    cuda::DeviceBuffer<std::uint32_t> firsts; ///< pieces of every row
    std::vector<observed_rows::Launch> launches;

    std::uint64_t bytes() const
    {
        std::uint64_t sum = values.bytes() + begins.bytes() + pieces.bytes() + firsts.bytes();
        for (const auto& column : columns)
            sum += column.bytes();
        return sum;
    }
};

/// modes: the mode itself first, then as its rows' entries are sorted. Stable.
template <class T>
ModeList<T> arrangeList(const formats::gpu::EntryColumns<T>&, const std::vector<unsigned>& modes, const observed_rows::PieceLimits&,
                        double unit, RunControl&, const cuda::Stream&);

} // namespace kernels::cp_completion_als::gpu
