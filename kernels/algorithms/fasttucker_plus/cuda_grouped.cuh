// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_working_rows.cuh"
#include "kernels/base/golden_stride.h"

#include <array>
#include <cmath>

namespace kernels::fasttucker_plus::gpu {

/// The variant "grouped" on a GPU: which kernels, how many blocks, and the launches of a pass.
class GroupedPasses {
public:
    enum class Work { Update, Gradient, Both, Touch };

    /// A tile's changes of a row come at once, those of a uniform row a group's. That rows are asked for one tile ahead is not
    /// counted: caps leave room for it (twice as many in flight only slows, docs/PERFORMANCE.md). Nor is that entries of a uniform row
    /// stand by their other rows, where modes go together many of the same: measured to learn as much (there, too).
    static std::vector<Concurrency> concurrency(Precision precision, const Flight& flight)
    {
        const auto order = static_cast<unsigned>(flight.ranks.size());
        const Grouping grouping = chooseGrouping(flight.shares, flight.entries);
        const GroupedKernels kernels =
            groupedKernels(precision, {padded(flight.widest()) / slab, order, grouping.uniform, flight.narrowRows, flight.damped});
        const bool apart = takesGradientApart(flight.gathering, flight.widest(), order);
        const Count inFlight = entriesOf(blocksFor(kernels, updating(apart), flight.entries));
        std::vector<Concurrency> result(order, {static_cast<double>(inFlight), 1});
        if (grouping.uniform) {
            const unsigned tiles = tilesOfGroups(flight.entries, inFlight);
            result[grouping.modes[0]] = {static_cast<double>(inFlight * tiles), static_cast<double>(slab * tiles)};
        } else
            for (Concurrency& mode : result)
                mode.together = togetherByHottest(slab, order);
        return result;
    }

    /// As told, or because updates cannot take it.
    static bool takesGradientApart(Gathering wished, unsigned widest, std::size_t order)
    {
        return wished == Gathering::OwnPass || !updatesTakeGradient(widest, order);
    }
    /// Whether any pass works on copies of the rows in 16 bits: updates that are told to, and gradients in a pass of their own, whose
    /// products take 16 bits anyway.
    static bool copiesRows(bool narrowRows, bool gradientApart) { return narrowRows || gradientApart; }

    GroupedPasses() = default;
    /// Rows are padded to widest; factors: of all modes, on the device to stay; entries: the problem's.
    GroupedPasses(Precision precision, unsigned widest, const Problem& problem, float* const* factors, const Entries<float>& entries,
                  const cuda::Stream& stream)
        : m_precision(precision)
        , m_groupsTaken(2)
        , m_updatesNarrow(problem.narrowRows)
        , m_quadsOfRow(padded(widest) / 4)
    {
        const std::vector<Index>& dims = problem.train.dims();
        const bool gradientApart = takesGradientApart(problem.grouping, widest, dims.size());
        const Count planned = problem.plannedEntries();
        Grouping grouping = chooseGrouping(*problem.plannedShares(), planned);
        for (unsigned n = 0; n < dims.size(); ++n) {
            m_slotBits.push_back(slotBitsOf(dims[n], padded(widest)));
            m_modelQuads.push_back(std::size_t{dims[n]} * m_quadsOfRow);
            const std::size_t quads = m_modelQuads[n] << m_slotBits[n];
            m_narrowRows.emplace_back(copiesRows(m_updatesNarrow, gradientApart) ? quads : 0);
            m_wideRows.emplace_back(!m_updatesNarrow && m_slotBits[n] > 0 ? quads : 0);
        }
        for (const Work work : {Work::Update, Work::Gradient, Work::Both, Work::Touch}) {
            Pass& pass = m_passes[static_cast<unsigned>(work)];
            const bool narrow = work != Work::Gradient && m_updatesNarrow;
            const GroupedKernels kernels = groupedKernels(
                precision, {padded(widest) / slab, static_cast<unsigned>(dims.size()), grouping.uniform, narrow, problem.damped});
            pass = {kernelOf(kernels, work), blocksFor(kernels, work, planned)};
        }
        unsigned& touching = m_passes[static_cast<unsigned>(Work::Touch)].blocks;
        touching = std::min(touching, blocks(updating(gradientApart))); // so many are in flight in a pass with arithmetic
        if (problem.tilesOfGroups > 0)
            grouping.tiles = problem.tilesOfGroups;
        else // without a uniform row, too, a group's tiles have a hot row in common, which each reads before the other has changed it
            grouping.tiles = grouping.uniform ? tilesOfGroups(planned, entriesOf(blocks(updating(gradientApart)))) : 1;
        const unsigned coolest = grouping.modes.back();
        RowHomes homes;
        homes.rowBytes = padded(widest) * static_cast<unsigned>(m_updatesNarrow ? sizeof(std::uint16_t) : sizeof(float))
            << m_slotBits[coolest];
        void* rows = workingRows(coolest, numbersOf(Work::Update));
        const std::size_t bytes = std::size_t{dims[coolest]} * homes.rowBytes;
        if (rows) // timed before they are written
            CUDA_CHECK(cudaMemsetAsync(rows, 0, bytes, stream));
        else
            rows = factors[coolest];
        m_halves = cuda::L2Halves(rows, bytes, stream);
        homes.halves = m_halves.view();
        homes.rows = static_cast<const unsigned char*>(rows);
        std::vector<unsigned> slotBits;
        for (const unsigned n : grouping.modes)
            slotBits.push_back(m_slotBits[n]);
        m_entries = GroupedEntries(grouping, slotBits, homes, entries, *problem.shares, stream);
    }

