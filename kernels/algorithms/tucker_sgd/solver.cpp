// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/start.h"
#include "kernels/algorithms/fasttucker_plus/step_sizes.h"
#include "kernels/algorithms/tucker_als/core_fit.h"
#include "kernels/algorithms/tucker_als/start.h"
#include "kernels/algorithms/tucker_als/tucker_solver.h"
#include "kernels/algorithms/tucker_sgd/back_end.h"
#include "kernels/algorithms/tucker_sgd/start.h"
#include "kernels/base/step_caution.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"

#include <algorithm>
#include <cmath>
#include <utility>

/// An iteration: mode after mode, every row takes a step for each of its entries, the other modes' rows and the core as they are; then
/// the core takes one along its mean gradient, G ← G − γ (Σ e ⊗ a / |Ω| + λ G), by default seen through its curvature.
namespace kernels::tucker_sgd {
namespace {

class SgdSolver final : public tucker_als::TuckerSolver {
public:
    explicit SgdSolver(const SolverInput& input)
        : TuckerSolver(input)
        , m_relative(booleanParameter(input.config.parameters, "relative-rates"))
        , m_rateA(real("learning-rate-a"))
        , m_rateB(real("learning-rate-b"))
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        m_backEnd = makeBackEndOf<SgdBackEnd>(algorithmId, config.precision, config.devices.front());
        plan(*m_backEnd, needs());
        fasttucker_plus::ValueScale values = fasttucker_plus::valueScale(m_input.train, control);
        const double unit = m_relative ? tucker_als::unitOf(values) : 1;
        values.mean /= unit;
        values.rootMeanSquare /= unit;
        values.largest /= unit;
        m_caution.begin(std::max(values.rootMeanSquare, fasttucker_plus::predictionScale(values)) * unit);
        const double spread = m_relative ? fasttucker_plus::relativeSpread(values) : 1; // penalties draw predictions away from the mean
        const StartSpec spec{shape().dims,
                             shape().ranks,
                             config.precision == Precision::Fp64,
                             realParameter(config.parameters, "start-noise") * spread,
                             choiceParameter(config.parameters, "start") == "paper",
                             config.seed,
                             values};
        Start start = drawStart(spec, m_input.train, control);
        if (m_relative)
            m_rateA = std::min(m_rateA, fasttucker_plus::mostRate(order(), real("step-cap") > 0 ? 1 : fasttucker_plus::reachOf(values)));
        scaleRates(start.slopes, spread * spread, control);
        begin(std::move(start.model), unit, control);
    }

    IterationWork iterate(std::uint64_t t, RunControl& control) override
    {
        const double fading = m_caution.factor() / (1.0 + real("decay") * std::pow(static_cast<double>(t), 1.5));
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        work.learningRateA = m_rateA * fading;
        work.learningRateB = m_rateB * fading;
        const Stopwatch rows(control);
        for (unsigned n = 0; n < order(); ++n)
            m_backEnd->stepRows(n, m_core, {m_rates[n] * fading, m_lambdaA, real("step-cap")}, control);
        work.secondsFactor = rows.seconds();
        const Stopwatch core(control);
        if (m_rateB > 0)
            stepCore(m_rateB * fading, control);
        work.secondsCore = core.seconds();
        return work;
    }

    /// Of the factors as they are now, or, where their errors grew too much, of those it goes back to.
    Quality evaluate(RunControl& control) override
    {
        Quality quality = errors(control);
        if (std::string remark = m_caution.judge(quality.train.rmse()); !remark.empty()) {
            m_backEnd->replaceLatest(m_backEnd->factors(Snapshot::Best));
            m_core = m_bestCore;
            quality = errors(control);
            quality.remark = std::move(remark);
            quality.steppedBack = true;
        }
        m_caution.remember(quality.train.rmse());
        return quality;
    }

    SolverState saveState() const override
    {
        SolverState state = TuckerSolver::saveState();
        state["caution"] = m_caution.save();
        return state;
    }

    void restoreState(SolverState state, RunControl& control) override
    {
        m_caution.restore(takeArray(state, "caution", 1, StepCaution::savedNumbers, true));
        TuckerSolver::restoreState(std::move(state), control);
    }

private:
    double real(const char* id) const { return realParameter(m_input.config.parameters, id); }

    /// Relative rates are divided by |δ|² at the start, the penalty is multiplied by that of the flattest mode, over its rank. Modes
    /// with many entries a row are slowed. pull: of the penalty, its own beside that.
    void scaleRates(const std::vector<double>& slopes, double pull, RunControl& control)
    {
        std::vector<double> perRow;
        for (unsigned n = 0; n < order(); ++n) {
            control.checkpoint();
            perRow.push_back(static_cast<double>(m_input.train.entries()) / shape().dims[n]);
        }
        const double fewest = *std::min_element(perRow.begin(), perRow.end());
        double flattest = slopes[0] / shape().ranks[0];
        for (unsigned n = 0; n < order(); ++n) {
            m_rates.push_back(m_rateA * std::pow(fewest / perRow[n], real("mode-balance")) / (m_relative ? slopes[n] : 1));
            flattest = std::min(flattest, slopes[n] / shape().ranks[n]);
        }
        m_lambdaA = real("lambda-a") * pull * (m_relative ? flattest : 1);
    }

    /// Relative: along the gradient as it is seen through the curvature that evenly spread entries would have, damped where that is
    /// flat. Along the gradient itself the steepest direction, the mean's, would be nearly all that is ever learnt.
    void stepCore(double rate, RunControl& control)
    {
        const double entries = static_cast<double>(m_input.train.entries());
        tucker_als::CoreSums sums = m_backEnd->sumForCore(m_core, tucker_als::CoreWeights::Residuals, control);
        const auto add = [&](const Array<double>& direction, double by) {
            for (Count i = 0; i < m_core.size(); ++i)
                m_core[i] += by * direction[i];
        };
        const auto lessPenalty = [&](double lambda) {
            for (Count i = 0; i < m_core.size(); ++i)
                sums.gradient[i] -= lambda * m_core[i];
        };
        if (!m_relative) {
            lessPenalty(real("lambda-b") * entries);
            add(sums.gradient, rate / entries);
            return;
        }
        constexpr double flat = 1e-3; // of the steepest direction
        const tucker_als::CorePreconditioner curvature(*m_backEnd, shape(), control);
        const double damping = flat * curvature.steepest();
        if (!(damping > 0) || !std::isfinite(damping))
            return;
        lessPenalty(real("lambda-b") * damping);
        add(curvature.apply(sums.gradient, damping, control), rate);
    }

    bool m_relative;
    double m_rateA, m_rateB;
    std::unique_ptr<SgdBackEnd> m_backEnd; ///< refers to the plan
    std::vector<double> m_rates; ///< [mode], of rows
    double m_lambdaA = 0;
    StepCaution m_caution; ///< on all rates
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<SgdSolver>(input); }

} // namespace kernels::tucker_sgd
