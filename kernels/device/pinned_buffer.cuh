// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/check.cuh"

#include <cstddef>
#include <utility>

namespace kernels::cuda {

/// Owns page-locked host memory, which the device copies from and to at full speed and in the background.
template <class T> class PinnedBuffer {
public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(std::size_t count)
        : m_count(count)
    {
        if (count)
            CUDA_CHECK(cudaMallocHost(reinterpret_cast<void**>(&m_data), count * sizeof(T)));
    }
    ~PinnedBuffer() { (void)cudaFreeHost(m_data); }
    PinnedBuffer(PinnedBuffer&& other) noexcept
        : m_data(std::exchange(other.m_data, nullptr))
        , m_count(std::exchange(other.m_count, 0))
    {
    }
    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept
    {
        std::swap(m_data, other.m_data);
        std::swap(m_count, other.m_count);
        return *this;
    }

    T* data() { return m_data; }
    const T* data() const { return m_data; }
    std::size_t count() const { return m_count; }

private:
    T* m_data = nullptr;
    std::size_t m_count = 0;
};

} // namespace kernels::cuda
