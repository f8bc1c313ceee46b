// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/cuda_entries.cuh"
#include "kernels/device/transfer.cuh"

namespace kernels::tucker_als::gpu {

/// Sums over the core's entries where these are grouped: no δ of theirs are kept.
template <class T> class GroupedCore {
public:
    using Sums = core_contraction::gpu::GroupedSums<T>;
    using Work = core_contraction::gpu::GroupedWork;

    GroupedCore() = default;
    explicit GroupedCore(const RunPlan& plan)
        : m_rows(plan.shape.dims[plan.core.tupleMode()])
        , m_sums(groupNumbers(plan.core, plan.shape.dims, plan.shape.entries))
    {
    }
    std::uint64_t bytes() const { return m_sums.bytes(); }

    /// The contraction is that of the core's walk.
    Sums sum(Work work, const core_contraction::gpu::Contraction<T>& contraction, const ModeEntries<T>& entries, const T* ownRows,
             double unit, cuda::LaunchPacer& pacer, const cuda::Stream& stream)
    {
        Sums a;
        a.contraction = contraction;
        a.entries = entries.asGrouped();
        a.own = entries.own.data();
        a.ownRows = ownRows;
        a.values = entries.values.data();
        a.runs = entries.runs.data();
        a.batches = entries.batchBegins.data();
        a.batchCount = static_cast<unsigned>(entries.batches.size());
        a.rows = m_rows;
        a.slices = static_cast<unsigned>(
            core_contraction::gpu::groupSlices(entries.values.count(), m_rows, core_contraction::gpu::partNumbers(contraction)));
        a.unit = unit;
        a.blocks = m_sums.data();
        constexpr Count launches = 8; // some milliseconds each
        for (Count l = 0; l < launches; ++l) {
            core_contraction::gpu::sumGroups(a, work, static_cast<Index>(m_rows * l / launches),
                                             static_cast<Index>(m_rows * (l + 1) / launches), stream);
            pacer.launched();
        }
        return a;
    }

private:
    Index m_rows = 0;
    cuda::DeviceBuffer<double> m_sums; ///< [row at position 0][slice]
};

} // namespace kernels::tucker_als::gpu
