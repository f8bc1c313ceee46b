// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cpu_base.h"
#include "kernels/algorithms/tucker_ccd/core_descent.h"
#include "kernels/base/dispatch.h"
#include "kernels/operations/observed_rows/equations.h"

#include <limits>

namespace kernels::tucker_ccd {
namespace {

using core_contraction::paddedRank;
using observed_rows::Equations;

/// What a task has for itself while rows are renewed.
template <class T> class StepRoom {
public:
    StepRoom(const core_contraction::Walk& walk, const RowStep& step, float* responsibilities)
        : room(walk, false)
        , m_step(step)
        , m_responsibilities(responsibilities)
        , m_rank(walk.openRank())
        , m_stride(paddedRank<T>(m_rank))
        , m_equations(m_stride)
        , m_row(m_stride)
    {
    }

    core_contraction::Room<T> room;

    void take(Index, const T* numbers)
    {
        std::copy_n(numbers, m_rank, m_row.begin());
        m_equations.clear();
    }
    void visit(const T* deltas, const T* values, unsigned count)
    {
        core_contraction::loops(T(0)).addNormal({deltas, values, m_row.data(), count, m_stride, m_equations.normal(), m_equations.right()});
    }
    void keep(Equations& piece) const { piece.copy(m_equations); }
    void finish(Index row, T* numbers, const Equations& whole)
    {
        take(row, numbers);
        m_equations.copy(whole);
        finish(row, numbers);
    }

    void finish(Index row, T* numbers)
    {
        std::vector<double>& now = m_numbers;
        now.assign(m_row.begin(), m_row.begin() + m_rank);
        const bool finite = m_equations.finite(m_rank); // sums that overflowed say nothing: the row stays as it is
        for (unsigned sweep = 0; finite && sweep < m_step.sweeps; ++sweep)
            for (unsigned j = 0; j < m_rank; ++j)
                if (const Coordinate number = coordinate(now, j); (now[j] != 0 || !m_step.keepsZeros) && hasStep(m_step.penalty, number))
                    change(now, j, bestStep(m_step.penalty, number));
        for (unsigned j = 0; j < m_rank; ++j) {
            numbers[j] = static_cast<T>(now[j]);
            if (m_responsibilities)
                m_responsibilities[Count{row} * m_rank + j] =
                    finite ? static_cast<float>(responsibility(now, j)) : std::numeric_limits<float>::infinity();
        }
    }

private:
    double normal(unsigned a, unsigned b) { return m_equations.normal()[Count{std::max(a, b)} * m_stride + std::min(a, b)]; }
    Coordinate coordinate(const std::vector<double>& now, unsigned j)
    {
        return {now[j], (*m_step.centre)[j], m_equations.right()[j], normal(j, j)};
    }
    /// How much the loss would rise without it. Where entries say nothing of a number the penalty alone put it there, and what it is for,
    /// that the row predict the mean, no loss knows: it stays as long as anything else can go.
    double responsibility(const std::vector<double>& now, unsigned j)
    {
        return normal(j, j) > 0 || !(m_step.penalty.weight > 0) ? riseWithout(m_step.penalty, coordinate(now, j))
                                                                : std::numeric_limits<double>::infinity();
    }
    void change(std::vector<double>& now, unsigned j, const Step& step)
    {
        now[j] = step.to;
        for (unsigned k = 0; k < m_rank; ++k)
            m_equations.right()[k] -= normal(j, k) * step.by;
    }

    RowStep m_step;
    float* m_responsibilities; ///< of all rows of the mode; null: none are asked for
    unsigned m_rank, m_stride;
    Equations m_equations; ///< its right side is of the row as the steps make it
    AlignedArray<T> m_row; ///< as it was, padded by zeros
    std::vector<double> m_numbers;
};

template <class T> class CpuBackEnd final : public tucker_als::CpuBase<CcdBackEnd, T> {
public:
    void renewRows(unsigned mode, const Array<double>& core, const RowStep& step, RunControl& control) override
    {
        m_responsibilities.resize(step.prunes ? this->rowsOf(mode).size() : 0);
        this->template renewAll<StepRoom<T>, Equations>(mode, core, needs(true), control, step,
                                                        step.prunes ? m_responsibilities.data() : nullptr);
    }

    void prune(unsigned mode, Count count) override
    {
        pruneLeast(this->rowsOf(mode), m_responsibilities, count);
        m_responsibilities = Array<float>();
    }

    Array<float> renewCore(Array<double>& core, const CoreStep& step, RunControl& control) override
    {
        Array<float> responsibilities;
        responsibilities.resize(step.prunes ? core.size() : 0);
        this->arena().execute([&] {
            std::vector<const Array<T>*> rows;
            for (unsigned n = 0; n < this->plan().shape.dims.size(); ++n)
                rows.push_back(&this->rowsOf(n));
            CoreDescent<T> descent(this->plan(), this->coreEntries(), std::move(rows), this->residuals(core, control), control);
            descent.renew(core, step, responsibilities, control);
        });
        this->noteTransient(corePassBytes(this->plan(), sizeof(T), static_cast<unsigned>(this->arena().max_concurrency())));
        return responsibilities;
    }

    Count zeros(unsigned mode) const override
    {
        return static_cast<Count>(std::count(this->rowsOf(mode).begin(), this->rowsOf(mode).end(), T(0)));
    }

    double absoluteDistance(unsigned mode, const std::vector<double>& centre, RunControl& control) override
    {
        return this->sumOverNumbers(mode, control, [&](double number, unsigned j) { return std::abs(number - centre[j]); });
    }

private:
    Array<float> m_responsibilities; ///< of the numbers renewed last; none where they are not pruned
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(); });
    });
}

} // namespace kernels::tucker_ccd
