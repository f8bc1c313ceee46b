// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/stream.cuh"

#include <cub/device/device_for.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <utility>

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

/// In place: positions[i] = positions[0] + … + positions[i − 1]. Returns the last, which is the sum of all before it.
template <class T> Count runningSum(cuda::DeviceBuffer<T>& positions, Work& work)
{
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, positions.data(), positions.data(), positions.count(),
                                             static_cast<cudaStream_t>(work.stream));
    });
    return work.fetch(positions.data() + positions.count() - 1);
}

/// offsets[i] = positions[offsets[i]].
template <class T> void follow(cuda::DeviceBuffer<T>& offsets, const cuda::DeviceBuffer<T>& positions, const Work& work)
{
    work.forEach(offsets.count(), [to = offsets.data(), from = positions.data()] __device__(Count i) { to[i] = from[to[i]]; });
}

/// Keys and what travels with them, each with the buffer that sorting needs beside it.
template <class Payload> struct Pairs {
    cuda::DeviceBuffer<std::uint64_t> keys, otherKeys;
    cuda::DeviceBuffer<Payload> payloads, otherPayloads;

    explicit Pairs(Count count)
        : keys(count)
        , otherKeys(count)
        , payloads(count)
        , otherPayloads(count)
    {
    }

    /// Stable; done in order of the stream.
    void sort(unsigned bits, Work& work)
    {
        if (bits == 0)
            return;
        cub::DoubleBuffer<std::uint64_t> k(keys.data(), otherKeys.data());
        cub::DoubleBuffer<Payload> p(payloads.data(), otherPayloads.data());
        const Count count = keys.count();
        work.run([&](void* memory, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(memory, bytes, k, p, count, 0, static_cast<int>(bits), work.stream);
        });
        if (k.Current() != keys.data())
            std::swap(keys, otherKeys);
        if (p.Current() != payloads.data())
            std::swap(payloads, otherPayloads);
    }
};

} // namespace kernels::formats::gpu
