// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/chunks.h"
#include "kernels/base/run_control.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/event.cuh"
#include "kernels/device/pinned_buffer.cuh"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kernels::cuda {

/// Brings large host arrays to the device through two pinned buffers: while one is being copied to the
/// device the other is filled, converted to the device's type on the way. Asks control once a chunk.
class Uploader {
public:
    static constexpr std::size_t chunkBytes = std::size_t{16} << 20;

    Uploader(const Stream& stream, RunControl& control)
        : m_stream(stream)
        , m_control(control)
    {
        for (PinnedBuffer<unsigned char>& buffer : m_buffers)
            buffer = PinnedBuffer<unsigned char>(chunkBytes);
    }
    ~Uploader() { (void)cudaStreamSynchronize(m_stream); } // the device may still read the buffers

    template <class From, class To> void upload(const From* from, std::uint64_t count, To* to)
    {
        constexpr std::uint64_t chunk = chunkBytes / sizeof(To), piece = chunk / 16; // one core fills slower than the device takes
        for (std::uint64_t begin = 0; begin < count; begin += chunk) {
            m_control.checkpoint();
            const std::uint64_t length = std::min(chunk, count - begin);
            To* const pinned = reinterpret_cast<To*>(nextBuffer());
            forEachChunk(length, piece, nullptr, [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
                std::transform(from + begin + first, from + begin + last, pinned + first, [](From x) { return static_cast<To>(x); });
            });
            CUDA_CHECK(cudaMemcpyAsync(to + begin, pinned, length * sizeof(To), cudaMemcpyHostToDevice, m_stream));
            m_copied[m_next].record(m_stream);
        }
    }

    /// Rows of `width` elements into rows of `pitch`; the rest of each row is zero.
    template <class T> void uploadRows(const T* from, std::uint64_t rows, std::size_t width, T* to, std::size_t pitch)
    {
        const std::uint64_t chunk = chunkBytes / (pitch * sizeof(T));
        for (std::uint64_t begin = 0; begin < rows; begin += chunk) {
            m_control.checkpoint();
            const std::uint64_t length = std::min(chunk, rows - begin);
            T* const pinned = reinterpret_cast<T*>(nextBuffer());
            for (std::uint64_t i = 0; i < length; ++i) {
                std::copy_n(from + (begin + i) * width, width, pinned + i * pitch);
                std::fill_n(pinned + i * pitch + width, pitch - width, T(0));
            }
            CUDA_CHECK(cudaMemcpyAsync(to + begin * pitch, pinned, length * pitch * sizeof(T), cudaMemcpyHostToDevice, m_stream));
            m_copied[m_next].record(m_stream);
        }
    }

private:
    unsigned char* nextBuffer()
    {
        m_next = 1 - m_next;
        m_copied[m_next].wait(); // at once for an event that was never recorded
        return m_buffers[m_next].data();
    }

    const Stream& m_stream;
    RunControl& m_control;
    std::array<PinnedBuffer<unsigned char>, 2> m_buffers;
    std::array<Event, 2> m_copied;
    std::size_t m_next = 0;
};

/// Lets at most two launches wait in a stream, so that a stop or pause takes effect after two of them.
class LaunchPacer {
public:
    LaunchPacer(const Stream& stream, RunControl& control)
        : m_stream(stream)
        , m_control(control)
    {
    }
    /// After every launch.
    void launched()
    {
        m_done[m_next].record(m_stream);
        m_next = 1 - m_next;
        m_done[m_next].wait();
        m_control.checkpoint();
    }
    /// Waits for all of them, without asking for a stop: what follows needs their result.
    void finish()
    {
        for (const Event& event : m_done)
            event.wait();
        m_stream.synchronize();
    }

private:
    const Stream& m_stream;
    RunControl& m_control;
    std::array<Event, 2> m_done;
    std::size_t m_next = 0;
};

} // namespace kernels::cuda
