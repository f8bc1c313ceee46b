// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/algorithms/tucker_als/core_fit.h"
#include "kernels/algorithms/tucker_als/start.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"
#include "kernels/tensor/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

/// A sweep: the rows of one mode after another by least squares of their entries, then some steps on the core. Each lowers
/// Σ (x − x̂)² + λ (Σ |a − centre|² + |G − centre|²), the core's part only where it is fitted.
namespace kernels::tucker_als {
namespace {

class TuckerSolver final : public Solver {
public:
    explicit TuckerSolver(const SolverInput& input)
        : m_input(input)
        , m_coreSteps(choiceParameter(input.config.parameters, "core") == "fitted"
                          ? static_cast<unsigned>(integerParameter(input.config.parameters, "core-steps"))
                          : 0)
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        m_backEnd = makeBackEndOf<TuckerBackEnd>(algorithmId, config.precision, config.devices.front());
        m_plan = planThatFits();
        StartSpec start = startSpec(control);
        Model model = drawStart(start, control);
        m_core = std::move(model.core);
        m_bestCore = m_core;
        const bool toMean = choiceParameter(config.parameters, "shrink-to") == "mean";
        for (unsigned n = 0; n < order(); ++n)
            m_centres.push_back(toMean ? meanRow(start, n) : std::vector<double>(m_plan.shape.ranks[n], 0.0));
        m_coreCentre = m_centres.front()[0] * start.mean; // with rows at their centres, x̂ is the mean
        m_backEnd->load({m_input.train, m_input.test, m_plan, m_unit, std::move(model.factors), config.threads}, control);
        m_loaded = true;
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
            fitCore(m_core, *m_backEnd, m_plan.shape, {m_corePenalty, m_coreCentre, m_coreSteps}, control);
        work.secondsCore = core.seconds();
        return work;
    }

    Quality evaluate(RunControl& control) override
    {
        Quality quality;
        quality.train = m_backEnd->evaluate(false, m_core, control);
        if (m_input.test)
            quality.test = m_backEnd->evaluate(true, m_core, control);
        double penalty = 0;
        for (unsigned n = 0; n < order(); ++n)
            penalty += m_penalties[n] * m_backEnd->squaredDistance(n, m_centres[n], control);
        if (m_coreSteps > 0)
            for (Count i = 0; i < m_core.size(); ++i)
                penalty += m_corePenalty * std::pow(m_core[i] - (i == 0 ? m_coreCentre : 0), 2);
        quality.objective = quality.train.squared + penalty * m_unit * m_unit;
        return quality;
    }

    void rememberBest() override
    {
        m_backEnd->rememberBest();
        m_bestCore = m_core;
    }

    Model model(Snapshot snapshot) const override
    {
        Model model;
        model.kind = ModelKind::Tucker;
        model.dims = m_plan.shape.dims;
        model.ranks = m_plan.shape.ranks;
        model.factors = m_backEnd->factors(snapshot);
        model.core = snapshot == Snapshot::Best ? m_bestCore : m_core;
        for (double& g : model.core)
            g *= m_unit;
        return model;
    }

    SolverState saveState() const override
    {
        SolverState state;
        std::vector<Matrix> factors = m_backEnd->factors(Snapshot::Latest);
        for (unsigned n = 0; n < order(); ++n)
            state[fmt::format("factor_{}", n)] = std::move(factors[n]);
        Matrix& core = state["core"] = Matrix::unfilled(1, m_core.size(), true);
        std::get<Array<double>>(core.data) = m_core;
        return state;
    }

    void restoreState(SolverState state, RunControl&) override
    {
        std::vector<Matrix> factors;
        for (unsigned n = 0; n < order(); ++n)
            factors.push_back(takeArray(state, fmt::format("factor_{}", n), m_plan.shape.dims[n], m_plan.shape.ranks[n],
                                        m_input.config.precision == Precision::Fp64));
        m_core = std::move(std::get<Array<double>>(takeArray(state, "core", 1, m_core.size(), true).data));
        m_backEnd->replaceLatest(std::move(factors));
    }

