// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf_cuda.cuh"
#include "kernels/formats/hicoo.h"

/// HiCOO on the GPU: that of hicoo.h, bit for bit.
namespace kernels::formats::gpu {

template <class T> struct DeviceHicoo {
    std::vector<Index> dims;
    cuda::DeviceBuffer<HicooPosition> begins;
    cuda::DeviceBuffer<Index> blocks;
    cuda::DeviceBuffer<unsigned char> offsets;
    cuda::DeviceBuffer<T> values;

    unsigned order() const { return static_cast<unsigned>(dims.size()); }
    Count entries() const { return values.count(); }
    Count blockCount() const { return begins.count() - 1; }
    std::uint64_t bytes() const { return begins.bytes() + blocks.bytes() + offsets.bytes() + values.bytes(); }
};

/// Throws Error(BadArgument) for 2^32 entries and more, OutOfMemory before it begins, Cancelled at a stop. Returns when the format
/// stands, the same bits every time.
template <class T> DeviceHicoo<T> buildHicoo(const EntryColumns<T>&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
