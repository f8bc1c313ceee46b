// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/completion_solver.h"
#include "kernels/algorithms/cp_completion_als/memory.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"

/// A sweep: the rows of one mode after another by least squares of their entries. Each lowers the loss.
namespace kernels::cp_completion_als {
namespace {

class AlsSolver final : public PenalisedSolver {
public:
    explicit AlsSolver(const SolverInput& input)
        : PenalisedSolver(input)
    {
    }

    void prepare(RunControl& control) override
    {
        m_backEnd = makeBackEndOf<AlsBackEnd>(algorithmId, m_input.config.precision, m_input.config.devices.front());
        require(*m_backEnd, estimateMemory(m_input.config, shapeOf(m_input)));
        begin(*m_backEnd, rank(), control);
    }

    IterationWork iterate(std::uint64_t, RunControl& control) override
    {
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        const Stopwatch rows(control);
        for (unsigned n = 0; n < order(); ++n)
            m_backEnd->renewRows(n, ridges()[n], control);
        work.secondsFactor = rows.seconds();
        return work;
    }

private:
    std::unique_ptr<AlsBackEnd> m_backEnd;
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<AlsSolver>(input); }

} // namespace kernels::cp_completion_als
