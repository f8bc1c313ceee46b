// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/cuda_rows.cuh"
#include "kernels/formats/build_work.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <utility>

/// Steps that arranging rows and arranging fibres have in common.
namespace kernels::fastertucker::gpu {

using cuda::DeviceBuffer;
using formats::gpu::Work;

/// Sorts payloads by keys of so many bits, stably; both end where they began.
template <class Payload> void sortBy(DeviceBuffer<std::uint32_t>& keys, DeviceBuffer<Payload>& payloads, unsigned bits, Work& work)
{
    if (bits == 0 || keys.count() == 0)
        return;
    DeviceBuffer<std::uint32_t> otherKeys(keys.count());
    DeviceBuffer<Payload> otherPayloads(keys.count());
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys.data(), otherKeys.data(), payloads.data(), otherPayloads.data(),
                                               static_cast<std::int64_t>(keys.count()), 0, static_cast<int>(bits), work.stream);
    });
    work.stream.synchronize(); // what is freed now was read
    std::swap(keys, otherKeys);
    std::swap(payloads, otherPayloads);
}

/// The column's elements at these positions, with zeros to a whole number of blocks.
template <class E>
DeviceBuffer<E> gathered(const DeviceBuffer<E>& column, const DeviceBuffer<std::uint32_t>& positions, Work& work, std::size_t block = 1)
{
    DeviceBuffer<E> result((positions.count() + block - 1) / block * block);
    E* const to = result.data();
    if (result.count() > positions.count())
        CUDA_CHECK(cudaMemsetAsync(to + positions.count(), 0, (result.count() - positions.count()) * sizeof(E), work.stream));
    const E* const from = column.data();
    const std::uint32_t* const at = positions.data();
    work.forEach(positions.count(), [=] __device__(std::size_t i) { to[i] = from[at[i]]; });
    return result;
}

/// firsts[i] = how many of sizes(0) … sizes(i − 1) there are, for i up to the count.
template <class Sizes> DeviceBuffer<std::uint32_t> sumsBefore(std::size_t count, const Sizes& sizes, Work& work)
{
    DeviceBuffer<std::uint32_t> sums(count + 1);
    std::uint32_t* const to = sums.data();
    work.forEach(count + 1, [=] __device__(std::size_t i) { to[i] = i < count ? sizes(i) : 0; });
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, to, to, static_cast<std::int64_t>(count + 1), work.stream);
    });
    return sums;
}

} // namespace kernels::fastertucker::gpu
