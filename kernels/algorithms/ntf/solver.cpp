// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/algorithms/ntf/group.h"
#include "kernels/algorithms/ntf/kept_sums.h"
#include "kernels/base/error.h"
#include "kernels/base/run.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/require_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

/// A sweep: the rows of one mode after another, every number of a row multiplied by what its entries say, all from the same x̂. The loss
/// is Σ d(x, x̂), which the papers print without the part that the entries alone decide; with λ ‖a‖² (Euclidean; else half of it) of every
/// row it never rises by `ours`.
namespace kernels::ntf {
namespace {

constexpr double leastShare = 1e-12; ///< of the mean value: predictions below count as that much

Settings settingsOf(const RunConfig& config)
{
    Settings settings;
    settings.paperRule = config.variant == "paper";
    settings.weighted = choiceParameter(config.parameters, "regularisation") == "weighted";
    settings.penalty = realParameter(config.parameters, "penalty");
    settings.rowSteps = static_cast<unsigned>(integerParameter(config.parameters, "row-steps"));
    return settings;
}

class NtfSolver final : public Solver {
public:
    explicit NtfSolver(const SolverInput& input)
        : m_input(input)
        , m_rank(input.config.largestRank())
        , m_settings(settingsOf(input.config))
    {
    }

    /// Values that cannot be followed are refused before anything is allocated.
    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        const ValueFacts facts = factsOf(m_input.train, control);
        const ValueFacts tested = m_input.test ? factsOf(*m_input.test, control, "test") : ValueFacts{};
        ValueFacts all = facts;
        all.zeros += tested.zeros;
        ChosenDivergence chosen = chosenDivergence(choiceParameter(config.parameters, "divergence"), m_input.train, all);
        m_settings.divergence = chosen.divergence;
        m_note = std::move(chosen.note);
        requireValues(m_input.train, facts, m_settings.divergence);
        if (m_input.test)
            requireValues(*m_input.test, tested, m_settings.divergence, "test");
        m_scale = Scale(facts.mean, order());
        requireRange();
        m_backEnd = makeBackEndFor(config);
        requireRoom();
        const double mean = facts.mean > 0 ? facts.mean / m_scale.value() : 1;
        m_backEnd->load({m_input.train, m_input.test, m_scale, leastShare * (facts.mean > 0 ? facts.mean : 1), m_settings.divergence,
                         m_rank, m_settings.rowSteps, std::pow(mean / m_rank, 1.0 / order()), config.seed, config.threads},
                        control);
        m_loaded = true;
    }

    IterationWork iterate(std::uint64_t, RunControl& control) override
    {
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        const Stopwatch watch(control);
        const RowStep step{ruleFor(m_settings.divergence, m_settings.paperRule, m_settings.penalty),
                           penaltyInUnits(m_settings.penalty, m_settings.divergence, m_scale), m_settings.weighted};
        m_backEnd->renewModes(order(), step, control);
        work.secondsFactor = watch.seconds();
        return work;
    }

    Quality evaluate(RunControl& control) override
    {
        Quality quality;
        const Judgement train = m_backEnd->evaluate(false, control);
        quality.train = train.errors;
        quality.divergence = train.divergences / static_cast<double>(m_input.train.entries());
        double squares = 0;
        for (unsigned n = 0; n < order() && m_settings.penalty > 0; ++n)
            squares += m_backEnd->squares(n, m_settings.weighted, control);
        const double weight = m_settings.divergence == Divergence::Euclidean ? 1 : 0.5;
        quality.objective = train.divergences + weight * m_settings.penalty * squares;
        if (m_input.test) {
            const Judgement test = m_backEnd->evaluate(true, control);
            quality.test = test.errors;
            quality.testDivergence = test.divergences / static_cast<double>(m_input.test->entries());
        }
        return quality;
    }

    void rememberBest() override { m_backEnd->rememberBest(); }
    Model model(Snapshot snapshot) const override { return m_backEnd->model(snapshot); }