    static bool changesRows(Work work) { return work == Work::Update || work == Work::Both; }
    static bool takesGradients(Work work) { return work == Work::Gradient || work == Work::Both; }

    bool updatesNarrow() const { return m_updatesNarrow; }
    unsigned blocks(Work work) const { return m_passes[static_cast<unsigned>(work)].blocks; }
    /// Of any kernel over so many entries: no more see the same old rows than mostGroupedInFlight().
    static unsigned mostBlocks(Count entries)
    {
        const Count most = Count{detail::mostBlocks} * detail::DeviceLimits().processors();
        return static_cast<unsigned>(std::clamp<Count>(mostGroupedInFlight(entries) / entriesOf(1), 1, most));
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

    /// partials: [blocks(work)][gradients], zero before. The last launch may still run afterwards.
    void pass(Work work, const FactorArguments<float>& with, std::uint64_t seed, const FactorPass& wanted, double* partials,
              double flopsPerEntry, const cuda::Stream& stream, RunControl& control)
    {
        const Pass& how = m_passes[static_cast<unsigned>(work)];
        const WorkingNumbers numbers = numbersOf(work);
        GroupedArguments arguments = argumentsOf(with, numbers, wanted);
        const WorkingTables working = workingTables(with, numbers);
        copyToWorking(working, numbers, stream);
        arguments.noise = static_cast<unsigned>(random::bits(seed, 0x6E6F697365ull, wanted.iteration * wanted.parts + wanted.part));
        arguments.partials = partials;
        shareGroups(arguments, random::bits(seed, 0x67726F7570ull, wanted.iteration));
        constexpr double flopsPerLaunch = 1e12; // some 10 ms on a large card
        const double groups = static_cast<double>(m_entries.groups()) / wanted.parts;
        const double wished = std::ceil(flopsPerEntry * entriesPerTile * m_entries.grouping().tiles * groups / flopsPerLaunch);
        const auto launches = static_cast<unsigned>(std::clamp(wished, 1.0, std::max(groups, 1.0)));
        cuda::LaunchPacer pacer(stream, control);
        const auto places = static_cast<unsigned>(m_entries.grouping().modes.size());
        for (; arguments.firstPlace < places; arguments.firstPlace += how.kernel.places)
            visitGroups(how, arguments, wanted, launches, stream, pacer);
        if (changesRows(work))
            copyFromWorking(working, numbers, stream);
    }

private:
    static constexpr unsigned warpsPerBlock = groupedThreads / warpSize32;

    struct Pass {
        GroupedKernel kernel;
        unsigned blocks = 0;
    };

    void visitGroups(const Pass& how, GroupedArguments& arguments, const FactorPass& wanted, unsigned launches, const cuda::Stream& stream,
                     cuda::LaunchPacer& pacer)
    {
        for (GroupedShare& share : arguments.shares)
            share.end = static_cast<unsigned>(wanted.stretchOf(share.count).begin);
        for (unsigned launch = 0; launch < launches; ++launch) {
            for (GroupedShare& share : arguments.shares) {
                const FactorPass::Stretch part = wanted.stretchOf(share.count);
                share.begin = share.end;
                share.end = static_cast<unsigned>(part.begin + (part.end - part.begin) * (launch + 1) / launches);
            }
            CUDA_CHECK(cudaMemsetAsync(m_groupsTaken.data(), 0, m_groupsTaken.bytes(), stream));
            how.kernel.function<<<how.blocks, groupedThreads, how.kernel.sharedBytes, stream>>>(arguments);
            CUDA_CHECK_LAUNCH();
            pacer.launched();
        }
    }

    static Work updating(bool gradientApart) { return gradientApart ? Work::Update : Work::Both; }
    /// In flight on so many blocks.
    static Count entriesOf(unsigned blocks) { return Count{blocks} * warpsPerBlock * entriesPerTile; }
    WorkingNumbers numbersOf(Work work) const
    {
        if (work != Work::Gradient)
            return m_updatesNarrow ? WorkingNumbers::Fp16 : WorkingNumbers::Fp32;
        return m_precision == Precision::Fp16 ? WorkingNumbers::Fp16Operands : WorkingNumbers::Bf16Operands;
    }
    /// Null: the model's.
    void* workingRows(unsigned mode, WorkingNumbers numbers)
    {
        return numbers == WorkingNumbers::Fp32 ? static_cast<void*>(m_wideRows[mode].data()) : m_narrowRows[mode].data();
    }
    WorkingTables workingTables(const FactorArguments<float>& with, WorkingNumbers numbers)
    {
        WorkingTables tables;
        for (unsigned n = 0; n < m_slotBits.size(); ++n)
            if (void* const working = workingRows(n, numbers))
                tables.of[tables.count++] = {with.tables.factors[n], working,       m_modelQuads[n],
                                             m_quadsOfRow,           m_slotBits[n], with.operands.rowScale[n]};
        return tables;
    }
    static GroupedKernel kernelOf(const GroupedKernels& kernels, Work work)
    {
        switch (work) {
        case Work::Update:
            return kernels.update;
        case Work::Gradient:
            return kernels.gradient;
        case Work::Both:
            return kernels.both;
        case Work::Touch:
            return kernels.touch;
        }
        return {};
    }
    /// And lets the kernel, where there is one, have its shared memory.
    static unsigned blocksFor(const GroupedKernels& kernels, Work work, Count entries)
    {
        const GroupedKernel kernel = kernelOf(kernels, work);
        if (!kernel.function)
            return 0;
        const unsigned resident = detail::residentBlocks(kernel.function, groupedThreads, kernel.sharedBytes);
        return std::min(mostBlocks(entries), resident * detail::DeviceLimits().processors());
    }

    /// Groups of rows that are at home in a half are for the processors next to it, but as many as their number is of all.
    void shareGroups(GroupedArguments& arguments, std::uint64_t random)
    {
        arguments.halves = m_halves.view();
        arguments.groupsTaken = m_groupsTaken.data();
        const unsigned all = m_halves.processors(0) + m_halves.processors(1);
        const auto groups =
            m_halves.found() ? static_cast<unsigned>(std::uint64_t{m_entries.groups()} * m_halves.processors(0) / all) : m_entries.groups();
        arguments.shares[0] = {0, groups};
        arguments.shares[1] = {groups, m_entries.groups() - groups};
        for (GroupedShare& share : arguments.shares)
            if (share.count > 0) {
                share.multiplier = static_cast<unsigned>(goldenStride(share.count));
                share.offset = static_cast<unsigned>(random % share.count);
                share.inverse = ~std::uint64_t{0} / share.count;
            }
    }

    /// What a pass is told, by place in a record rather than by mode.
    GroupedArguments argumentsOf(const FactorArguments<float>& with, WorkingNumbers numbers, const FactorPass& wanted)
    {
        GroupedArguments arguments;
        if (m_entries.grouping().uniform)
            arguments.uniformScales = with.rowScales[m_entries.grouping().modes[0]];
        arguments.uniformSlotBits = m_slotBits[m_entries.grouping().modes[0]];
        arguments.tiles = m_entries.tiles();
        arguments.predictionScale = with.operands.predictionScale;
        arguments.residualScale = with.operands.residualScale;
        for (unsigned p = 0; p < m_entries.grouping().modes.size(); ++p) {
            const unsigned n = m_entries.grouping().modes[p];
            // Rows are rowScale a, and what comes back for them is d' = residualScale / changeScale e d: they change by
            // −rate rowScale (e d + λ a) = slope (d' + decay rowScale a).
            arguments.modes[p] = n;
            void* const working = workingRows(n, numbers);
            arguments.rows[p] = working ? working : with.tables.factors[n];
            arguments.projecting[p] = with.operands.projecting[n];
            arguments.returning[p] = with.operands.returning[n];
            arguments.steps[p] = m_steps[p];
            const float change = with.operands.rowScale[n] * with.operands.changeScale[n] / with.operands.residualScale;
            arguments.slopes[p] = -with.rates[n] * change;
            arguments.decays[p] = with.lambda / change;
            arguments.dampings[p] = with.damping[n] * with.operands.changeScale[n] * with.operands.changeScale[n];
        }
        return arguments;
    }

    Precision m_precision = Precision::Fp16;
    cuda::L2Halves m_halves; ///< of the coolest mode's rows
    cuda::DeviceBuffer<unsigned> m_groupsTaken;
    GroupedEntries m_entries;
    bool m_updatesNarrow = false;
    unsigned m_quadsOfRow = 1;
    std::vector<unsigned> m_slotBits; ///< of each mode
    std::vector<std::size_t> m_modelQuads; ///< of each mode's rows
    /// Of each mode, by slot, while a pass works on them; empty: none does.
    std::vector<cuda::DeviceBuffer<uint2>> m_narrowRows;
    std::vector<cuda::DeviceBuffer<float4>> m_wideRows;
    std::array<StepLevels, maxOrder> m_steps;
    std::array<Pass, 4> m_passes; ///< by work
};

} // namespace kernels::fasttucker_plus::gpu
