// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/stream.cuh"

namespace kernels::cuda {

/// Times what a stream does between two moments, gaps in which the host has nothing for it to do included.
class DeviceStopwatch {
public:
    DeviceStopwatch()
    {
        CUDA_CHECK(cudaEventCreate(&m_begin));
        CUDA_CHECK(cudaEventCreate(&m_end));
    }
    ~DeviceStopwatch()
    {
        (void)cudaEventDestroy(m_begin);
        (void)cudaEventDestroy(m_end);
    }
    DeviceStopwatch(const DeviceStopwatch&) = delete;
    DeviceStopwatch& operator=(const DeviceStopwatch&) = delete;

    void start(const Stream& stream) { CUDA_CHECK(cudaEventRecord(m_begin, stream)); }
    /// Waits for all before it.
    double seconds(const Stream& stream)
    {
        CUDA_CHECK(cudaEventRecord(m_end, stream));
        CUDA_CHECK(cudaEventSynchronize(m_end));
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, m_begin, m_end));
        return milliseconds * 1e-3;
    }

private:
    cudaEvent_t m_begin = nullptr, m_end = nullptr;
};

} // namespace kernels::cuda
