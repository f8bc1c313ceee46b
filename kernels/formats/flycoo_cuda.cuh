// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf_cuda.cuh"
#include "kernels/formats/flycoo.h"

/// FLYCOO on the GPU: that of flycoo.h, bit for bit.
namespace kernels::formats::gpu {

/// A mode's partitions where kernels read them.
struct DevicePartitions {
    cuda::DeviceBuffer<std::uint32_t> begins, firstCut;
    cuda::DeviceBuffer<FlycooCut> cuts;
    cuda::DeviceBuffer<std::uint32_t> firstOfRow, cutsOfRow; ///< [cut row], then all; its cuts by partition
    unsigned cutRows = 0;

    std::uint64_t bytes() const { return begins.bytes() + firstCut.bytes() + cuts.bytes() + firstOfRow.bytes() + cutsOfRow.bytes(); }
};

template <class T> struct DeviceFlycoo {
    FlycooPlan plan;
    Count entries = 0;
    std::array<cuda::DeviceBuffer<FlycooVector>, 2> copies;
    std::vector<cuda::DeviceBuffer<std::uint32_t>> sources; ///< [mode]
    std::vector<FlycooPartitions> partitions; ///< [mode], on the host
    std::vector<DevicePartitions> onDevice; ///< [mode]

    std::uint64_t bytes() const;
};

/// Throws Error(BadArgument) where positions do not fit 32 bits, OutOfMemory before it begins, Cancelled at a stop. Returns when
/// it stands, the same bits every time.
template <class T> DeviceFlycoo<T> buildFlycoo(const EntryColumns<T>&, const FlycooPlan&, RunControl&, const cuda::Stream&);

/// Brings the entries of one copy, in the order of the mode before, into that of the mode in the other; returns when it is in the
/// stream.
template <class T> void remap(DeviceFlycoo<T>&, unsigned mode, unsigned fromCopy, const cuda::Stream&);

} // namespace kernels::formats::gpu
