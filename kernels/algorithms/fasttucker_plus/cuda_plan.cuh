// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cuda_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/base/error.h"
#include "kernels/device/check.cuh"

#include <algorithm>
#include <cstdint>

namespace kernels::fasttucker_plus::gpu {

inline unsigned padded(unsigned rank) { return (rank + slab - 1) / slab * slab; }

/// A kernel with the grid that fills the device.
template <class Arguments> struct Launch {
    void (*kernel)(Arguments) = nullptr;
    unsigned blocks = 0, threads = blockThreads;
    unsigned bytes = 0; ///< of shared memory a block
    unsigned groupsPerBlock = 1, entries = 1; ///< groups, each with a tile of so many entries

    void operator()(const Arguments& arguments, unsigned fewerBlocks, cudaStream_t stream) const
    {
        kernel<<<fewerBlocks, threads, bytes, stream>>>(arguments);
        CUDA_CHECK_LAUNCH();
    }
    void operator()(const Arguments& arguments, cudaStream_t stream) const { (*this)(arguments, blocks, stream); }
};

/// What one launch of the core pass takes: whole modes on CUDA cores, 16-row parts on tensor cores (of firstMode alone where
/// modes are renewed in turn).
struct CoreShare {
    unsigned firstMode = 0, modes = 0;
    std::vector<GradientPart> parts;
};

/// Which kernels a problem's ranks get, how much memory and how many blocks.
template <class T> struct KernelPlan {
    Renewal renewal = Renewal::AllModes;
    bool together = false; ///< entries that share hot rows stand together
    bool stored = false; ///< C^(n) is computed before a core pass
    std::vector<unsigned> rank; ///< padded
    unsigned coreRank = 0; ///< padded
    unsigned widest = 0;
    Launch<FactorArguments<T>> factor;
    void (*factorOfStale)(FactorArguments<T>) = nullptr; ///< launched as factor; null: none
    Launch<CoreArguments<T>> core;
    Launch<EvaluateArguments<T>> evaluate;
    std::vector<CoreShare> coreShares;
    std::uint64_t accumulatorElements = 0; ///< CUDA cores: of a core block, when in global memory
    const TensorKernels<T>* tensor = nullptr; ///< null: products on CUDA cores
    Operands<T> operands; ///< tensor cores: sizes and offsets, no pointers yet
    bool workInGlobal = false; ///< tensor cores: rows and products do not fit shared memory

    unsigned order() const { return static_cast<unsigned>(rank.size()); }
    /// Modes a pass renews together.
    unsigned modesAtOnce() const { return renewal == Renewal::AllModes ? order() : 1; }
    std::uint64_t coreElements() const
    {
        std::uint64_t sum = 0;
        for (unsigned r : rank)
            sum += std::uint64_t{r} * coreRank;
        return sum;
    }
    /// Of all groups, when in global memory.
    std::uint64_t workElements() const
    {
        const std::uint64_t groups =
            std::max(std::uint64_t{factor.blocks} * factor.groupsPerBlock, std::uint64_t{core.blocks} * core.groupsPerBlock);
        return workInGlobal ? groups * operands.workElements : 0;
    }
};

namespace detail {

template <class T> bool uniform(const KernelPlan<T>& plan)
{
    return std::all_of(plan.rank.begin(), plan.rank.end(), [&](unsigned r) { return r == plan.coreRank; });
}

struct DeviceLimits {
    cudaDeviceProp properties{};
    DeviceLimits()
    {
        int index = 0;
        CUDA_CHECK(cudaGetDevice(&index));
        CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    }
    unsigned sharedBytes() const { return static_cast<unsigned>(properties.sharedMemPerBlockOptin); }
    unsigned processors() const { return static_cast<unsigned>(properties.multiProcessorCount); }
};

template <class Kernel> unsigned residentBlocks(Kernel kernel, unsigned threads, unsigned sharedBytes)
{
    CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(sharedBytes)));
    int blocks = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), sharedBytes));
    return static_cast<unsigned>(std::max(blocks, 1));
}

template <class T> unsigned accumulatorsOf(const KernelSet<T>& set, const KernelPlan<T>& plan, unsigned firstMode, unsigned modes)
{
    unsigned sum = 0;
    for (unsigned n = firstMode; n < firstMode + modes; ++n)
        sum += set.accumulators(plan.rank[n], plan.coreRank);
    return sum;
}

template <class T> void shareModes(KernelPlan<T>& plan, unsigned modes)
{
    plan.coreShares.clear();
    for (unsigned first = 0; first < plan.order(); first += modes)
        plan.coreShares.push_back({first, std::min(modes, plan.order() - first), {}});
}

