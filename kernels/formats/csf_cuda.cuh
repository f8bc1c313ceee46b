// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/stream.cuh"
#include "kernels/formats/bcsf_parts.h"

#include <vector>

/// Trees of fibres on the GPU. They are those of csf.h and bcsf.h bit for bit, with offsets of 32 bits.
namespace kernels::formats::gpu {

/// Entries on the device, structure of arrays; not owned.
template <class T> struct EntryColumns {
    std::vector<Index> dims; ///< by mode
    std::vector<const Index*> indices; ///< [mode][entry]
    const T* values = nullptr;
    Count entries = 0;
};

template <class T> struct DeviceCsf {
    std::vector<unsigned> modeOrder; ///< modes from the root to the leaves
    std::vector<cuda::DeviceBuffer<Index>> indices; ///< [level][node]; of the last level the leaves
    std::vector<cuda::DeviceBuffer<std::uint32_t>> children; ///< [level][node]: first child, then how many there are
    cuda::DeviceBuffer<T> values;

    unsigned order() const { return static_cast<unsigned>(modeOrder.size()); }
    Count entries() const { return indices.back().count(); }
    std::uint64_t bytes() const
    {
        std::uint64_t sum = values.bytes();
        for (const auto& level : indices)
            sum += level.bytes();
        for (const auto& level : children)
            sum += level.bytes();
        return sum;
    }
};

template <class T> struct DeviceBcsf {
    DeviceCsf<T> tree;
    BcsfLimits limits;
    std::vector<cuda::DeviceBuffer<std::uint32_t>> blockBegins; ///< [level][block], as in Bcsf

    Count blocks() const { return blockBegins.back().count() - 1; }
};

/// Throws Error(BadArgument) for 2^32 and more.
void refuseTooManyEntries(Count);

/// Sorts packed keys and cuts the levels out of them. Bytes an entry, for three modes whose indices fit one key: 24 for every 8
/// key bits of sorting, some 90 for all else. Throws Error(BadArgument) for what is no order of modes and for 2^32 entries and
/// more, OutOfMemory before it begins, Cancelled at a stop. Returns when the tree stands, the same bits every time.
template <class T> DeviceCsf<T> buildCsf(const EntryColumns<T>&, const std::vector<unsigned>& modeOrder, RunControl&, const cuda::Stream&);
template <class T> DeviceBcsf<T> balance(DeviceCsf<T>, const BcsfLimits&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
