// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_ccd/back_end.h"
#include "kernels/algorithms/cp_completion_als/cpu_base.h"
#include "kernels/base/dispatch.h"

/// Residuals are kept in the order of every mode's list, beside the values: N copies, each read and written in its order, where one copy
/// would be read at random. Columns at work lie apart from the rows they are of: theirs alone are gathered then.
namespace kernels::cp_ccd {
namespace {

using cp_completion_als::RidgeOnCpu;

/// Of the rows of all modes.
template <class T> struct Columns {
    unsigned first = 0, count = 0; ///< none: 0
    std::vector<Array<T>> numbers; ///< [mode]: `count` of each row

    std::vector<const T*> rows() const
    {
        std::vector<const T*> all;
        for (const Array<T>& mode : numbers)
            all.push_back(mode.data());
        return all;
    }
};

template <class T> class CpuBackEnd final : public RidgeOnCpu<CcdBackEnd, T> {
    using Base = RidgeOnCpu<CcdBackEnd, T>;

public:
    void load(cp_completion_als::Problem problem, RunControl& control) override
    {
        const unsigned columns = problem.columns;
        Base::load(std::move(problem), control);
        for (unsigned n = 0; n < this->order(); ++n) {
            control.checkpoint();
            m_residuals.emplace_back().resize(this->entries());
            for (Columns<T>* const set : {&m_now, &m_last})
                set->numbers.emplace_back().resize(this->rowsOf(n).size() / this->rank() * columns);
        }
    }

    void takeResiduals(RunControl& control) override
    {
        this->arena().execute([&] {
            for (unsigned n = 0; n < this->order(); ++n)
                this->forEachPart(n, this->allRows(), this->rank(), control, [&](Count, const auto& entriesOfPart) {
                    entriesOfPart([&](Count entry, Index row, const T* h) {
                        m_residuals[n][entry] = this->list(n).values[entry] - this->predicted(n, row, h);
                    });
                });
        });
        m_last.count = 0;
    }

    void renewColumns(const ColumnStep& step, RunControl& control) override
    {
        this->arena().execute([&] {
            copyColumns(step, control);
            if (m_last.count > 0)
                moveResiduals(m_last, T(-1), control);
            moveResiduals(m_now, T(1), control);
            std::vector<T*> rows;
            for (Array<T>& numbers : m_now.numbers)
                rows.push_back(numbers.data());
            for (unsigned sweep = 0; sweep < step.sweeps; ++sweep)
                for (unsigned n = 0; n < this->order(); ++n)
                    this->renew(n, rows, step.count, m_residuals[n], step.ridges[n], step.ridges[n].centre->data() + step.first, control);
            keepColumns(control);
            std::swap(m_now, m_last);
        });
    }

    MemoryUse memoryUse() const override
    {
        MemoryUse use = Base::memoryUse();
        for (unsigned n = 0; n < this->order(); ++n)
            use.hostBytes += (m_residuals[n].size() + m_now.numbers[n].size() + m_last.numbers[n].size()) * sizeof(T);
        return use;
    }

private:
    static constexpr Count rowsAtOnce = Count{1} << 14;

    void copyColumns(const ColumnStep& step, RunControl& control)
    {
        m_now.first = step.first;
        m_now.count = step.count;
        for (unsigned n = 0; n < this->order(); ++n)
            forEachChunk(this->rowsOf(n).size() / this->rank(), rowsAtOnce, control, [&](Count, Count begin, Count end) {
                for (Count row = begin; row < end; ++row)
                    std::copy_n(this->rowsOf(n).data() + row * this->rank() + step.first, step.count,
                                m_now.numbers[n].data() + row * step.count);
            });
    }
    void keepColumns(RunControl& control)
    {
        for (unsigned n = 0; n < this->order(); ++n)
            forEachChunk(this->rowsOf(n).size() / this->rank(), rowsAtOnce, control, [&](Count, Count begin, Count end) {
                for (Count row = begin; row < end; ++row)
                    std::copy_n(m_now.numbers[n].data() + row * m_now.count, m_now.count,
                                this->rowsOf(n).data() + row * this->rank() + m_now.first);
            });
    }

    /// e += sign · Σ of the columns' products.
    void moveResiduals(const Columns<T>& columns, T sign, RunControl& control)
    {
        const auto& dot = core_contraction::loops(T(0)).dot;
        for (unsigned n = 0; n < this->order(); ++n) {
            const T* const own = columns.numbers[n].data();
            this->forEachPart(n, columns.rows(), columns.count, control, [&](Count, const auto& entriesOfPart) {
                entriesOfPart([&](Count entry, Index row, const T* h) {
                    m_residuals[n][entry] +=
                        sign * (columns.count == 1 ? own[row] * *h : dot(own + Count{row} * columns.count, h, columns.count));
                });
            });
        }
    }

    std::vector<Array<T>> m_residuals; ///< [mode], in its list's order: x − x̂, of the columns at work without them
    Columns<T> m_now, m_last; ///< at work, and those before, which residuals still lack
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(); });
    });
}

} // namespace kernels::cp_ccd
