// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/device_entries.cuh"

#include "kernels/base/error.h"
#include "kernels/device/transfer.cuh"

namespace kernels::mttkrp::gpu {

template <class T>
DeviceEntries<T>::DeviceEntries(const SparseTensor& tensor, const Settings& settings, const cuda::Stream& stream)
    : m_tensor(tensor)
    , m_settings(settings)
    , m_stream(stream)
{
}

template <class T> std::uint64_t DeviceEntries<T>::bytes() const
{
    return m_tensor.entries() * (m_tensor.order() * sizeof(Index) + sizeof(T));
}

template <class T> std::uint64_t DeviceEntries<T>::room() const
{
    if (m_settings.memoryLimit > 0)
        return m_settings.memoryLimit;
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free + (areThere() ? bytes() : 0);
}

template <class T> void DeviceEntries<T>::bringWhatFits(RunControl& control)
{
    if (bytes() <= room())
        bring(control);
}

template <class T> Made<T> DeviceEntries<T>::make(std::string_view format, RunControl& control)
{
    const ProblemShape shape{m_tensor.dims(), m_tensor.entries(), 0, 0};
    const std::uint64_t wanted = bytes() + bytesOn(DeviceKind::Cuda, format, shape, m_settings, sizeof(T)).most, available = room();
    if (wanted > available && streams(format)) {
        letGo();
        return streamOnCuda<T>(format, m_tensor, available, m_settings, control, m_stream);
    }
    if (wanted > available && m_settings.memoryLimit > 0)
        throw OutOfMemory(cuda::currentDeviceName(), wanted, available, "The format blco streams what does not fit.");
    bring(control);
    return makeOnCuda<T>(format, m_onDevice, m_settings, control, m_stream);
}

template <class T> void DeviceEntries<T>::bring(RunControl& control)
{
    if (areThere())
        return;
    letGo();
    EntryColumns<T> columns{m_tensor.dims(), {}, nullptr, m_tensor.entries()};
    cuda::Uploader uploader(m_stream, control);
    for (const Array<Index>& column : m_tensor.indices) {
        m_columns.emplace_back(column.size());
        uploader.upload(column.data(), column.size(), m_columns.back().data());
        columns.indices.push_back(m_columns.back().data());
    }
    m_values = cuda::DeviceBuffer<T>(m_tensor.entries());
    std::visit([&](const auto& values) { uploader.upload(values.data(), values.size(), m_values.data()); }, m_tensor.values);
    columns.values = m_values.data();
    m_onDevice = columns;
}

template <class T> void DeviceEntries<T>::letGo()
{
    m_stream.synchronize();
    m_onDevice = {};
    m_columns.clear();
    m_values = {};
}

template class DeviceEntries<float>;
template class DeviceEntries<double>;

} // namespace kernels::mttkrp::gpu
