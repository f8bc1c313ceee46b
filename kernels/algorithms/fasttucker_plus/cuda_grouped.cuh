// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/base/golden_stride.h"

namespace kernels::fasttucker_plus::gpu {

/// The variant "grouped" on a GPU: which kernels, how many blocks, and the launches of a pass.
class GroupedPasses {
public:
    /// A tile's changes of a row come at once, those of a uniform row a group's.
    static std::vector<Concurrency> concurrency(Precision precision, const Flight& flight)
    {
        const auto order = static_cast<unsigned>(flight.ranks.size());
        const GroupedKernels kernels = kernelsFor(precision, order, flight.widest(), true);
        const double inFlight = static_cast<double>(Count{blocksFor(kernels.both, flight.entries)} * warpsPerBlock * slab);
        const Grouping grouping = chooseGrouping(flight.shares, flight.entries);
        std::vector<Concurrency> result(order, {inFlight, 1});
        if (grouping.uniform)
            result[grouping.modes[0]] = {inFlight * tilesPerGroup, slab * tilesPerGroup};
        return result;
    }

    GroupedPasses() = default;
    GroupedPasses(Precision precision, unsigned widest, GroupedEntries entries, Count count)
        : m_entries(std::move(entries))
        , m_kernels(kernelsFor(precision, static_cast<unsigned>(m_entries.grouping().modes.size()), widest, m_entries.grouping().uniform))
        , m_blocks(blocksFor(m_kernels.both, count))
    {
        m_multiplier = static_cast<unsigned>(goldenStride(std::max(m_entries.groups(), 1U)));
    }

    unsigned blocks() const { return m_blocks; }
    std::uint64_t bytes() const { return m_entries.bytes(); }
    std::uint64_t mostBytes() const { return m_entries.mostBytes(); }
    /// Of any kernel over so many entries: no more than 1/64 of them see the same old rows.
    static unsigned mostBlocks(Count entries)
    {
        const Count most = Count{detail::mostBlocks} * detail::DeviceLimits().processors();
        return static_cast<unsigned>(std::clamp<Count>(entries / 64 / (slab * warpsPerBlock), 1, most));
    }

    enum class Work { Update, Gradient, Both };

    /// partials: [blocks()][gradients], zero before. rowScales: null, or one buffer per mode.
    void pass(Work work, const FactorArguments<float>& with, std::uint64_t seed, std::uint64_t iteration, double* partials,
              double flopsPerEntry, const cuda::Stream& stream, RunControl& control) const
    {
        GroupedArguments arguments = argumentsOf(with);
        arguments.partials = partials;
        arguments.offset = static_cast<unsigned>(random::bits(seed, 0x67726F7570ull, iteration) % arguments.groupCount);
        const auto kernel = work == Work::Both ? m_kernels.both : work == Work::Update ? m_kernels.update : m_kernels.gradient;
        constexpr double flopsPerLaunch = 1e12; // some 10 ms on a large card
        const double perGroup = flopsPerEntry * slab * tilesPerGroup;
        const auto chunk = static_cast<unsigned>(std::clamp(flopsPerLaunch / perGroup, 1.0, static_cast<double>(arguments.groupCount)));
        cuda::LaunchPacer pacer(stream, control);
        for (std::uint64_t begin = 0; begin < arguments.groupCount; begin += chunk) {
            arguments.begin = static_cast<unsigned>(begin);
            arguments.end = static_cast<unsigned>(std::min<std::uint64_t>(begin + chunk, arguments.groupCount));
            kernel<<<m_blocks, groupedThreads, 0, stream>>>(arguments);
            CUDA_CHECK_LAUNCH();
            pacer.launched();
        }
        pacer.finish();
    }

private:
    static constexpr unsigned warpsPerBlock = groupedThreads / warpSize32;

    static GroupedKernels kernelsFor(Precision precision, unsigned order, unsigned widest, bool uniform)
    {
        return groupedKernels(precision, padded(widest) / slab, order, uniform);
    }
    static unsigned blocksFor(GroupedKernels::Kernel kernel, Count entries)
    {
        return std::min(mostBlocks(entries), detail::residentBlocks(kernel, groupedThreads, 0) * detail::DeviceLimits().processors());
    }

    /// The same in the order of places.
    GroupedArguments argumentsOf(const FactorArguments<float>& with) const
    {
        GroupedArguments arguments;
        arguments.tiles = m_entries.tiles();
        arguments.groupCount = m_entries.groups();
        arguments.multiplier = m_multiplier;
        arguments.predictionScale = with.operands.predictionScale;
        arguments.residualScale = with.operands.residualScale;
        for (unsigned p = 0; p < m_entries.grouping().modes.size(); ++p) {
            const unsigned n = m_entries.grouping().modes[p];
            arguments.modes[p] = n;
            arguments.factors[p] = with.tables.factors[n];
            arguments.projecting[p] = with.operands.projecting[n];
            arguments.returning[p] = with.operands.returning[n];
            arguments.rowScales[p] = with.rowScales[n];
            arguments.slopes[p] = -with.rates[n] * with.operands.changeScale[n] / with.operands.residualScale;
            arguments.shrinks[p] = -with.rates[n] * with.lambda;
        }
        return arguments;
    }

    GroupedEntries m_entries;
    GroupedKernels m_kernels;
    unsigned m_blocks = 1;
    unsigned m_multiplier = 1;
};

} // namespace kernels::fasttucker_plus::gpu
