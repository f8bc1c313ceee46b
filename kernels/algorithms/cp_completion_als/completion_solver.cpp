// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/completion_solver.h"

#include "kernels/algorithms/cp_completion_als/start.h"
#include "kernels/algorithms/tucker_als/start.h"
#include "kernels/device/require_memory.h"

#include <fmt/format.h>

#include <utility>

namespace kernels::cp_completion_als {

void CompletionSolver::require(CompletionBackEnd& backEnd, const MemoryUse& use)
{
    m_shared = &backEnd;
    requireMemory(m_input.config, use, backEnd.freeBytes(), "choose a smaller rank or fewer entries.");
}

void CompletionSolver::load(std::vector<Matrix> start, double unit, unsigned columns, RunControl& control)
{
    m_unit = unit;
    const RunConfig& config = m_input.config;
    m_shared->load({m_input.train, m_input.test, m_unit, std::move(start), config.seed, config.threads, config.deterministic, columns},
                   control);
    m_loaded = true;
}

Quality CompletionSolver::errors(RunControl& control)
{
    Quality quality;
    quality.train = m_shared->evaluate(false, control);
    if (m_input.test)
        quality.test = m_shared->evaluate(true, control);
    return quality;
}

/// The unit is the terms' weight.
Model CompletionSolver::model(Snapshot snapshot) const
{
    Model model;
    model.kind = ModelKind::Cp;
    model.dims = m_input.train.dims();
    model.ranks.assign(order(), rank());
    model.coreRank = rank();
    model.weights.assign(rank(), m_unit);
    model.factors = m_shared->factors(snapshot);
    return model;
}

SolverState CompletionSolver::saveState() const
{
    SolverState state;
    std::vector<Matrix> factors = m_shared->factors(Snapshot::Latest);
    for (unsigned n = 0; n < order(); ++n)
        state[fmt::format("factor_{}", n)] = std::move(factors[n]);
    return state;
}

void CompletionSolver::restoreState(SolverState state, RunControl&)
{
    std::vector<Matrix> factors;
    for (unsigned n = 0; n < order(); ++n)
        factors.push_back(takeArray(state, fmt::format("factor_{}", n), m_input.train.dims()[n], rank(), doubles()));
    m_shared->replaceLatest(std::move(factors));
}

MemoryUse CompletionSolver::memoryUse() const { return m_loaded ? m_shared->memoryUse() : MemoryUse{}; }

Quality PenalisedSolver::evaluate(RunControl& control)
{
    Quality quality = errors(control);
    double penalty = 0;
    for (unsigned n = 0; n < order(); ++n)
        penalty += m_penalised->penaltyOf(n, m_ridges[n], control);
    quality.objective = quality.train.squared + penalty * m_unit * m_unit;
    return quality;
}

void PenalisedSolver::begin(RidgeBackEnd& backEnd, unsigned columns, RunControl& control)
{
    m_penalised = &backEnd;
    const ParameterMap& parameters = m_input.config.parameters;
    const fasttucker_plus::ValueScale values = fasttucker_plus::valueScale(m_input.train, control);
    const double unit = booleanParameter(parameters, "relative-penalty") ? tucker_als::unitOf(values) : 1;
    const StartSpec start{m_input.train.dims(), rank(), doubles(), choiceParameter(parameters, "start") == "paper", values.mean / unit,
                          m_input.config.seed};
    const bool toMean = choiceParameter(parameters, "shrink-to") == "mean";
    for (unsigned n = 0; n < order(); ++n)
        m_centres.push_back(toMean ? meanRow(start, n) : std::vector<double>(rank(), 0.0));
    for (unsigned n = 0; n < order(); ++n)
        m_ridges.push_back(
            {realParameter(parameters, "penalty"), choiceParameter(parameters, "regularisation") == "weighted", &m_centres[n]});
    load(drawStart(start, control), unit, columns, control);
}

} // namespace kernels::cp_completion_als
