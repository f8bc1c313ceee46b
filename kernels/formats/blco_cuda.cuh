// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/blco.h"
#include "kernels/formats/csf_cuda.cuh"

/// Blocked linearised coordinates on the GPU: those of blco.h, bit for bit.
namespace kernels::formats::gpu {

template <class T> struct DeviceBlco {
    BlcoPlan plan;
    cuda::DeviceBuffer<std::uint64_t> words;
    cuda::DeviceBuffer<T> values;
    cuda::DeviceBuffer<Count> begins;
    cuda::DeviceBuffer<Index> bases;

    Count entries() const { return words.count(); }
    Count blocks() const { return begins.count() - 1; }
    std::uint64_t bytes() const { return words.bytes() + values.bytes() + begins.bytes() + bases.bytes(); }
};

/// Throws Error(BadArgument) for 2^32 entries and more, OutOfMemory before it begins, Cancelled at a stop. Returns when it stands,
/// the same bits every time.
template <class T> DeviceBlco<T> buildBlco(const EntryColumns<T>&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