/// The most gradients whose accumulators fit beside the rest; false when not even none does.
template <class T> bool planCore(const KernelSet<T>& set, KernelPlan<T>& plan, unsigned sharedLimit)
{
    const auto bytes = [&](unsigned accumulators) { return set.sharedBytes(plan.order(), plan.widest, plan.coreRank, accumulators, true); };
    if (bytes(0) > sharedLimit)
        return false;
    plan.core.kernel = set.core;
    plan.core.bytes = bytes(0);
    const unsigned together = plan.modesAtOnce();
    const auto inRegisters = together == 1 ? set.coreOfMode : together <= set.registerModes ? set.coreInRegisters : nullptr;
    if (inRegisters) {
        plan.core.kernel = inRegisters;
        shareModes(plan, together);
        return true;
    }
    unsigned largest = 0; // over all launches of so many modes
    for (unsigned modes = together; modes > 0; --modes) {
        largest = 0;
        for (unsigned first = 0; first < plan.order(); first += modes)
            largest = std::max(largest, accumulatorsOf(set, plan, first, std::min(modes, plan.order() - first)));
        if (bytes(largest) <= sharedLimit) {
            shareModes(plan, modes);
            plan.core.bytes = bytes(largest);
            return true;
        }
    }
    shareModes(plan, 1);
    plan.accumulatorElements = std::uint64_t{largest} * set.groupsPerBlock;
    return true;
}

template <class T> bool planOnCudaCores(const KernelSet<T>& set, KernelPlan<T>& plan, const DeviceLimits& device)
{
    if (set.tiles != 0 && (!uniform(plan) || set.tiles * slab != plan.coreRank))
        return false;
    const unsigned bytes = set.sharedBytes(plan.order(), plan.widest, plan.coreRank, 0, false);
    if (bytes > device.sharedBytes() || !planCore(set, plan, device.sharedBytes()))
        return false;
    const auto factor = plan.renewal == Renewal::ModeByMode ? set.factorOfMode : plan.together ? set.factorTogether : set.factor;
    plan.factor = {factor, 0, blockThreads, bytes, set.groupsPerBlock, set.entries};
    plan.factorOfStale = set.factorOfStale;
    plan.evaluate = {set.evaluate, 0, blockThreads, bytes, set.groupsPerBlock, set.entries};
    plan.core.groupsPerBlock = set.groupsPerBlock;
    plan.factor.blocks = residentBlocks(factor, blockThreads, bytes) * device.processors();
    plan.evaluate.blocks = residentBlocks(set.evaluate, blockThreads, bytes) * device.processors();
    plan.core.blocks = residentBlocks(plan.core.kernel, blockThreads, plan.core.bytes) * device.processors();
    return true;
}

constexpr unsigned mostBlocks = 8; ///< a multiprocessor; what estimates of memory count with

/// So many groups a block that most of them are resident; false when not even one fits.
template <class Arguments>
bool planLaunch(Launch<Arguments>& launch, unsigned groupBytes, unsigned leastBytes, unsigned threads, unsigned warps,
                const DeviceLimits& device)
{
    unsigned best = 0;
    for (unsigned groups = threads / (warpSize32 * warps); groups > 0; groups /= 2) {
        const unsigned bytes = groups * std::max(groupBytes, leastBytes);
        if (bytes > device.sharedBytes())
            continue;
        const unsigned blocks = std::min(residentBlocks(launch.kernel, groups * warps * warpSize32, bytes), mostBlocks);
        if (blocks * groups <= best)
            continue;
        best = blocks * groups;
        launch.groupsPerBlock = groups;
        launch.threads = groups * warps * warpSize32;
        launch.blocks = blocks * device.processors();
        launch.bytes = bytes;
    }
    if (best > 0)
        residentBlocks(launch.kernel, launch.threads, launch.bytes); // the attribute of the one that won
    launch.entries = slab;
    return best > 0;
}

template <class T> std::vector<GradientPart> gradientParts(const KernelPlan<T>& plan, unsigned firstMode, unsigned endMode)
{
    std::vector<GradientPart> parts;
    unsigned offset = 0;
    for (unsigned n = 0; n < plan.order(); ++n)
        for (unsigned block = 0; block < plan.rank[n] / slab; ++block) {
            if (n >= firstMode && n < endMode)
                parts.push_back({n, block, offset});
            offset += slab * plan.coreRank;
        }
    return parts;
}

