// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf_cuda.cuh"
#include "kernels/formats/runs.h"

/// Entries in runs on the GPU: those of runs.h, bit for bit.
namespace kernels::formats::gpu {

template <class T> struct DeviceRuns {
    RunsPlan plan;
    Count entries = 0; ///< padding not counted
    cuda::DeviceBuffer<std::uint32_t> words;
    cuda::DeviceBuffer<T> values;
    cuda::DeviceBuffer<Index> rows;
    cuda::DeviceBuffer<RunsStretch> stretches;
    std::vector<Count> blockBegins, blockEnds;

    Count positions() const { return values.count(); }
    std::uint64_t bytes() const { return words.bytes() + values.bytes() + rows.bytes() + stretches.bytes(); }
};

/// Throws Error(BadArgument) for 2^32 entries and more, OutOfMemory before it begins, Cancelled at a stop. Returns when the
/// copy stands, the same bits every time.
template <class T> DeviceRuns<T> buildRuns(const EntryColumns<T>&, const RunsPlan&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