    std::string variantNote() const override
    {
        return m_input.config.variant == "cached" && m_plan.tableNumbers() == 0 ? "as direct, a table would not pay or not fit"
                                                                                : std::string();
    }

    MemoryUse memoryUse() const override
    {
        MemoryUse use = m_loaded ? m_backEnd->memoryUse() : MemoryUse{};
        use.hostBytes += (m_core.size() + m_bestCore.size()) * sizeof(double);
        return use;
    }

private:
    unsigned order() const { return m_input.train.order(); }

    RunPlan planThatFits() const
    {
        const RunConfig& config = m_input.config;
        const ProblemShape shape{m_input.train.dims(), m_input.train.entries(), m_input.test ? m_input.test->entries() : 0,
                                 m_input.train.hasDoubleValues() ? 8U : 4U};
        const std::uint64_t free = m_backEnd->freeBytes();
        RunPlan plan = planRun(config, shape, config.memoryLimit ? std::min(free, config.memoryLimit) : free);
        const std::string instead = "choose smaller ranks or fewer entries.";
        if (config.memoryLimit && plan.memory.hostBytes > config.memoryLimit)
            throw OutOfMemory("the CPU", plan.memory.hostBytes, config.memoryLimit, "Raise the run's memory limit, or " + instead);
        requireHostMemory(plan.memory.hostBytes, "Close other programs, or " + instead);
        return plan;
    }

    /// Of the values: their unit, what the penalty means in it, and a start near their mean.
    StartSpec startSpec(RunControl& control)
    {
        const RunConfig& config = m_input.config;
        const fasttucker_plus::ValueScale values = fasttucker_plus::valueScale(m_input.train, control);
        const bool relative = booleanParameter(config.parameters, "relative-penalty");
        m_unit = relative ? unitOf(values) : 1;
        setPenalties(realParameter(config.parameters, "penalty"), relative, control);
        return {m_plan.shape.dims,
                m_plan.shape.ranks,
                config.precision == Precision::Fp64,
                choiceParameter(config.parameters, "start") == "paper",
                values.mean / m_unit,
                config.seed};
    }

    /// Factors can grow at each other's and the core's cost without a prediction changing: where each number weighs the same, few
    /// numbers grow, and the penalty of the many fades. So all modes and the core weigh alike at the start.
    void setPenalties(double penalty, bool relative, RunControl& control)
    {
        m_penalties.assign(order(), penalty);
        m_corePenalty = penalty;
        if (!relative)
            return;
        std::vector<double> filled;
        for (unsigned n = 0; n < order(); ++n) {
            const Array<Count> counts = sliceCounts(m_input.train, n, control);
            filled.push_back(static_cast<double>(std::count_if(counts.begin(), counts.end(), [](Count count) { return count > 0; })));
        }
        const double longest = *std::max_element(filled.begin(), filled.end());
        double columns = 0;
        for (unsigned n = 0; n < order(); ++n) {
            m_penalties[n] = penalty * longest / filled[n];
            columns += m_plan.shape.ranks[n];
        }
        m_corePenalty = penalty * longest * columns / order(); // its squares' sum is about 1
    }

    SolverInput m_input;
    unsigned m_coreSteps; ///< 0: the core is kept
    RunPlan m_plan;
    std::unique_ptr<TuckerBackEnd> m_backEnd; ///< refers to the plan
    bool m_loaded = false;
    double m_unit = 1; ///< values are worked on divided by it
    std::vector<double> m_penalties; ///< [mode]: of a row
    double m_corePenalty = 0, m_coreCentre = 0; ///< the centre is the first element's, all others are drawn to 0
    std::vector<std::vector<double>> m_centres; ///< [mode]: the row that rows are drawn to
    Array<double> m_core, m_bestCore; ///< in the unit
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<TuckerSolver>(input); }

} // namespace kernels::tucker_als
