// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cuda_kernel_set.cuh"
#include "kernels/base/error.h"
#include "kernels/device/check.cuh"

#include <algorithm>
#include <cstdint>

namespace kernels::fasttucker_plus::gpu {

inline unsigned padded(unsigned rank) { return (rank + slab - 1) / slab * slab; }

/// Which kernels a problem's ranks get, how much shared memory and how many blocks.
template <class T> struct KernelPlan {
    KernelSet<T> set;
    std::vector<unsigned> rank; ///< padded
    unsigned coreRank = 0; ///< padded
    unsigned widest = 0;
    unsigned passBytes = 0, coreBytes = 0;
    unsigned passBlocks = 0, coreBlocks = 0;
    unsigned coreModes = 0; ///< gradients a core launch takes; 0: one, with accumulators in global memory
    std::uint64_t accumulatorElements = 0; ///< of all groups, when in global memory

    unsigned order() const { return static_cast<unsigned>(rank.size()); }
    std::uint64_t coreElements() const
    {
        std::uint64_t sum = 0;
        for (unsigned r : rank)
            sum += std::uint64_t{r} * coreRank;
        return sum;
    }
};

namespace detail {

template <class T> bool uniform(const KernelPlan<T>& plan)
{
    return std::all_of(plan.rank.begin(), plan.rank.end(), [&](unsigned r) { return r == plan.coreRank; });
}

template <class T> unsigned accumulatorsOf(const KernelPlan<T>& plan, unsigned firstMode, unsigned modes)
{
    unsigned sum = 0;
    for (unsigned n = firstMode; n < firstMode + modes; ++n)
        sum += plan.set.accumulators(plan.rank[n], plan.coreRank);
    return sum;
}

/// The most gradients whose accumulators fit beside the rest; false when not even none does.
template <class T> bool planCore(KernelPlan<T>& plan, unsigned sharedLimit)
{
    const auto bytes = [&](unsigned accumulators) {
        return plan.set.sharedBytes(plan.order(), plan.widest, plan.coreRank, accumulators, true);
    };
    if (bytes(0) > sharedLimit)
        return false;
    if (plan.order() <= plan.set.registerModes) {
        plan.set.core = plan.set.coreInRegisters;
        plan.coreModes = plan.order();
        plan.coreBytes = bytes(0);
        return true;
    }
    unsigned largest = 0; // over all launches of so many modes
    for (unsigned modes = plan.order(); modes > 0; --modes) {
        largest = 0;
        for (unsigned first = 0; first < plan.order(); first += modes)
            largest = std::max(largest, accumulatorsOf(plan, first, std::min(modes, plan.order() - first)));
        if (bytes(largest) <= sharedLimit) {
            plan.coreModes = modes;
            plan.coreBytes = bytes(largest);
            return true;
        }
    }
    plan.coreModes = 0;
    plan.coreBytes = bytes(0);
    plan.accumulatorElements = largest;
    return true;
}

template <class Kernel> unsigned residentBlocks(Kernel kernel, unsigned sharedBytes, const cudaDeviceProp& device)
{
    CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(sharedBytes)));
    int blocks = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, blockThreads, sharedBytes));
    return static_cast<unsigned>(std::max(blocks, 1) * device.multiProcessorCount);
}

} // namespace detail

/// For the current device. Throws Error(Device) for ranks no kernel can hold (none within the limits of the schema).
template <class T> KernelPlan<T> planKernels(const std::vector<unsigned>& ranks, unsigned coreRank)
{
    int index = 0;
    cudaDeviceProp device{};
    CUDA_CHECK(cudaGetDevice(&index));
    CUDA_CHECK(cudaGetDeviceProperties(&device, index));
    const auto limit = static_cast<unsigned>(device.sharedMemPerBlockOptin);

    KernelPlan<T> plan;
    for (unsigned r : ranks)
        plan.rank.push_back(padded(r));
    plan.coreRank = padded(coreRank);
    plan.widest = std::max(plan.coreRank, *std::max_element(plan.rank.begin(), plan.rank.end()));
    for (const KernelSet<T>& set : kernelSets<T>()) {
        if (set.tiles != 0 && (!detail::uniform(plan) || set.tiles * slab != plan.coreRank))
            continue;
        plan.set = set;
        plan.passBytes = set.sharedBytes(plan.order(), plan.widest, plan.coreRank, 0, false);
        if (plan.passBytes > limit || !detail::planCore(plan, limit))
            continue;
        plan.passBlocks = detail::residentBlocks(set.factor, plan.passBytes, device);
        plan.passBlocks = std::min(plan.passBlocks, detail::residentBlocks(set.evaluate, plan.passBytes, device));
        plan.coreBlocks = detail::residentBlocks(plan.set.core, plan.coreBytes, device);
        plan.accumulatorElements *= std::uint64_t{plan.coreBlocks} * set.groupsPerBlock;
        return plan;
    }
    throw Error(ErrorKind::Device,
                Error::Details{"ranks and order need more shared memory than the device has",
                               cuda::currentDeviceName(),
                               {},
                               {},
                               "Choose smaller ranks or the CPU."});
}

/// Blocks and groups a factor pass over so many entries runs on: few enough that no more than 1/64 of the
/// entries see the same old rows, spread over as many SMs as there are.
struct FactorGrid {
    unsigned blocks = 1, groupsPerBlock = 1;
};
template <class T> FactorGrid factorGrid(const KernelPlan<T>& plan, Count entries)
{
    const Count most = Count{plan.passBlocks} * plan.set.groupsPerBlock;
    const Count wanted = std::clamp<Count>(entries / 64 / plan.set.entries, 1, most);
    FactorGrid grid;
    grid.blocks = static_cast<unsigned>(std::min<Count>(wanted, plan.passBlocks));
    grid.groupsPerBlock = static_cast<unsigned>(wanted / grid.blocks);
    return grid;
}

} // namespace kernels::fasttucker_plus::gpu
