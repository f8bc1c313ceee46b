// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"
#include "kernels/device/check.cuh"
#include "kernels/device/memory_meter.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace kernels::cuda {

/// Owns an array on the device that was current when it was made. Whoever frees one that kernels still use
/// synchronises their stream first.
template <class T> class DeviceBuffer {
public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::size_t count)
        : m_count(count)
    {
        if (count == 0)
            return;
        const cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&m_data), bytes());
        if (status == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError();
            std::size_t free = 0;
            std::size_t total = 0;
            CUDA_CHECK(cudaMemGetInfo(&free, &total));
            throw OutOfMemory(currentDeviceName(), bytes(), free, "Choose smaller ranks, fewer entries, or the CPU.");
        }
        CUDA_CHECK(status);
        MemoryMeter::taken(bytes());
    }
    ~DeviceBuffer()
    {
        if (m_data)
            MemoryMeter::given(bytes());
        (void)cudaFree(m_data);
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : m_data(std::exchange(other.m_data, nullptr))
        , m_count(std::exchange(other.m_count, 0))
    {
    }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept
    {
        std::swap(m_data, other.m_data);
        std::swap(m_count, other.m_count);
        return *this;
    }

    T* data() { return m_data; }
    const T* data() const { return m_data; }
    std::size_t count() const { return m_count; }
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(m_count) * sizeof(T); }

private:
    T* m_data = nullptr;
    std::size_t m_count = 0;
};

} // namespace kernels::cuda
