// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_buffer.cuh"
#include "kernels/device/stream.cuh"

#include <cstddef>
#include <cstdint>

/// Large GPUs have their L2 cache in two halves, each next to half of the multiprocessors. What is only read is kept in both; what is
/// written or added to is at home in one of them, so that half of all such requests cross the link between the two, which is what
/// binds where rows are added to at random. Which half an address is at home in is written nowhere but can be timed: an addition
/// is done at home, so it comes back sooner from there.
namespace kernels::cuda {

/// What a kernel asks.
struct L2HalvesView {
    static constexpr unsigned mostProcessors = 1024;
    static constexpr unsigned pageBits = 12; ///< on an H200 4 KiB have one home

    const unsigned char* processors = nullptr; ///< by %smid: the half it is next to; null: halves are not known
    const unsigned char* pages = nullptr;
    std::uintptr_t firstPage = 0;

    __device__ unsigned ofProcessor() const
    {
        unsigned number = 0;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
        return processors && number < mostProcessors ? processors[number] : 0;
    }
    __device__ unsigned of(const void* at) const { return pages[(reinterpret_cast<std::uintptr_t>(at) >> pageBits) - firstPage]; }
};

class L2Halves {
public:
    L2Halves() = default;
    /// Times additions of nothing to these bytes, which stay as they are and where they are; a millisecond or two. Not found: on a
    /// GPU without halves, or where they cannot be told apart.
    L2Halves(void* begin, std::size_t bytes, const Stream&);

    bool found() const { return m_near[0] > 0; }
    /// Multiprocessors next to a half.
    unsigned processors(unsigned half) const { return m_near[half]; }
    L2HalvesView view() const { return {m_processors.data(), m_pages.data(), m_firstPage}; }

private:
    DeviceBuffer<unsigned char> m_processors, m_pages;
    std::uintptr_t m_firstPage = 0;
    unsigned m_near[2] = {};
};

} // namespace kernels::cuda
