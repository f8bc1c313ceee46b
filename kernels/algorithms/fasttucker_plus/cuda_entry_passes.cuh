// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_storage.cuh"

namespace kernels::fasttucker_plus::gpu {

/// Entries of one launch when only a share of the card works; a multiple of every tile.
template <class T> Count entriesPerLaunch(const KernelPlan<T>& plan, double share)
{
    constexpr double flopsPerLaunch = 1e11; // some 10 ms at full speed, far below the 0.5 s a stop may take on a slow card
    const double flops = 4.0 * static_cast<double>(plan.coreElements()) + 64;
    const double entries = flopsPerLaunch * share / (sizeof(T) == 8 ? 2 : 1) / flops;
    return std::max<Count>(static_cast<Count>(entries) / visitingBlock, 1) * visitingBlock;
}

/// The variants "calculate" and "store" on a GPU: the launches of passes that visit entry after entry, and what these keep on the device
/// beside the model. The variant "grouped" has GroupedPasses.
template <class T> class EntryPasses {
public:
    EntryPasses() = default;
    /// plan: to stay. grid: of a factor pass in normal mode. batch: entries of one in deterministic mode; 0: normal mode.
    /// store: C^(n) is kept for the core pass.
    EntryPasses(const KernelPlan<T>& plan, const FactorGrid& grid, const std::vector<Index>& dims, Count entries, Count batch, bool store)
        : m_plan(&plan)
        , m_grid(grid)
        , m_dims(dims)
        , m_entries(entries)
        , m_batch(batch)
        , m_accumulators(accumulatorElements(plan))
        , m_changes(batchElements(plan, batch))
    {
        for (unsigned n = 0; n < plan.order() && store; ++n)
            m_projections.emplace_back(std::size_t{dims[n]} * plan.coreRank);
        if (batch > 0)
            m_runs = RowRuns(batch * plan.order());
    }
    static std::uint64_t bytesFor(const KernelPlan<T>& plan, std::uint64_t rows, Count batch, bool store)
    {
        std::uint64_t elements = accumulatorElements(plan) + batchElements(plan, batch);
        elements += store ? rows * plan.coreRank : 0;
        return elements * sizeof(T) + (batch > 0 ? RowRuns::bytesFor(batch * plan.order()) : 0);
    }

    /// arguments: of all modes.
    void factorPass(const FactorPass& pass, const FactorArguments<T>& arguments, const cuda::Stream& stream, RunControl& control)
    {
        for (unsigned mode = 0; mode < m_plan->order(); mode += m_plan->modesAtOnce()) {
            FactorArguments<T> now = arguments;
            now.mode = mode;
            for (unsigned n = 0; n < m_plan->order(); ++n)
                if (!renewed(mode, n))
                    now.rowScales[n] = nullptr; // fetched for nothing
            if (m_batch > 0)
                factorBatches(pass, now, stream, control);
            else
                factorFreely(m_plan->factor, pass, now, stream, control);
        }
    }

    /// The same by C^(n) as the last core pass kept it, of all modes in normal mode. False: there is no such pass.
    bool stalePass(const FactorPass& pass, FactorArguments<T> arguments, const cuda::Stream& stream, RunControl& control)
    {
        if (!m_plan->factorOfStale || m_plan->modesAtOnce() == 1 || m_batch > 0 || m_projections.empty())
            return false;
        for (unsigned n = 0; n < m_plan->order(); ++n)
            arguments.projections[n] = m_projections[n].data();
        Launch<FactorArguments<T>> launch = m_plan->factor;
        launch.kernel = m_plan->factorOfStale;
        detail::residentBlocks(launch.kernel, launch.threads, launch.bytes); // so much shared memory has to be allowed
        factorFreely(launch, pass, arguments, stream, control);
        return true;
    }

    /// What gradients of all modes begin with: work memory, and rows of C^(n) where they are kept.
    void prepareGradients(CoreArguments<T>& arguments, const cuda::Stream& stream)
    {
        arguments.accumulators = m_accumulators.data();
        for (unsigned n = 0; n < m_projections.size(); ++n) {
            launchProjectRows(m_projections[n].data(), static_cast<const T*>(arguments.tables.factors[n]), arguments.tables.cores[n],
                              m_dims[n], m_plan->rank[n], m_plan->coreRank, stream);
            arguments.projections[n] = m_projections[n].data();
        }
    }
    /// Of the modes renewed together with this one.
    void sumGradients(unsigned mode, CoreArguments<T>& arguments, const cuda::Stream& stream, cuda::LaunchPacer& pacer)
    {
        for (const CoreShare& share : m_plan->coreShares) {
            if (!renewed(mode, share.firstMode))
                continue;
            arguments.firstMode = share.firstMode;
            arguments.modes = share.modes;
            arguments.parts = static_cast<unsigned>(share.parts.size());
            std::copy(share.parts.begin(), share.parts.end(), arguments.part);
            forLaunches([&](Count begin, Count end) {
                arguments.begin = begin;
                arguments.end = end;
                m_plan->core(arguments, stream);
                pacer.launched();
            });
        }
    }

    /// A factor pass's entries and rows in its order, without arithmetic.
    void touchRows(const Tables<T>& tables, const VisitingOrder& order, const cuda::Stream& stream, RunControl& control)
    {
        cuda::LaunchPacer pacer(stream, control);
        forLaunches([&](Count begin, Count end) {
            launchTouchRows(tables, order, begin, end, stream);
            pacer.launched();
        });
        pacer.finish();
    }

private:
    static std::uint64_t accumulatorElements(const KernelPlan<T>& plan) { return plan.accumulatorElements * plan.core.blocks; }
    static std::size_t batchElements(const KernelPlan<T>& plan, Count batch)
    {
        std::size_t sum = 0;
        for (const unsigned r : plan.rank)
            sum += batch * r;
        return sum;
    }
    /// Whether mode n is among those renewed together, of which this is the first.
    bool renewed(unsigned first, unsigned n) const { return n >= first && n < first + m_plan->modesAtOnce(); }

    template <class Launch> void forLaunches(const Launch& launch) const { forLaunches({0, m_entries}, 1, launch); }
    template <class Launch> void forLaunches(const FactorPass::Stretch& entries, double share, const Launch& launch) const
    {
        const Count most = entriesPerLaunch(*m_plan, share);
        for (Count begin = entries.begin; begin < entries.end; begin += most)
            launch(begin, std::min(begin + most, entries.end));
    }

    void factorFreely(const Launch<FactorArguments<T>>& launch, const FactorPass& pass, FactorArguments<T>& arguments,
                      const cuda::Stream& stream, RunControl& control)
    {
        arguments.groupsPerBlock = m_grid.groupsPerBlock;
        const double share = static_cast<double>(m_grid.blocks) * m_grid.groupsPerBlock
            / (static_cast<double>(m_plan->factor.blocks) * m_plan->factor.groupsPerBlock);
        cuda::LaunchPacer pacer(stream, control);
        forLaunches(pass.stretchOf(m_entries, visitingBlock), share, [&](Count begin, Count end) {
            arguments.begin = begin;
            arguments.end = end;
            launch(arguments, m_grid.blocks, stream);
            pacer.launched();
        });
        pacer.finish();
    }

    void factorBatches(const FactorPass& pass, FactorArguments<T>& arguments, const cuda::Stream& stream, RunControl& control)
    {
        RowChanges<T> changes;
        T* to = m_changes.data();
        const unsigned modes = m_plan->modesAtOnce();
        for (unsigned m = 0; m < modes; ++m) {
            const unsigned n = arguments.mode + m;
            changes.rank[m] = m_plan->rank[n];
            changes.factors[m] = arguments.tables.factors[n];
            changes.changes[m] = arguments.changes[n] = to;
            to += m_batch * m_plan->rank[n];
        }
        changes.nonnegative = arguments.nonnegative;
        changes.keys = m_runs.keys();
        changes.entries = m_runs.entries();
        arguments.groupsPerBlock = m_plan->factor.groupsPerBlock;
        const Count perBlock = Count{m_plan->factor.entries} * m_plan->factor.groupsPerBlock;
        cuda::LaunchPacer pacer(stream, control);
        const FactorPass::Stretch wanted = pass.stretchOf(m_entries, m_batch);
        for (Count begin = wanted.begin; begin < wanted.end; begin += m_batch) {
            const auto count = static_cast<unsigned>(std::min(m_batch, wanted.end - begin));
            arguments.begin = begin;
            arguments.end = begin + count;
            m_plan->factor(arguments, static_cast<unsigned>(std::min<Count>((count + perBlock - 1) / perBlock, m_plan->factor.blocks)),
                           stream);
            m_runs.sort(arguments.tables.indices + arguments.mode, modes, arguments.order, begin, count, stream);
            changes.items = count * modes;
            launchApplyChanges(changes, stream);
            pacer.launched();
        }
        pacer.finish();
    }

    const KernelPlan<T>* m_plan = nullptr;
    FactorGrid m_grid;
    std::vector<Index> m_dims;
    Count m_entries = 0;
    Count m_batch = 0;
    cuda::DeviceBuffer<T> m_accumulators; ///< of gradients that no shared memory holds
    cuda::DeviceBuffer<T> m_changes; ///< of a batch
    RowRuns m_runs;
    std::vector<cuda::DeviceBuffer<T>> m_projections; ///< variant "store"
};

} // namespace kernels::fasttucker_plus::gpu
