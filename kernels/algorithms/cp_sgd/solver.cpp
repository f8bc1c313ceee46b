// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/completion_solver.h"
#include "kernels/algorithms/cp_completion_als/memory.h"
#include "kernels/algorithms/cp_completion_als/start.h"
#include "kernels/algorithms/cp_sgd/back_end.h"
#include "kernels/algorithms/fasttucker_plus/step_sizes.h"
#include "kernels/algorithms/tucker_als/start.h"
#include "kernels/base/chunks.h"
#include "kernels/base/goes_back.h"
#include "kernels/base/step_caution.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

/// An iteration: for every entry once, in a new order, a step of all its rows.
namespace kernels::cp_sgd {
namespace {

/// Mean of |S|² over some entries, by mode: how steep their squared errors are.
std::vector<double> startSlopes(const std::vector<Matrix>& factors, const SparseTensor& train)
{
    constexpr Count mostNumbers = Count{1} << 22, fewest = 64, most = 4096; // some hundredths of a second
    const std::size_t order = factors.size(), rank = factors.front().columns;
    const Count sample = std::clamp(mostNumbers / (order * rank), fewest, most);
    const Count step = std::max<Count>(train.entries() / sample, 1), taken = chunkCount(train.entries(), step);
    std::vector<double> slopes(order, 0.0), own(order);
    for (Count e = 0; e < train.entries(); e += step)
        for (std::size_t r = 0; r < rank; ++r) {
            for (std::size_t n = 0; n < order; ++n)
                own[n] = factors[n].at(train.indices[n][e], r);
            for (std::size_t n = 0; n < order; ++n) {
                double product = 1;
                for (std::size_t k = 0; k < order; ++k)
                    product *= k == n ? 1 : own[k];
                slopes[n] += product * product / static_cast<double>(taken);
            }
        }
    for (double& slope : slopes)
        slope = std::max(slope, 1e-300);
    return slopes;
}

/// The probability that two entries share a row, of the mode where it is highest.
double meetingIn(const std::vector<std::vector<float>>& rowShares)
{
    double most = 0;
    for (const std::vector<float>& shares : rowShares) {
        double squares = 0;
        for (const float share : shares)
            squares += static_cast<double>(share) * static_cast<double>(share);
        most = std::max(most, squares);
    }
    return most;
}

class SgdSolver final : public cp_completion_als::CompletionSolver, public GoesBack {
public:
    explicit SgdSolver(const SolverInput& input)
        : CompletionSolver(input)
        , m_relative(booleanParameter(input.config.parameters, "relative-rates"))
        , m_rate(real("learning-rate-a"))
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        m_backEnd = makeBackEndOf<SgdBackEnd>(algorithmId, config.precision, config.devices.front());
        require(*m_backEnd, estimateMemory(config, cp_completion_als::shapeOf(m_input)));
        fasttucker_plus::ValueScale values = fasttucker_plus::valueScale(m_input.train, control);
        const double unit = m_relative ? tucker_als::unitOf(values) : 1;
        values.mean /= unit;
        values.rootMeanSquare /= unit;
        values.largest /= unit;
        m_caution.begin(std::max(values.rootMeanSquare, fasttucker_plus::predictionScale(values)) * unit);
        m_spread = m_relative ? fasttucker_plus::relativeSpread(values) : 1;
        cp_completion_als::StartSpec spec{
            m_input.train.dims(), rank(), doubles(), choiceParameter(config.parameters, "start") == "paper", values.mean, config.seed};
        spec.noise *= m_spread;
        std::vector<Matrix> start = cp_completion_als::drawStart(spec, control);
        if (m_relative)
            m_rate = std::min(m_rate, fasttucker_plus::mostRate(order(), real("step-cap") > 0 ? 1 : fasttucker_plus::reachOf(values)));
        chooseSteps(startSlopes(start, m_input.train), control);
        load(std::move(start), unit, rank(), control);
    }

