// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/tucker_solver.h"

#include "kernels/device/require_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kernels::tucker_als {

void TuckerSolver::plan(TuckerBackEnd& backEnd, const Needs& needs)
{
    m_shared = &backEnd;
    const RunConfig& config = m_input.config;
    const ProblemShape shape{m_input.train.dims(), m_input.train.entries(), m_input.test ? m_input.test->entries() : 0,
                             m_input.train.hasDoubleValues() ? 8U : 4U};
    const std::uint64_t free = backEnd.freeBytes();
    m_plan = planRun(config, shape, needs, config.memoryLimit ? std::min(free, config.memoryLimit) : free);
    requireMemory(config, m_plan.memory, free, "choose smaller ranks or fewer entries.");
}

void TuckerSolver::begin(Model start, double unit, RunControl& control)
{
    m_unit = unit;
    m_core = std::move(start.core);
    m_bestCore = m_core;
    m_shared->load({m_input.train, m_input.test, m_plan, m_unit, std::move(start.factors), m_input.config.threads}, control);
    m_loaded = true;
}

Quality TuckerSolver::errors(RunControl& control)
{
    Quality quality;
    quality.train = m_shared->evaluate(false, m_core, control);
    if (m_input.test)
        quality.test = m_shared->evaluate(true, m_core, control);
    return quality;
}

void TuckerSolver::rememberBest()
{
    m_shared->rememberBest();
    m_bestCore = m_core;
}

Model TuckerSolver::model(Snapshot snapshot) const
{
    Model model;
    model.kind = ModelKind::Tucker;
    model.dims = m_plan.shape.dims;
    model.ranks = m_plan.shape.ranks;
    model.factors = m_shared->factors(snapshot);
    model.core = snapshot == Snapshot::Best ? m_bestCore : m_core;
    for (double& g : model.core)
        g *= m_unit;
    return model;
}

SolverState TuckerSolver::saveState() const
{
    SolverState state;
    std::vector<Matrix> factors = m_shared->factors(Snapshot::Latest);
    for (unsigned n = 0; n < order(); ++n)
        state[fmt::format("factor_{}", n)] = std::move(factors[n]);
    Matrix& core = state["core"] = Matrix::unfilled(1, m_core.size(), true);
    std::get<Array<double>>(core.data) = m_core;
    return state;
}

void TuckerSolver::restoreState(SolverState state, RunControl&)
{
    std::vector<Matrix> factors;
    for (unsigned n = 0; n < order(); ++n)
        factors.push_back(
            takeArray(state, fmt::format("factor_{}", n), shape().dims[n], shape().ranks[n], m_input.config.precision == Precision::Fp64));
    m_core = std::move(std::get<Array<double>>(takeArray(state, "core", 1, m_core.size(), true).data));
    m_shared->replaceLatest(std::move(factors));
}

void TuckerSolver::restoreBest(const Model& best, RunControl& control)
{
    SolverState state;
    for (std::size_t n = 0; n < best.factors.size(); ++n)
        state[fmt::format("factor_{}", n)] = best.factors[n];
    Matrix& core = state["core"] = Matrix::unfilled(1, best.core.size(), true);
    std::transform(best.core.begin(), best.core.end(), std::get<Array<double>>(core.data).begin(), [this](double g) { return g / m_unit; });
    TuckerSolver::restoreState(std::move(state), control);
    rememberBest();
}

std::string TuckerSolver::variantNote() const
{
    return m_input.config.variant == "cached" && m_plan.tableNumbers() == 0 ? "as direct, a table would not pay or not fit" : std::string();
}

MemoryUse TuckerSolver::memoryUse() const
{
    MemoryUse use = m_loaded ? m_shared->memoryUse() : MemoryUse{};
    use.hostBytes += (m_core.size() + m_bestCore.size()) * sizeof(double);
    return use;
}

} // namespace kernels::tucker_als
