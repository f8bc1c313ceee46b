// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/device/transfer.cuh"
#include "kernels/formats/csf_cuda.cuh"
#include "kernels/tensor/sparse_tensor.h"

#include <vector>

/// For who builds a format on a GPU and wants it on the host.
namespace kernels::formats::gpu {

/// A tensor's entries on the device.
template <class T> class UploadedEntries {
public:
    UploadedEntries(const SparseTensor& tensor, RunControl& control, const cuda::Stream& stream)
        : m_values(tensor.entries())
        , m_columns{tensor.dims(), {}, m_values.data(), tensor.entries()}
    {
        control.stage("uploading");
        cuda::Uploader uploader(stream, control);
        for (const Array<Index>& indices : tensor.indices) {
            m_indices.emplace_back(indices.size());
            uploader.upload(indices.data(), indices.size(), m_indices.back().data());
            m_columns.indices.push_back(m_indices.back().data());
        }
        std::visit([&](const auto& values) { uploader.upload(values.data(), values.size(), m_values.data()); }, tensor.values);
        control.stage("arranging");
    }
    const EntryColumns<T>& columns() const { return m_columns; }

private:
    std::vector<cuda::DeviceBuffer<Index>> m_indices;
    cuda::DeviceBuffer<T> m_values;
    EntryColumns<T> m_columns;
};

template <class E> Array<E> download(const cuda::DeviceBuffer<E>& from, const cuda::Stream& stream)
{
    Array<E> to(from.count());
    if (from.count() > 0)
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream));
    stream.synchronize();
    return to;
}

} // namespace kernels::formats::gpu
