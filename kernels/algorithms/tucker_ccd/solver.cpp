// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/penalised_solver.h"
#include "kernels/algorithms/tucker_ccd/back_end.h"
#include "kernels/algorithms/tucker_ccd/pruning.h"
#include "kernels/base/changing_models.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"

#include <fmt/format.h>

#include <algorithm>

/// A sweep: number after number of every row, mode after mode, then of the core, each as is best while all others stay. Each lowers the
/// loss; only pruning raises it. What was pruned is 0, and what is 0 stays so: the numbers themselves are all there is to know of it.
/// A penalty on sizes makes numbers 0, too: these may come back until pruning begins.
namespace kernels::tucker_ccd {
namespace {

PruningSettings settingsOf(const RunConfig& config)
{
    const std::string& kind = choiceParameter(config.parameters, "pruning");
    const auto whole = [&](const char* id) { return static_cast<std::uint64_t>(integerParameter(config.parameters, id)); };
    PruningSettings settings;
    settings.kind = kind == "automatic" ? PruningSettings::Kind::Automatic
        : kind == "to-sparsity"         ? PruningSettings::Kind::ToSparsity
                                        : PruningSettings::Kind::Off;
    settings.sparsity = realParameter(config.parameters, "sparsity");
    settings.rate = realParameter(config.parameters, "prune-rate");
    settings.tolerance = realParameter(config.parameters, "error-rise");
    settings.after = whole("prune-after");
    settings.every = whole("prune-every");
    settings.iterations = config.stopping.iterations;
    return settings;
}

class CcdSolver final : public tucker_als::PenalisedSolver, public ChangingModels {
public:
    explicit CcdSolver(const SolverInput& input)
        : PenalisedSolver(input, true, formOf(input.config))
        , m_pruning(settingsOf(input.config))
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        m_backEnd = makeBackEndOf<CcdBackEnd>(algorithmId, config.precision, config.devices.front());
        plan(*m_backEnd, needs(!m_pruning.ended()));
        beginPenalised(*m_backEnd, control);
    }

    IterationWork iterate(std::uint64_t t, RunControl& control) override
    {
        m_iteration = t;
        const auto sweeps = static_cast<unsigned>(integerParameter(m_input.config.parameters, "row-sweeps"));
        const bool absolute = m_form == Form::Sizes, prunes = m_pruning.prunesAt(t), keepsZeros = !absolute || m_pruning.hasBegun(t);
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        Count pruned = 0;
        const Stopwatch rows(control);
        for (unsigned n = 0; n < order(); ++n) {
            m_backEnd->renewRows(n, m_core, {{m_penalties[n], absolute}, &m_centres[n], sweeps, keepsZeros, prunes}, control);
            if (prunes) {
                const Count due = m_pruning.due(t, rowNumbers(n), m_backEnd->zeros(n));
                m_backEnd->prune(n, due);
                pruned += due;
            }
        }
        work.secondsFactor = rows.seconds();
        const Stopwatch core(control);
        const CoreStep step{{m_corePenalty, absolute}, m_coreCentre, keepsZeros, prunes};
        const Array<float> responsibilities = m_backEnd->renewCore(m_core, step, control);
        if (prunes) {
            const Count due = m_pruning.due(t, m_core.size(), coreZeros());
            pruneLeast(m_core, responsibilities, due);
            pruned += due;
        }
        work.secondsCore = core.seconds();
        if (prunes && pruned == 0)
            m_pruning.nothingLeft();
        return work;
    }

    /// Of the numbers as they are now, or, where pruning raised the error too much, of those it goes back to.
    Quality evaluate(RunControl& control) override
    {
        Quality quality = lossOfAll(control);
        const Pruning::Verdict verdict = m_pruning.judge(m_iteration, quality.train.rmse());
        if (verdict == Pruning::Verdict::Rejected) {
            m_backEnd->replaceLatest(m_backEnd->factors(Snapshot::Best));
            m_core = m_bestCore;
            quality = lossOfAll(control);
        }
        m_standing = verdict == Pruning::Verdict::Compared ? Standing::Compared
            : verdict == Pruning::Verdict::Unready         ? Standing::Passed
                                                           : Standing::Replaces;
        return quality;
    }

    Standing standing() const override { return m_standing; }
    bool compares(std::uint64_t iteration) const override { return m_pruning.compares(iteration); }

    SolverState saveState() const override
    {
        SolverState state = PenalisedSolver::saveState();
        state["pruning"] = m_pruning.save();
        if (!m_pruning.needsAccepted())
            return state;
        std::vector<Matrix> best = m_backEnd->factors(Snapshot::Best);
        for (unsigned n = 0; n < order(); ++n)
            state[fmt::format("accepted_{}", n)] = std::move(best[n]);
        Matrix& core = state["accepted_core"] = Matrix::unfilled(1, m_bestCore.size(), true);
        std::get<Array<double>>(core.data) = m_bestCore;
        return state;
    }

    void restoreState(SolverState state, RunControl& control) override
    {
        m_pruning.restore(takeArray(state, "pruning", 1, Pruning::savedNumbers, true));
        if (m_pruning.needsAccepted()) {
            const bool doubles = m_input.config.precision == Precision::Fp64;
            std::vector<Matrix> accepted;
            for (unsigned n = 0; n < order(); ++n)
                accepted.push_back(takeArray(state, fmt::format("accepted_{}", n), shape().dims[n], shape().ranks[n], doubles));
            m_backEnd->replaceLatest(std::move(accepted));
            m_core = std::move(std::get<Array<double>>(takeArray(state, "accepted_core", 1, m_core.size(), true).data));
            rememberBest();
        }
        PenalisedSolver::restoreState(std::move(state), control);
    }

protected:
    double distance(unsigned mode, RunControl& control) override
    {
        return m_form == Form::Squares ? PenalisedSolver::distance(mode, control)
                                       : m_backEnd->absoluteDistance(mode, m_centres[mode], control);
    }

private:
    static Form formOf(const RunConfig& config)
    {
        return choiceParameter(config.parameters, "penalty-form") == "sizes" ? Form::Sizes : Form::Squares;
    }
    Count rowNumbers(unsigned mode) const { return Count{shape().dims[mode]} * shape().ranks[mode]; }
    Count coreZeros() const { return static_cast<Count>(std::count(m_core.begin(), m_core.end(), 0.0)); }

    Pruning m_pruning;
    std::unique_ptr<CcdBackEnd> m_backEnd; ///< refers to the plan
    std::uint64_t m_iteration = 0;
    Standing m_standing = Standing::Compared; ///< of the last evaluation
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<CcdSolver>(input); }

} // namespace kernels::tucker_ccd
