// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/l2_halves.cuh"

#include "kernels/device/check.cuh"
#include "kernels/device/near_and_far.h"

#include <algorithm>

namespace kernels::cuda {
namespace {

using View = L2HalvesView;

constexpr unsigned leastPages = 64; ///< fewer are not worth it
constexpr unsigned mostSamples = 256; ///< pages that every multiprocessor times
constexpr unsigned repeats = 4; ///< the least counts
constexpr unsigned timers = 4; ///< warps of a block that time pages side by side
constexpr unsigned observersAPage = 4;

/// The bytes, page by page.
struct Pages {
    unsigned char* begin = nullptr;
    std::uintptr_t first = 0;
    unsigned count = 0;

    __device__ unsigned* word(unsigned page) const
    {
        const std::uintptr_t at = (first + page) << View::pageBits;
        return reinterpret_cast<unsigned*>(max(at, reinterpret_cast<std::uintptr_t>(begin)));
    }
};

/// Cycles until an addition of nothing comes back, the least of several. Storing its result waits for it.
__device__ unsigned roundTrip(unsigned* word)
{
    __shared__ volatile unsigned results[timers];
    unsigned least = ~0U;
    for (unsigned i = 0; i < repeats; ++i) {
        unsigned begin = 0, end = 0, result = 0;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
        asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(result) : "l"(__cvta_generic_to_global(word)) : "memory");
        results[threadIdx.x / 32] = result;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
        least = min(least, end - begin);
    }
    return least;
}

__device__ unsigned processor()
{
    unsigned number = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/// A block a multiprocessor, a thread each: times to all samples, which it begins at another one than its neighbours.
__global__ void timeSamples(Pages pages, unsigned samples, unsigned* times, unsigned* processors)
{
    processors[blockIdx.x] = processor();
    for (unsigned i = 0; i < samples; ++i) {
        const unsigned sample = (i + blockIdx.x * 37) % samples;
        const auto page = static_cast<unsigned>(std::uint64_t{sample} * pages.count / samples);
        times[blockIdx.x * samples + sample] = roundTrip(pages.word(page));
    }
}

/// What a multiprocessor's times are counted as: by side, from their mean.
struct Observer {
    float side = 0, mean = 0;
};

/// Adds up how far pages are from side 1. Blocks that are `stride` apart time the same pages.
__global__ void timePages(Pages pages, const Observer* observers, unsigned stride, float* scores)
{
    if (threadIdx.x % 32 != 0)
        return;
    const Observer observer = observers[processor() % View::mostProcessors];
    for (unsigned page = blockIdx.x % stride + stride * (threadIdx.x / 32); page < pages.count; page += stride * timers)
        atomicAdd(scores + page, observer.side * (static_cast<float>(roundTrip(pages.word(page))) - observer.mean));
}

template <class T> std::vector<T> download(const DeviceBuffer<T>& from, const Stream& stream)
{
    std::vector<T> to(from.count());
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream));
    stream.synchronize();
    return to;
}

template <class T> DeviceBuffer<T> upload(const std::vector<T>& from, const Stream& stream)
{
    DeviceBuffer<T> to(from.size());
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, stream));
    stream.synchronize();
    return to;
}

/// Every multiprocessor once: a block takes all the shared memory there is. Empty: none or not all were met.
std::vector<Observer> observe(const Pages& pages, const Stream& stream)
{
    int device = 0;
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    const auto blocks = static_cast<unsigned>(properties.multiProcessorCount);
    const unsigned samples = std::min(pages.count, mostSamples);
    const int sharedBytes = static_cast<int>(properties.sharedMemPerBlockOptin) - 1024; // beside what the kernel has of its own
    CUDA_CHECK(cudaFuncSetAttribute(timeSamples, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes));
    DeviceBuffer<unsigned> times(std::size_t{blocks} * samples);
    DeviceBuffer<unsigned> processors(blocks);
    for (int twice = 0; twice < 2; ++twice) { // the first brings pages to the cache
        timeSamples<<<blocks, 1, sharedBytes, stream>>>(pages, samples, times.data(), processors.data());
        CUDA_CHECK_LAUNCH();
    }
    const NearAndFar sides = nearAndFar(download(times, stream), samples);
    const std::vector<unsigned> numbers = download(processors, stream);
    std::vector<Observer> observers(View::mostProcessors);
    for (unsigned b = 0; b < blocks && sides.found; ++b) {
        if (numbers[b] >= View::mostProcessors || observers[numbers[b]].side != 0)
            return {};
        observers[numbers[b]] = {static_cast<float>(sides.side[b]), static_cast<float>(sides.mean[b])};
    }
    return sides.found ? observers : std::vector<Observer>{};
}

} // namespace

L2Halves::L2Halves(void* begin, std::size_t bytes, const Stream& stream)
    : m_firstPage(reinterpret_cast<std::uintptr_t>(begin) >> View::pageBits)
{
    const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(begin) + bytes - 1) >> View::pageBits;
    const Pages pages{static_cast<unsigned char*>(begin), m_firstPage, static_cast<unsigned>(last - m_firstPage + 1)};
    if (bytes < leastPages << View::pageBits)
        return;
    const std::vector<Observer> observers = observe(pages, stream);
    if (observers.empty())
        return;
    std::vector<unsigned char> processors;
    for (const Observer& observer : observers) {
        processors.push_back(observer.side < 0 ? 1 : 0);
        m_near[0] += observer.side > 0;
        m_near[1] += observer.side < 0;
    }
    const unsigned blocks = m_near[0] + m_near[1];
    DeviceBuffer<float> scores(pages.count);
    CUDA_CHECK(cudaMemsetAsync(scores.data(), 0, scores.bytes(), stream));
    const DeviceBuffer<Observer> onDevice = upload(observers, stream);
    timePages<<<blocks, timers * 32, 0, stream>>>(pages, onDevice.data(), std::max(blocks / observersAPage, 1U), scores.data());
    CUDA_CHECK_LAUNCH();
    std::vector<unsigned char> halves;
    for (const float score : download(scores, stream)) // far from side 1: next to the other
        halves.push_back(score > 0 ? 1 : 0);
    m_processors = upload(processors, stream);
    m_pages = upload(halves, stream);
}

} // namespace kernels::cuda
