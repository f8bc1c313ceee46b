// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/copy_seconds.cuh"

#include "kernels/device/device_buffer.cuh"
#include "kernels/device/stream.cuh"

#include <algorithm>
#include <chrono>
#include <limits>

namespace kernels::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned perThread = 4; ///< words of 16 bytes in flight

/// A block copies blocks of perThread · threads words; 32 bytes a word, each read and written once.
__global__ void __launch_bounds__(threads) copyKernel(uint4* to, const uint4* from, std::size_t words)
{
    const std::size_t step = std::size_t{gridDim.x} * threads * perThread;
    for (std::size_t first = std::size_t{blockIdx.x} * threads * perThread + threadIdx.x; first < words; first += step) {
        uint4 held[perThread];
#pragma unroll
        for (unsigned i = 0; i < perThread; ++i)
            if (first + i * threads < words)
                held[i] = __ldcs(from + first + i * threads);
#pragma unroll
        for (unsigned i = 0; i < perThread; ++i)
            if (first + i * threads < words)
                __stcs(to + first + i * threads, held[i]);
    }
}

} // namespace

double copySeconds(int device, std::uint64_t bytes)
{
    constexpr int times = 7;
    CUDA_CHECK(cudaSetDevice(device));
    const Stream stream;
    const std::size_t words = std::max<std::size_t>(bytes / sizeof(uint4), 1);
    DeviceBuffer<uint4> from(words);
    DeviceBuffer<uint4> to(words);
    CUDA_CHECK(cudaMemsetAsync(from.data(), 1, from.bytes(), stream));
    stream.synchronize();
    const auto blocks = static_cast<unsigned>(std::min<std::size_t>((words - 1) / (threads * perThread) + 1, 1U << 20));
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < times; ++i) { // the first warms up, and is never the best
        const auto begin = std::chrono::steady_clock::now();
        copyKernel<<<blocks, threads, 0, stream>>>(to.data(), from.data(), words);
        CUDA_CHECK_LAUNCH();
        stream.synchronize();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

} // namespace kernels::cuda
