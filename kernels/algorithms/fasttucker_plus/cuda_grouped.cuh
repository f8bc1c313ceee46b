// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/base/golden_stride.h"

#include <array>

namespace kernels::fasttucker_plus::gpu {

/// The variant "grouped" on a GPU: which kernels, how many blocks, and the launches of a pass.
class GroupedPasses {
public:
    enum class Work { Update, Gradient, Both };

    /// A tile's changes of a row come at once, those of a uniform row a group's. That rows are asked for one tile ahead is not
    /// counted: caps leave room for it (twice as many in flight only slows, docs/PERFORMANCE.md).
    static std::vector<Concurrency> concurrency(Precision precision, const Flight& flight)
    {
        const auto order = static_cast<unsigned>(flight.ranks.size());
        const GroupedKernels kernels = groupedKernels(precision, {padded(flight.widest()) / slab, order, true, flight.narrowRows});
        const Work work = flight.gathering == Gathering::OwnPass ? Work::Update : Work::Both;
        const double inFlight = static_cast<double>(Count{blocksFor(kernels, work, flight.entries)} * warpsPerBlock * slab);
        const Grouping grouping = chooseGrouping(flight.shares, flight.entries);
        std::vector<Concurrency> result(order, {inFlight, 1});
        if (grouping.uniform)
            result[grouping.modes[0]] = {inFlight * tilesPerGroup, slab * tilesPerGroup};
        return result;
    }

    GroupedPasses() = default;
    /// dims: of all modes, rows padded to widest.
    GroupedPasses(Precision precision, unsigned widest, const std::vector<Index>& dims, bool narrowRows, GroupedEntries entries,
                  Count count)
        : m_entries(std::move(entries))
        , m_kernels(groupedKernels(precision,
                                   {padded(widest) / slab, static_cast<unsigned>(dims.size()), m_entries.grouping().uniform, narrowRows}))
    {
        for (const Work work : {Work::Update, Work::Gradient, Work::Both})
            m_blocks[static_cast<unsigned>(work)] = blocksFor(m_kernels, work, count);
        for (const Index rows : dims)
            if (narrowRows)
                m_narrowRows.emplace_back(std::size_t{rows} * (padded(widest) / 4));
        m_multiplier = static_cast<unsigned>(goldenStride(std::max(m_entries.groups(), 1U)));
    }

    unsigned blocks(Work work) const { return m_blocks[static_cast<unsigned>(work)]; }
    /// Of any kernel over so many entries: no more than 1/64 of them see the same old rows.
    static unsigned mostBlocks(Count entries)
    {
        const Count most = Count{detail::mostBlocks} * detail::DeviceLimits().processors();
        return static_cast<unsigned>(std::clamp<Count>(entries / 64 / (slab * warpsPerBlock), 1, most));
    }

    /// How much smaller the steps of hot rows are: per mode none or one a row, on the host and on the device.
    void setSteps(const std::vector<std::vector<float>>& scales, const std::vector<cuda::DeviceBuffer<float>>& onDevice,
                  cudaStream_t stream)
    {
        for (unsigned p = 0; p < m_entries.grouping().modes.size(); ++p) {
            const unsigned n = m_entries.grouping().modes[p];
            m_steps[p] = StepLevels(scales[n]);
            m_entries.setSteps(p, m_steps[p], scales[n].empty() ? nullptr : onDevice[n].data(), stream);
        }
    }

