// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/penalised_solver.h"

#include "kernels/algorithms/tucker_als/start.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>
#include <cmath>

namespace kernels::tucker_als {

void PenalisedSolver::beginPenalised(TuckerBackEnd& backEnd, RunControl& control)
{
    m_penalised = &backEnd;
    const RunConfig& config = m_input.config;
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

Quality PenalisedSolver::lossOfAll(RunControl& control)
{
    Quality quality = errors(control);
    double penalty = 0;
    for (unsigned n = 0; n < order(); ++n)
        penalty += m_penalties[n] * distance(n, control);
    if (m_coreIsFitted)
        for (Count i = 0; i < m_core.size(); ++i) {
            const double apart = m_core[i] - (i == 0 ? m_coreCentre : 0);
            penalty += m_corePenalty * (m_form == Form::Squares ? apart * apart : std::abs(apart));
        }
    quality.objective = quality.train.squared + penalty * m_unit * m_unit;
    return quality;
}

/// Relative: where there are many numbers for an entry, rows learn each other's noise, and the penalty grows with them (by so much on
/// flights and on netflix-like:0.01, which have 0.4 and 4 numbers for an entry, and do best with 2 and 12). Factors can grow at each
/// other's and the core's cost without a prediction changing: where each number weighs the same, few numbers grow, and the penalty of
/// the many fades. So all modes and the core weigh alike at the start.
void PenalisedSolver::setPenalties(double penalty, bool relative, RunControl& control)
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
    const double sum =
        m_form == Form::Squares ? 1 : std::sqrt(static_cast<double>(shape().coreNumbers())); // of its squares or sizes, about
    m_corePenalty = penalty * longest * columns / order() / sum;
}

} // namespace kernels::tucker_als
