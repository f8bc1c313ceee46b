// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/entry_transfer.cuh"
#include "kernels/operations/mttkrp/blco_stream.cuh"
#include "kernels/operations/mttkrp/plan.h"

namespace kernels::mttkrp::gpu {

/// Builds one of those that were planned for `auto`. automatic.cu
template <class T> Made<T> makeAutomaticFormat(const Plan&, const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&);

/// A tensor's entries for a device: there, or on the host, linearised, from where they stream. What is built of them needs them as
/// long as they are here; the tensor outlives them.
template <class T> class DeviceEntries {
public:
    DeviceEntries(const SparseTensor&, const cuda::Stream&);

    /// All of them; nothing to do where they are there.
    void bring(RunControl&);
    /// None of them but pieces, through so much room (blcoPieces).
    void stream(std::uint64_t room, RunControl&);
    /// Their products as planned. Throws as makeOnCuda does.
    Made<T> make(const Plan&, const Settings&, RunControl&);
    /// work puts into the stream what is to be done with some of them; all at once where they are there.
    void forEachPart(const std::function<void(const EntryColumns<T>&)>& work, RunControl&);

    Count count() const { return m_tensor.entries(); }
    std::uint64_t bytes() const; ///< of all of them on the device
    std::uint64_t bytesThere() const { return m_uploaded ? bytes() : 0; }
    std::uint64_t bytesOnHost() const { return m_streamed ? m_streamed->onHost().bytes() : 0; }

private:
    const SparseTensor& m_tensor;
    const cuda::Stream& m_stream;
    std::unique_ptr<formats::gpu::UploadedEntries<T>> m_uploaded;
    std::shared_ptr<BlcoStream<T>> m_streamed;
};

extern template class DeviceEntries<float>;
extern template class DeviceEntries<double>;

} // namespace kernels::mttkrp::gpu
