// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/stream.cuh"
#include "kernels/operations/spttm/spttm.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kernels::spttm::gpu {

/// A tensor on the device, semi-sparse where it has dense modes; not owned.
template <class T> struct Blocks {
    std::vector<Index> dims; ///< of all modes
    std::vector<unsigned> sparseModes, denseModes; ///< as formats::Scoo has them
    std::vector<const Index*> indices; ///< [of sparseModes][block]
    const T* values = nullptr; ///< [block][place]
    Count blocks = 0;

    Shape shape() const { return {dims, denseModes, blocks}; }
};

constexpr std::uint32_t beginsFibre = 1U << 31;

/// spttm::Fibres on the device: the same fibres in the same order, a word for each entry in place of rows.
template <class T> struct DeviceFibres {
    std::vector<Index> dims; ///< of all modes of the tensor
    unsigned mode = 0; ///< that fibres lie along
    std::vector<unsigned> sparseModes, denseModes; ///< without the mode
    std::vector<cuda::DeviceBuffer<Index>> indices; ///< [of sparseModes][fibre]
    cuda::DeviceBuffer<std::uint32_t> begins; ///< [fibre], then how many entries there are
    cuda::DeviceBuffer<std::uint32_t> words; ///< [entry]: its index along the mode, beginsFibre with the first of a fibre
    cuda::DeviceBuffer<T> values; ///< [entry][place]
    Count fibres = 0, longest = 0, blockSize = 1;

    Count entries() const { return words.count(); }
    std::uint64_t bytes() const
    {
        std::uint64_t sum = begins.bytes() + words.bytes() + values.bytes();
        for (const auto& column : indices)
            sum += column.bytes();
        return sum;
    }
};

/// Sorts them with the mode innermost. Throws Error(BadArgument) for 2^32 entries and more and for a mode of 2^31 indices and more,
/// OutOfMemory, Cancelled. Returns when they stand, the same bits every time.
template <class T> DeviceFibres<T> fibresOf(const Blocks<T>&, unsigned mode, RunControl&, const cuda::Stream&);
extern template DeviceFibres<float> fibresOf(const Blocks<float>&, unsigned, RunControl&, const cuda::Stream&);
extern template DeviceFibres<double> fibresOf(const Blocks<double>&, unsigned, RunControl&, const cuda::Stream&);

} // namespace kernels::spttm::gpu
