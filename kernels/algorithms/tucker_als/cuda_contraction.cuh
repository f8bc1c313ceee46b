// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/cuda_entries.cuh"
#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/device/transfer.cuh"
#include "kernels/operations/core_contraction/device_contraction.cuh"

#include <algorithm>
#include <utility>
#include <vector>

namespace kernels::tucker_als::gpu {

inline Array<double> onHost(const cuda::DeviceBuffer<double>& from, Count numbers, const cuda::Stream& stream)
{
    Array<double> to;
    to.resize(numbers);
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), numbers * sizeof(double), cudaMemcpyDeviceToHost, stream));
    stream.synchronize();
    return to;
}

/// Of the two numbers that every block has summed.
inline std::pair<double, double> sumsOfBlocks(const cuda::DeviceBuffer<double>& from, const cuda::Stream& stream)
{
    const Array<double> sums = onHost(from, 2 * sumBlocks, stream);
    std::pair<double, double> whole;
    for (std::size_t i = 0; i < sums.size(); i += 2) {
        whole.first += sums[i];
        whole.second += sums[i + 1];
    }
    return whole;
}

/// The core and its table on a GPU, as the pass at work needs them.
template <class T> class CoreOnDevice {
public:
    using Contraction = core_contraction::gpu::Contraction<T>;
    using Factors = std::vector<cuda::DeviceBuffer<T>>; ///< [mode]: rows × stride
    using Columns = std::vector<const Index*>; ///< by position

    CoreOnDevice() = default;
    CoreOnDevice(const RunPlan& plan, const Factors& factors)
        : m_plan(&plan)
        , m_factors(&factors)
    {
        Count core = 0, table = 0;
        for (const core_contraction::Walk& walk : plan.rows) {
            core = std::max(core, paddedCore(plan.shape.coreNumbers(), walk.openRank()));
            table =
                std::max(table, core_contraction::tableNumbers(walk, plan.shape.dims) / walk.openRank() * deviceStride(walk.openRank()));
        }
        m_core = cuda::DeviceBuffer<T>(core);
        m_table = cuda::DeviceBuffer<T>(table);
        m_coreOnHost.resize(core);
    }

    std::uint64_t bytes() const { return m_core.bytes() + m_table.bytes(); }
    std::uint64_t hostBytes() const { return m_coreOnHost.size() * sizeof(T); }

    /// What blocks take for themselves is little on some GPUs.
    void requireSharedMemory(int device) const
    {
        int allowed = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&allowed, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        for (const core_contraction::Walk& walk : m_plan->rows) {
            const Contraction direct = shapeOf(walk);
            const std::size_t most =
                std::max(rowsSharedBytes(walk.openRank(), sizeof(T)), core_contraction::gpu::deltasSharedBytes(direct));
            if (most > static_cast<std::size_t>(allowed))
                throw Error(ErrorKind::BadArgument,
                            {"rows of these ranks are too wide for this GPU", "shared memory of a block", formatBytes(most),
                             "at most " + formatBytes(static_cast<std::uint64_t>(allowed)), "Choose smaller ranks, fp32 or the CPU."});
        }
    }

    /// Without entries and core.
    Contraction shapeOf(const core_contraction::Walk& walk) const
    {
        Contraction c;
        c.count = walk.order() - 1;
        c.openRank = walk.openRank();
        c.openStride = deviceStride(c.openRank);
        for (unsigned p = 0; p < c.count; ++p) {
            const unsigned mode = walk.modes[p + 1], rank = m_plan->shape.ranks[mode];
            c.positions[p] = {nullptr, (*m_factors)[mode].data(), rank, deviceStride(rank)};
        }
        return c;
    }

    /// With the core, and the table where the walk has one. Without columns where entries are grouped.
    Contraction contractionOf(const core_contraction::Walk& walk, const Array<double>& core, const Columns& columns,
                              cuda::LaunchPacer& pacer, const cuda::Stream& stream)
    {
        Contraction c = shapeOf(walk);
        for (unsigned p = 0; p < columns.size(); ++p)
            c.positions[p].column = columns[p];
        sendCore(walk, core, stream);
        c.core = m_core.data();
        if (!walk.tabled)
            return c;
        const Index rows = m_plan->shape.dims[walk.tupleMode()];
        const Count part = core_contraction::gpu::partNumbers(c), contractions = Count{1} << 34; // some milliseconds
        const auto atOnce = static_cast<Index>(std::clamp<Count>(contractions / (part * c.positions[0].rank), 1, rows));
        for (Count first = 0; first < rows; first += atOnce) {
            const auto begin = static_cast<Index>(first), end = static_cast<Index>(std::min<Count>(first + atOnce, rows));
            core_contraction::gpu::makeTable(c, begin, end, m_table.data() + first * part, stream);
            pacer.launched();
        }
        c.table = m_table.data();
        return c;
    }

private:
    void sendCore(const core_contraction::Walk& walk, const Array<double>& core, const cuda::Stream& stream)
    {
        const std::size_t columns = walk.openRank(), padded = deviceStride(walk.openRank()), rows = core.size() / columns;
        T* const numbers = m_coreOnHost.data();
        core_contraction::arrange(core, m_plan->shape.ranks, walk.coreOrder(), numbers);
        for (std::size_t row = rows; columns < padded && row-- > 0;) { // from behind: in place
            std::copy_backward(numbers + row * columns, numbers + (row + 1) * columns, numbers + row * padded + columns);
            std::fill_n(numbers + row * padded + columns, padded - columns, T(0));
        }
        CUDA_CHECK(cudaMemcpyAsync(m_core.data(), numbers, rows * padded * sizeof(T), cudaMemcpyHostToDevice, stream));
        stream.synchronize(); // the next one is arranged in the same place
    }

    const RunPlan* m_plan = nullptr;
    const Factors* m_factors = nullptr;
    cuda::DeviceBuffer<T> m_core, m_table;
    Array<T> m_coreOnHost;
};

} // namespace kernels::tucker_als::gpu
