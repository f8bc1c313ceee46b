// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/core_fit.h"
#include "kernels/algorithms/tucker_als/start.h"
#include "kernels/algorithms/tucker_als/tucker_solver.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>
#include <cmath>

/// A sweep: the rows of one mode after another by least squares of their entries, then some steps on the core. Each lowers
/// Σ (x − x̂)² + λ (Σ |a − centre|² + |G − centre|²), the core's part only where it is fitted.
namespace kernels::tucker_als {
namespace {

class AlsSolver final : public TuckerSolver {
public:
    explicit AlsSolver(const SolverInput& input)
        : TuckerSolver(input)
        , m_coreSteps(choiceParameter(input.config.parameters, "core") == "fitted"
                          ? static_cast<unsigned>(integerParameter(input.config.parameters, "core-steps"))
                          : 0)
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        m_backEnd = makeBackEndOf<AlsBackEnd>(algorithmId, config.precision, config.devices.front());
        plan(*m_backEnd, needs(m_coreSteps > 0));
        const fasttucker_plus::ValueScale values = fasttucker_plus::valueScale(m_input.train, control);
        const bool relative = booleanParameter(config.parameters, "relative-penalty");
        const double unit = relative ? unitOf(values) : 1;
        setPenalties(realParameter(config.parameters, "penalty"), relative, control);
        const StartSpec start{
            shape().dims,       shape().ranks, config.precision == Precision::Fp64, choiceParameter(config.parameters, "start") == "paper",
            values.mean / unit, config.seed};
        const bool toMean = choiceParameter(config.parameters, "shrink-to") == "mean";
        for (unsigned n = 0; n < order(); ++n)
            m_centres.push_back(toMean ? meanRow(start, n) : std::vector<double>(shape().ranks[n], 0.0));
        m_coreCentre = m_centres.front()[0] * start.mean; // with rows at their centres, x̂ is the mean
        begin(drawStart(start, control), unit, control);
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

    Quality evaluate(RunControl& control) override
    {
        Quality quality = errors(control);
        double penalty = 0;
        for (unsigned n = 0; n < order(); ++n)
            penalty += m_penalties[n] * m_backEnd->squaredDistance(n, m_centres[n], control);
        if (m_coreSteps > 0)
            for (Count i = 0; i < m_core.size(); ++i)
                penalty += m_corePenalty * std::pow(m_core[i] - (i == 0 ? m_coreCentre : 0), 2);
        quality.objective = quality.train.squared + penalty * m_unit * m_unit;
        return quality;
    }

private:
    /// Relative: where there are many numbers for an entry, rows learn each other's noise, and the penalty grows with them (by so much on
    /// flights and on netflix-like:0.01, which have 0.4 and 4 numbers for an entry, and do best with 2 and 12). Factors can grow at each
    /// other's and the core's cost without a prediction changing: where each number weighs the same, few numbers grow, and the penalty of
    /// the many fades. So all modes and the core weigh alike at the start.
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
        double columns = 0, numbers = static_cast<double>(shape().coreNumbers());
        for (unsigned n = 0; n < order(); ++n) {
            columns += shape().ranks[n];
            numbers += filled[n] * shape().ranks[n];
        }
        constexpr double crowding = 3;
        penalty *= 1 + crowding * numbers / static_cast<double>(m_input.train.entries());
        for (unsigned n = 0; n < order(); ++n)
            m_penalties[n] = penalty * longest / filled[n];
        m_corePenalty = penalty * longest * columns / order(); // its squares' sum is about 1
    }

    unsigned m_coreSteps; ///< 0: the core is kept
    std::unique_ptr<AlsBackEnd> m_backEnd; ///< refers to the plan
    std::vector<double> m_penalties; ///< [mode]: of a row
    double m_corePenalty = 0, m_coreCentre = 0; ///< the centre is the first element's, all others are drawn to 0
    std::vector<std::vector<double>> m_centres; ///< [mode]: the row that rows are drawn to
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<AlsSolver>(input); }

} // namespace kernels::tucker_als