    SolverState saveState() const override
    {
        SolverState state;
        for (unsigned n = 0; n < order(); ++n)
            state[nameOf(n)] = m_backEnd->rows(n);
        return state;
    }

    void restoreState(SolverState state, RunControl& control) override
    {
        const bool doubles = m_input.config.precision == Precision::Fp64;
        const bool isModel = state.contains("weights");
        std::vector<double> weights(m_rank, 1.0);
        if (isModel) {
            const Matrix given = takeArray(state, "weights", 1, m_rank, true);
            for (unsigned r = 0; r < m_rank; ++r)
                weights[r] = given.at(0, r);
        }
        for (unsigned n = 0; n < order(); ++n) {
            Matrix rows = takeArray(state, nameOf(n), m_input.train.dims()[n], m_rank, doubles);
            if (isModel)
                takeModelsRows(rows, weights);
            m_backEnd->replaceRows(n, rows, control);
        }
    }

    /// The back end's latest rows are the best ones afterwards.
    SolverState kept(RunControl& control) override
    {
        const Model best = m_backEnd->model(Snapshot::Best);
        for (unsigned n = 0; n < order(); ++n) {
            Matrix rows = best.factors[n];
            std::visit(
                [&](auto& numbers) {
                    for (auto& number : numbers)
                        number = static_cast<std::decay_t<decltype(number)>>(number / m_scale.row()); // powers of 2: exact
                },
                rows.data);
            m_backEnd->replaceRows(n, rows, control);
        }
        const bool countsEntries = m_settings.weighted && m_settings.penalty > 0;
        return keptSums(*m_backEnd, m_input.train, m_scale, m_settings.divergence, m_input.config.precision == Precision::Fp64,
                        countsEntries, control);
    }

    std::string variantNote() const override { return m_note; }
    MemoryUse memoryUse() const override { return m_loaded ? m_backEnd->memoryUse() : MemoryUse{}; }

private:
    unsigned order() const { return m_input.train.order(); }
    static std::string nameOf(unsigned mode) { return fmt::format("factor_{}", mode); }

    /// Every column takes an equal share of its weight from each mode.
    void takeModelsRows(Matrix& rows, const std::vector<double>& weights) const
    {
        for (unsigned r = 0; r < m_rank; ++r) {
            const double by = std::pow(weights[r], 1.0 / order()) / m_scale.row();
            for (std::size_t i = 0; i < rows.rows; ++i) {
                const double a = rows.at(i, r);
                if (!(a >= 0) || !(weights[r] >= 0))
                    throw Error(ErrorKind::BadInput,
                                {"a non-negative run cannot start from a model with numbers below 0", m_input.config.init,
                                 fmt::format("{}", weights[r] >= 0 ? a : weights[r]), "0 or more",
                                 "Start from a model of ntf, or uniformly."});
                rows.set(i, r, a * by);
            }
        }
    }

    void requireRange() const
    {
        constexpr int widest = 100; // 2^±126 is where single precision ends
        if (m_input.config.precision == Precision::Fp64 || std::abs(m_scale.exponent()) <= widest)
            return;
        throw Error(ErrorKind::BadInput,
                    {"single precision does not hold the factors of such values", "training entries",
                     fmt::format("factors of about {:.1e}", m_scale.row()), "1e-30 to 1e30",
                     "Choose precision=fp64, or scale the values."});
    }

    void requireRoom() const
    {
        const RunConfig& config = m_input.config;
        const ProblemShape shape{m_input.train.dims(), m_input.train.entries(), m_input.test ? m_input.test->entries() : 0,
                                 m_input.train.hasDoubleValues() ? 8U : 4U};
        requireMemory(config, estimateMemory(config, shape), m_backEnd->freeBytes(), "choose a smaller rank or fewer entries.");
    }

    SolverInput m_input;
    unsigned m_rank;
    Settings m_settings;
    Scale m_scale;
    std::string m_note;
    std::unique_ptr<NtfBackEnd> m_backEnd;
    bool m_loaded = false;
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<NtfSolver>(input); }

} // namespace kernels::ntf
