// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/device_entries.cuh"

#include "kernels/operations/mttkrp/automatic.h"

namespace kernels::mttkrp::gpu {

template <class T>
DeviceEntries<T>::DeviceEntries(const SparseTensor& tensor, const cuda::Stream& stream)
    : m_tensor(tensor)
    , m_stream(stream)
{
}

template <class T> std::uint64_t DeviceEntries<T>::bytes() const
{
    return m_tensor.entries() * (m_tensor.order() * sizeof(Index) + sizeof(T));
}

template <class T> void DeviceEntries<T>::bring(RunControl& control)
{
    if (m_uploaded)
        return;
    m_streamed.reset();
    m_uploaded = std::make_unique<formats::gpu::UploadedEntries<T>>(m_tensor, control, m_stream);
}

template <class T> void DeviceEntries<T>::stream(std::uint64_t room, RunControl& control)
{
    m_stream.synchronize();
    m_uploaded.reset();
    m_streamed.reset();
    m_streamed = std::make_shared<BlcoStream<T>>(formats::buildBlco<T>(m_tensor, control), room, m_stream);
}

template <class T> Made<T> DeviceEntries<T>::make(const Plan& plan, const Settings& settings, RunControl& control)
{
    if (plan.streamed) {
        stream(plan.pieceRoom, control);
        Made<T> made = makeBlco<T>(m_streamed, settings, m_stream);
        return plan.automatic ? std::make_unique<Automatic<T>>(plan.formats.front(), std::move(made)) : std::move(made);
    }
    bring(control);
    return plan.automatic ? makeAutomaticFormat(plan, m_uploaded->columns(), settings, control, m_stream)
                          : makeOnCuda<T>(plan.formats.front(), m_uploaded->columns(), settings, control, m_stream);
}

template <class T> void DeviceEntries<T>::forEachPart(const std::function<void(const EntryColumns<T>&)>& work, RunControl& control)
{
    if (m_streamed)
        m_streamed->forEachPart(work, control);
    else
        work(m_uploaded->columns());
}

template class DeviceEntries<float>;
template class DeviceEntries<double>;

} // namespace kernels::mttkrp::gpu
