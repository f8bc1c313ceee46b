// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cpu_base.h"
#include "kernels/algorithms/tucker_sgd/back_end.h"
#include "kernels/base/dispatch.h"

namespace kernels::tucker_sgd {
namespace {

using core_contraction::paddedRank;

/// Where a row came to from some of its entries.
template <class T> class SteppedRow {
public:
    explicit SteppedRow(unsigned stride)
        : m_numbers(stride, 0.0)
    {
    }

    void set(const AlignedArray<T>& row) { m_numbers.assign(row.begin(), row.end()); }
    void add(const SteppedRow& other, Count entries)
    {
        for (std::size_t j = 0; j < m_numbers.size(); ++j)
            m_numbers[j] += static_cast<double>(entries) * other.m_numbers[j];
        m_entries += entries;
    }
    double mean(unsigned column) const { return m_numbers[column] / static_cast<double>(m_entries); }

private:
    AlignedArray<double> m_numbers;
    Count m_entries = 0; ///< added up
};

/// What a task has for itself while rows are stepped.
template <class T> class StepRoom {
public:
    StepRoom(const core_contraction::Walk& walk, const RowStep& step)
        : room(walk, false)
        , m_step(step)
        , m_rank(walk.openRank())
        , m_row(paddedRank<T>(m_rank))
    {
    }

    core_contraction::Room<T> room;

    void take(Index, const T* numbers) { std::copy_n(numbers, m_rank, m_row.begin()); }
    void visit(const T* deltas, const T* values, unsigned count)
    {
        core_contraction::loops(T(0)).descend({deltas, values, m_row.data(), count, static_cast<unsigned>(m_row.size()),
                                               static_cast<T>(m_step.rate), static_cast<T>(m_step.lambda), static_cast<T>(m_step.cap)});
    }
    void finish(Index, T* numbers) const { std::copy_n(m_row.begin(), m_rank, numbers); }
    void keep(SteppedRow<T>& piece) const { piece.set(m_row); }
    void finish(Index, T* numbers, const SteppedRow<T>& whole) const
    {
        for (unsigned j = 0; j < m_rank; ++j)
            numbers[j] = static_cast<T>(whole.mean(j));
    }

private:
    RowStep m_step;
    unsigned m_rank;
    AlignedArray<T> m_row; ///< padded by zeros
};

template <class T> class CpuBackEnd final : public tucker_als::CpuBase<SgdBackEnd, T> {
public:
    void stepRows(unsigned mode, const Array<double>& core, const RowStep& step, RunControl& control) override
    {
        this->template renewAll<StepRoom<T>, SteppedRow<T>>(mode, core, needs(), control, step);
    }
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(); });
    });
}

} // namespace kernels::tucker_sgd
