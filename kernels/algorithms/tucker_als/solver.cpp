// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/core_fit.h"
#include "kernels/algorithms/tucker_als/penalised_solver.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"

/// A sweep: the rows of one mode after another by least squares of their entries, then some steps on the core. Each lowers the loss.
namespace kernels::tucker_als {
namespace {

unsigned coreSteps(const RunConfig& config)
{
    return choiceParameter(config.parameters, "core") == "fitted" ? static_cast<unsigned>(integerParameter(config.parameters, "core-steps"))
                                                                  : 0;
}

class AlsSolver final : public PenalisedSolver {
public:
    explicit AlsSolver(const SolverInput& input)
        : PenalisedSolver(input, coreSteps(input.config) > 0)
        , m_coreSteps(coreSteps(input.config))
    {
    }

    void prepare(RunControl& control) override
    {
        m_backEnd = makeBackEndOf<AlsBackEnd>(algorithmId, m_input.config.precision, m_input.config.devices.front());
        plan(*m_backEnd, needs(m_coreSteps > 0));
        beginPenalised(*m_backEnd, control);
    }

    IterationWork iterate(std::uint64_t, RunControl& control) override
    {
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        const Stopwatch rows(control);
        for (unsigned n = 0; n < order(); ++n)
            m_backEnd->renewRows(n, m_core, {m_penalties[n], &m_centres[n]}, control);
        work.secondsFactor = rows.seconds();
        const Stopwatch core(control);
        if (m_coreSteps > 0)
            fitCore(m_core, *m_backEnd, shape(), {m_corePenalty, m_coreCentre, m_coreSteps}, control);
        work.secondsCore = core.seconds();
        return work;
    }

private:
    unsigned m_coreSteps; ///< 0: the core is kept
    std::unique_ptr<AlsBackEnd> m_backEnd; ///< refers to the plan
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<AlsSolver>(input); }

} // namespace kernels::tucker_als
