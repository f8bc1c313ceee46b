// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kernels::cuda {

/// The most bytes that this thread has had in DeviceBuffers at once since the meter was made, those it had before left out; given
/// back ones count as room for others. What is taken while another meter of the thread lives counts there alone.
class MemoryMeter {
public:
    MemoryMeter()
        : m_outer(std::exchange(current(), this))
    {
    }
    ~MemoryMeter() { current() = m_outer; }
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    std::uint64_t most() const { return static_cast<std::uint64_t>(m_most); }

    static void taken(std::uint64_t bytes) { count(static_cast<std::int64_t>(bytes)); }
    static void given(std::uint64_t bytes) { count(-static_cast<std::int64_t>(bytes)); }

private:
    static MemoryMeter*& current()
    {
        static thread_local MemoryMeter* meter = nullptr;
        return meter;
    }
    static void count(std::int64_t bytes)
    {
        MemoryMeter* const meter = current();
        if (!meter)
            return;
        meter->m_now += bytes;
        meter->m_most = std::max(meter->m_most, meter->m_now);
    }

    MemoryMeter* m_outer;
    std::int64_t m_now = 0, m_most = 0;
};

} // namespace kernels::cuda
