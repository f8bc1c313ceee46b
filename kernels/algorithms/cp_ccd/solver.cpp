// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_ccd/back_end.h"
#include "kernels/algorithms/cp_completion_als/completion_solver.h"
#include "kernels/algorithms/cp_completion_als/memory.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"

#include <algorithm>

/// An iteration: some columns after others, in all modes, by least squares of what the other columns leave of the entries. Each lowers the
/// loss. Residuals are taken afresh every iteration, so that rounding never adds up, and a run that goes on needs the rows alone.
namespace kernels::cp_ccd {
namespace {

class CcdSolver final : public cp_completion_als::PenalisedSolver {
public:
    explicit CcdSolver(const SolverInput& input)
        : PenalisedSolver(input)
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        m_backEnd = makeBackEndOf<CcdBackEnd>(algorithmId, config.precision, config.devices.front());
        const unsigned columns = columnsOf(config);
        require(*m_backEnd, cp_completion_als::estimateWithLists(config, cp_completion_als::shapeOf(m_input), {columns, true}));
        begin(*m_backEnd, columns, control);
    }

    IterationWork iterate(std::uint64_t, RunControl& control) override
    {
        const auto sweeps = static_cast<unsigned>(integerParameter(m_input.config.parameters, "inner-sweeps"));
        const unsigned columns = columnsOf(m_input.config);
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        const Stopwatch rows(control);
        m_backEnd->takeResiduals(control);
        for (unsigned first = 0; first < rank(); first += columns)
            m_backEnd->renewColumns({first, std::min(columns, rank() - first), sweeps, ridges()}, control);
        work.secondsFactor = rows.seconds();
        return work;
    }

private:
    std::unique_ptr<CcdBackEnd> m_backEnd;
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<CcdSolver>(input); }

} // namespace kernels::cp_ccd
