// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cpu_base.h"
#include "kernels/algorithms/tucker_als/equations.h"
#include "kernels/base/dispatch.h"

namespace kernels::tucker_als {
namespace {

/// What a task has for itself while rows are renewed.
template <class T> class RowRoom {
public:
    RowRoom(const Walk& walk, const RowStep& step)
        : room(walk, false)
        , m_step(step)
        , m_rank(walk.openRank())
        , m_stride(paddedRank<T>(m_rank))
        , m_equations(m_stride)
        , m_kept(m_stride)
        , m_row(m_stride)
        , m_column(m_rank)
    {
    }

    Room<T> room;

    void take(Index, const T* numbers)
    {
        std::copy_n(numbers, m_rank, m_row.begin());
        m_equations.clear();
    }
    void visit(const T* deltas, const T* values, unsigned count)
    {
        loops().addNormal({deltas, values, m_row.data(), count, m_stride, m_equations.normal(), m_equations.right()});
    }
    void keep(Equations& piece) const { piece.copy(m_equations); }
    void finish(Index row, T* numbers, const Equations& whole)
    {
        take(row, numbers);
        m_equations.copy(whole);
        finish(row, numbers);
    }

    /// Solves for the change of the row. Rounded sums may be no positive matrix: a larger diagonal takes a smaller step, and still
    /// one downwards. Sums that overflowed say nothing: the row stays as it is.
    void finish(Index, T* numbers)
    {
        constexpr double rounding = std::is_same_v<T, float> ? 0x1p-22 : 0x1p-48;
        constexpr unsigned mostTries = 16; // from rounding to the largest in steps of 64 takes 10
        if (!m_equations.finite(m_rank))
            return;
        double largest = 0;
        for (unsigned j = 0; j < m_rank; ++j) {
            m_equations.right()[j] -= m_step.penalty * (static_cast<double>(m_row[j]) - (*m_step.centre)[j]);
            largest = std::max(largest, m_equations.normal()[Count{j} * m_stride + j]);
        }
        if (!(largest + m_step.penalty > 0))
            return; // nothing is said of the row
        m_kept.copy(m_equations);
        double damping = rounding * largest;
        for (unsigned i = 0; i < mostTries && damping <= largest + m_step.penalty; ++i, damping = std::max(damping, 1e-300) * 64) {
            for (unsigned j = 0; j < m_rank; ++j)
                m_equations.normal()[Count{j} * m_stride + j] += m_step.penalty + damping;
            if (loops().solve(m_equations.normal(), m_stride, m_rank, m_equations.right(), m_column.data())) {
                for (unsigned j = 0; j < m_rank; ++j)
                    numbers[j] = static_cast<T>(static_cast<double>(m_row[j]) + m_equations.right()[j]);
                return;
            }
            m_equations.copy(m_kept);
        }
    }

private:
    static const core_contraction::Loops<T>& loops() { return core_contraction::loops(T(0)); }

    RowStep m_step;
    unsigned m_rank, m_stride;
    Equations m_equations, m_kept;
    AlignedArray<T> m_row; ///< as it is, padded by zeros
    std::vector<double> m_column; ///< for the solver of equations
};

template <class T> class CpuBackEnd final : public CpuBase<AlsBackEnd, T> {
public:
    void renewRows(unsigned mode, const Array<double>& core, const RowStep& step, RunControl& control) override
    {
        this->template renewAll<RowRoom<T>, Equations>(mode, core, needs(true), control, step);
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

} // namespace kernels::tucker_als