    IterationWork iterate(std::uint64_t t, RunControl& control) override
    {
        const double fading = m_caution.factor() / (1.0 + real("decay") * std::pow(static_cast<double>(t), 1.5));
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        work.learningRateA = m_rate * fading;
        Step step{t, m_workers, {}, m_scales.empty() ? nullptr : &m_scales, m_lambda, real("step-cap")};
        for (const double rate : m_rates)
            step.rates.push_back(rate * fading);
        const Stopwatch rows(control);
        m_backEnd->stepEntries(step, control);
        work.secondsFactor = rows.seconds();
        return work;
    }

    /// Of the factors as they are now, or, where their errors grew too much, of those it goes back to.
    Quality evaluate(RunControl& control) override
    {
        Quality quality = errors(control);
        if (std::string remark = m_caution.judge(quality.train.rmse()); !remark.empty()) {
            m_backEnd->replaceLatest(m_backEnd->factors(Snapshot::Best));
            quality = errors(control);
            quality.remark = std::move(remark);
            quality.steppedBack = true;
        }
        m_caution.remember(quality.train.rmse());
        return quality;
    }

    SolverState saveState() const override
    {
        SolverState state = CompletionSolver::saveState();
        state["caution"] = m_caution.save();
        return state;
    }

    void restoreState(SolverState state, RunControl& control) override
    {
        m_caution.restore(takeArray(state, "caution", 1, StepCaution::savedNumbers, true));
        CompletionSolver::restoreState(std::move(state), control);
    }

    void restoreBest(const Model& best, RunControl& control) override
    {
        SolverState state; // checked as a state's
        for (std::size_t n = 0; n < best.factors.size(); ++n)
            state[fmt::format("factor_{}", n)] = best.factors[n];
        CompletionSolver::restoreState(std::move(state), control);
        rememberBest();
    }

private:
    double real(const char* id) const { return realParameter(m_input.config.parameters, id); }

    /// Relative rates are divided by |S|² at the start, the penalty is multiplied by that of the flattest mode, over the rank. Modes with
    /// many entries a row are slowed, and rows that many workers step at once.
    void chooseSteps(const std::vector<double>& slopes, RunControl& control)
    {
        std::vector<fasttucker_plus::ModeLoad> loads = fasttucker_plus::measureLoads(m_input.train, control);
        double fewest = loads.front().entriesPerRow;
        for (const fasttucker_plus::ModeLoad& load : loads)
            fewest = std::min(fewest, load.entriesPerRow);
        std::vector<double> shares; // of an entry's error, at the start
        std::vector<std::vector<float>> rowShares; // of all entries
        for (unsigned n = 0; n < order(); ++n) {
            const double balanced = m_rate * std::pow(fewest / loads[n].entriesPerRow, real("mode-balance"));
            m_rates.push_back(m_relative ? balanced / slopes[n] : balanced);
            shares.push_back(m_rates[n] * slopes[n]);
            rowShares.push_back(std::move(loads[n].share));
        }
        m_lambda = real("lambda-a") * (m_relative ? m_spread * m_spread * *std::min_element(slopes.begin(), slopes.end()) / rank() : 1);
        const RunConfig& config = m_input.config;
        const Count entries = m_input.train.entries();
        m_workers = config.devices.front().kind == DeviceKind::Cuda
            ? workersOnGpu(rank(), entries, meetingIn(rowShares))
            : workersOf(cp_completion_als::threadsOf(config), config.deterministic, entries);
        constexpr double most = 1; // of an entry's error that all steps of a moment may take away
        if (m_workers > 1)
            m_scales =
                fasttucker_plus::scalesOfHotRows({rowShares, std::vector<fasttucker_plus::Concurrency>(order(), {double(m_workers), 1}),
                                                  static_cast<double>(entries), most, true},
                                                 shares, control);
    }

    bool m_relative;
    double m_rate;
    double m_spread = 1; ///< of the values beside their mean, which penalties draw predictions away from
    std::unique_ptr<SgdBackEnd> m_backEnd;
    std::vector<double> m_rates; ///< [mode]
    std::vector<std::vector<float>> m_scales; ///< [mode][row]; none where no row is hot
    double m_lambda = 0;
    unsigned m_workers = 1;
    StepCaution m_caution; ///< on all rates
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<SgdSolver>(input); }

} // namespace kernels::cp_sgd