template <class T> bool planOnTensorCores(const TensorKernelSet<T>& set, KernelPlan<T>& plan, const DeviceLimits& device)
{
    const unsigned order = plan.order();
    if ((set.tiles != 0 && (!uniform(plan) || set.tiles * slab != plan.coreRank)) || (set.order != 0 && set.order != order))
        return false;
    const unsigned coreTiles = plan.coreRank / slab;
    Operands<T>& operands = plan.operands;
    operands.warpsPerTile = std::max(set.tiles, 1U);
    while (operands.warpsPerTile < coreTiles)
        operands.warpsPerTile *= 2;
    for (unsigned n = 0; n < order; ++n)
        operands.rowOffset[n + 1] = operands.rowOffset[n] + slab * plan.rank[n];
    const unsigned kept = plan.renewal == Renewal::AllModes ? 2 * (order - 2) : 0; // products on the way up
    operands.workElements = operands.rowOffset[order] + kept * slab * plan.coreRank;
    plan.workInGlobal = !set.inShared;
    const unsigned warps = operands.warpsPerTile;
    plan.factor.kernel = set.factor;
    plan.factorOfStale = set.factorOfStale;
    plan.core.kernel = plan.stored ? set.coreOfStored : set.core;
    const unsigned partBytes = slab * plan.coreRank * static_cast<unsigned>(sizeof(T)); // added up where the tiles were
    if (!planLaunch(plan.factor, set.factorBytes(order, warps, operands.workElements), 0, set.threads, warps, device)
        || !planLaunch(plan.core, set.coreBytes(order, warps, operands.workElements), partBytes, set.threads, warps, device))
        return false;
    plan.coreShares.clear();
    const unsigned modesAtOnce = set.modeByMode ? 1 : plan.modesAtOnce();
    for (unsigned n = 0; n < order; n += modesAtOnce) {
        const std::vector<GradientPart> parts = gradientParts(plan, n, n + modesAtOnce);
        for (std::size_t first = 0; first < parts.size(); first += set.parts)
            plan.coreShares.push_back({n, 0, {parts.begin() + first, parts.begin() + std::min(first + set.parts, parts.size())}});
    }
    return true;
}

/// The first set that holds the ranks; a later one of the same kind where that takes all gradients in fewer launches.
template <class T> bool planOnTensorCores(KernelPlan<T>& plan, const DeviceLimits& device)
{
    const auto& sets = plan.renewal == Renewal::AllModes ? plan.tensor->sets : plan.tensor->setsOfOneMode;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (!planOnTensorCores(sets[i], plan, device))
            continue;
        if (plan.coreShares.size() > 1 && !sets[i].modeByMode && i + 1 < sets.size() && sets[i + 1].tiles == sets[i].tiles
            && sets[i + 1].inShared && sets[i + 1].parts > sets[i].parts)
            planOnTensorCores(sets[i + 1], plan, device);
        return true;
    }
    return false;
}

} // namespace detail

/// For the current device; tensor: null for products on CUDA cores; together, stored: as in KernelPlan. Throws Error(Device) for ranks no
/// kernel can hold.
template <class T>
KernelPlan<T> planKernels(const std::vector<unsigned>& ranks, unsigned coreRank, const TensorKernels<T>* tensor, Renewal renewal,
                          bool together = false, bool stored = false)
{
    const detail::DeviceLimits device;
    KernelPlan<T> plan;
    plan.renewal = renewal;
    plan.together = together;
    plan.stored = stored;
    for (unsigned r : ranks)
        plan.rank.push_back(padded(r));
    plan.coreRank = padded(coreRank);
    plan.widest = std::max(plan.coreRank, *std::max_element(plan.rank.begin(), plan.rank.end()));
    plan.tensor = tensor;
    const auto& sets = kernelSets<T>();
    // Evaluation is on CUDA cores always: it judges the masters.
    if (std::any_of(sets.begin(), sets.end(), [&](const auto& set) { return detail::planOnCudaCores(set, plan, device); })
        && (!tensor || detail::planOnTensorCores(plan, device)))
        return plan;
    throw Error(ErrorKind::Device,
                Error::Details{"ranks and order need more shared memory than the device has",
                               cuda::currentDeviceName(),
                               {},
                               {},
                               "Choose smaller ranks or the CPU."});
}

/// Entries of a factor pass in flight at most: few enough that no more than 1/64 of them see the same old rows. Damped steps of four or
/// more modes lose accuracy before that where a row has many of its entries in flight (shares: of all entries, per mode and row; null:
/// steps are not damped): down to 1/256, no more than a few of any row. On three modes that was measured to gain nothing.
inline Count mostInFlight(Count entries, const std::vector<std::vector<float>>* shares)
{
    constexpr float ofOneRow = 4;
    if (!shares || shares->size() <= 3)
        return entries / 64;
    float hottest = 0;
    for (const std::vector<float>& rows : *shares)
        for (const float share : rows)
            hottest = std::max(hottest, share);
    const Count few = hottest > 0 ? static_cast<Count>(ofOneRow / hottest) : entries;
    return std::clamp(few, entries / 256, entries / 64);
}

/// Blocks and groups a factor pass of so many entries in flight runs on, spread over as many SMs as there are.
struct FactorGrid {
    unsigned blocks = 1, groupsPerBlock = 1;
};
template <class T> FactorGrid factorGrid(const KernelPlan<T>& plan, Count inFlight)
{
    const Count most = Count{plan.factor.blocks} * plan.factor.groupsPerBlock;
    const Count wanted = std::clamp<Count>(inFlight / plan.factor.entries, 1, most);
    FactorGrid grid;
    grid.blocks = static_cast<unsigned>(std::min<Count>(wanted, plan.factor.blocks));
    grid.groupsPerBlock = static_cast<unsigned>(wanted / grid.blocks);
    return grid;
}

} // namespace kernels::fasttucker_plus::gpu
