// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cpu_base.h"
#include "kernels/base/dispatch.h"
#include "kernels/operations/observed_rows/ridge_row.h"

namespace kernels::tucker_als {
namespace {

using observed_rows::Equations;

/// What a task has for itself while rows are renewed.
template <class T> class RowRoom {
public:
    RowRoom(const Walk& walk, const RowStep& step)
        : room(walk, false)
        , m_penalty(step.penalty)
        , m_row(walk.openRank(), paddedRank<T>(walk.openRank()), step.centre->data())
    {
    }

    Room<T> room;

    void take(Index, const T* numbers) { m_row.take(numbers); }
    void visit(const T* deltas, const T* values, unsigned count) { m_row.visit(deltas, values, count); }
    void keep(Equations& piece) const { m_row.keep(piece); }
    void finish(Index, T* numbers, const Equations& whole) { m_row.finish(numbers, whole, m_penalty); }
    void finish(Index, T* numbers) { m_row.finish(numbers, m_penalty); }

private:
    double m_penalty;
    observed_rows::RidgeRow<T> m_row;
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