    /// partials: [blocks(work)][gradients], zero before.
    void pass(Work work, const FactorArguments<float>& with, std::uint64_t seed, std::uint64_t iteration, double* partials,
              double flopsPerEntry, const cuda::Stream& stream, RunControl& control)
    {
        GroupedArguments arguments = argumentsOf(with);
        const NarrowTables narrow = narrowTables(with);
        if (narrow.count > 0)
            launchNarrowRows(narrow, stream);
        arguments.noise = static_cast<unsigned>(random::bits(seed, 0x6E6F697365ull, iteration));
        arguments.partials = partials;
        arguments.offset = static_cast<unsigned>(random::bits(seed, 0x67726F7570ull, iteration) % arguments.groupCount);
        constexpr double flopsPerLaunch = 1e12; // some 10 ms on a large card
        const double perGroup = flopsPerEntry * slab * tilesPerGroup;
        const auto chunk = static_cast<unsigned>(std::clamp(flopsPerLaunch / perGroup, 1.0, static_cast<double>(arguments.groupCount)));
        cuda::LaunchPacer pacer(stream, control);
        for (std::uint64_t begin = 0; begin < arguments.groupCount; begin += chunk) {
            arguments.begin = static_cast<unsigned>(begin);
            arguments.end = static_cast<unsigned>(std::min<std::uint64_t>(begin + chunk, arguments.groupCount));
            kernelOf(m_kernels, work)<<<blocks(work), groupedThreads, m_kernels.sharedBytes, stream>>>(arguments);
            CUDA_CHECK_LAUNCH();
            pacer.launched();
        }
        if (narrow.count > 0 && work != Work::Gradient)
            launchWidenRows(narrow, stream);
        pacer.finish();
    }

private:
    static constexpr unsigned warpsPerBlock = groupedThreads / warpSize32;

    NarrowTables narrowTables(const FactorArguments<float>& with)
    {
        NarrowTables tables;
        for (cuda::DeviceBuffer<uint2>& narrow : m_narrowRows) {
            const unsigned n = tables.count++;
            tables.of[n] = {with.tables.factors[n], narrow.data(), narrow.count(), with.operands.rowScale[n]};
        }
        return tables;
    }
    static GroupedKernels::Kernel kernelOf(const GroupedKernels& kernels, Work work)
    {
        return work == Work::Both ? kernels.both : work == Work::Update ? kernels.update : kernels.gradient;
    }
    /// And lets the kernel, where there is one, have its shared memory.
    static unsigned blocksFor(const GroupedKernels& kernels, Work work, Count entries)
    {
        const auto kernel = kernelOf(kernels, work);
        if (!kernel)
            return 0;
        const unsigned resident = detail::residentBlocks(kernel, groupedThreads, kernels.sharedBytes);
        return std::min(mostBlocks(entries), resident * detail::DeviceLimits().processors());
    }

    /// What a pass is told, by place in a record rather than by mode.
    GroupedArguments argumentsOf(const FactorArguments<float>& with)
    {
        GroupedArguments arguments;
        if (m_entries.grouping().uniform)
            arguments.uniformScales = with.rowScales[m_entries.grouping().modes[0]];
        arguments.tiles = m_entries.tiles();
        arguments.groupCount = m_entries.groups();
        arguments.multiplier = m_multiplier;
        arguments.predictionScale = with.operands.predictionScale;
        arguments.residualScale = with.operands.residualScale;
        for (unsigned p = 0; p < m_entries.grouping().modes.size(); ++p) {
            const unsigned n = m_entries.grouping().modes[p];
            arguments.modes[p] = n;
            arguments.rows[p] = m_narrowRows.empty() ? static_cast<void*>(with.tables.factors[n]) : m_narrowRows[n].data();
            arguments.projecting[p] = with.operands.projecting[n];
            arguments.returning[p] = with.operands.returning[n];
            arguments.steps[p] = m_steps[p];
            const float change = with.operands.rowScale[n] * with.operands.changeScale[n] / with.operands.residualScale;
            arguments.slopes[p] = -with.rates[n] * change;
            arguments.decays[p] = with.lambda / change;
        }
        return arguments;
    }

    GroupedEntries m_entries;
    std::vector<cuda::DeviceBuffer<uint2>> m_narrowRows; ///< of each mode, while a pass works; none: in fp32
    std::array<StepLevels, maxOrder> m_steps;
    GroupedKernels m_kernels;
    std::array<unsigned, 3> m_blocks = {}; ///< by work
    unsigned m_multiplier = 1;
};

} // namespace kernels::fasttucker_plus::gpu
