// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/stream.cuh"

#include <cub/device/device_for.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>

/// What the steps of building a format on the GPU share.
namespace kernels::formats::gpu {

using Position = std::uint32_t;

/// Where steps run, who may stop them, and the memory CUB's calls work in.
class Work {
public:
    Work(const cuda::Stream& onStream, RunControl& underControl)
        : stream(onStream)
        , control(underControl)
    {
    }

    /// call(memory, bytes) as CUB has them: asked for the bytes first, then run.
    template <class Call> void run(const Call& call)
    {
        std::size_t bytes = 0;
        CUDA_CHECK(call(static_cast<void*>(nullptr), bytes));
        if (bytes > m_memory.count() || m_memory.count() == 0) {
            stream.synchronize();
            m_memory = {};
            m_memory = cuda::DeviceBuffer<unsigned char>(std::max<std::size_t>(bytes, 1));
        }
        CUDA_CHECK(call(static_cast<void*>(m_memory.data()), bytes));
    }

    /// body(i) for every i below the count, a thread each.
    template <class Body> void forEach(Count count, const Body& body) const
    {
        if (count > 0)
            CUDA_CHECK(cub::DeviceFor::Bulk(count, body, stream));
    }

    /// An element that is wanted on the host, when all before it is done.
    template <class T> T fetch(const T* element) const
    {
        T value{};
        CUDA_CHECK(cudaMemcpyAsync(&value, element, sizeof(T), cudaMemcpyDeviceToHost, stream));
        stream.synchronize();
        return value;
    }

    /// Waits until buffers may go, and leaves by Cancelled at a stop.
    void checkpoint() const
    {
        stream.synchronize();
        control.checkpoint();
    }

    const cuda::Stream& stream;
    RunControl& control;

private:
    cuda::DeviceBuffer<unsigned char> m_memory;
};

} // namespace kernels::formats::gpu
