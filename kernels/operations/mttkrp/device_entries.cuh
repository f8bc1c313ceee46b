// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"

namespace kernels::mttkrp::gpu {

/// A tensor's entries for the formats of a device: brought there when one is built of them, and left on the host for those that
/// stream where they are too many. What is built of them needs them as long as they are here; the tensor outlives them.
template <class T> class DeviceEntries {
public:
    DeviceEntries(const SparseTensor&, const Settings&, const cuda::Stream&);

    /// All of them, if there is room.
    void bringWhatFits(RunControl&);
    /// Throws as makeOnCuda does, OutOfMemory where settings.memoryLimit is too little for a format that does not stream.
    Made<T> make(std::string_view format, RunControl&);

private:
    std::uint64_t room() const;
    std::uint64_t bytes() const;
    bool areThere() const { return m_onDevice.values != nullptr; }
    void bring(RunControl&);
    void letGo();

    const SparseTensor& m_tensor;
    Settings m_settings;
    const cuda::Stream& m_stream;
    std::vector<cuda::DeviceBuffer<Index>> m_columns;
    cuda::DeviceBuffer<T> m_values;
    EntryColumns<T> m_onDevice;
};

extern template class DeviceEntries<float>;
extern template class DeviceEntries<double>;

} // namespace kernels::mttkrp::gpu
