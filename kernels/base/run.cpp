// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/run.h"

#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/stopwatch.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace kernels {
namespace {

/// Watches the one number a run is judged by and says when it stopped improving.
class Progression {
public:
    Progression(const StoppingRules& rules, bool higherIsBetter)
        : m_rules(rules)
        , m_higherIsBetter(higherIsBetter)
    {
    }

    /// True when this is the best value so far.
    bool improves(double value)
    {
        const bool first = std::isnan(m_best);
        const double gain = m_higherIsBetter ? value - m_best : (m_best - value) / std::abs(m_best);
        m_withoutGain = first || gain >= m_rules.tolerance ? 0 : m_withoutGain + 1;
        if (!first && !(m_higherIsBetter ? value > m_best : value < m_best))
            return false;
        m_best = value;
        return true;
    }

    bool converged() const { return m_rules.tolerance > 0 && m_withoutGain >= m_rules.patience; }

private:
    const StoppingRules& m_rules;
    bool m_higherIsBetter;
    double m_best = notMeasured;
    unsigned m_withoutGain = 0;
};

void checkTensors(const SparseTensor& train, const SparseTensor* test)
{
    if (train.entries() == 0)
        throw Error(ErrorKind::BadInput, {"there are no entries to learn from", "training set", "0 entries", "at least 1", {}});
    if (test && test->dims() != train.dims())
        throw Error(ErrorKind::BadInput, {"the test set has other dimensions than the training set", "test set", {}, {}, {}});
}

/// One run from prepare to result. Lives on the run's thread.
class Loop {
public:
    Loop(RunConfig config, const SparseTensor& train, const SparseTensor* test, RunObserver& observer, RunControl& control)
        : m_info(algorithm(config.algorithm))
        , m_test(test && test->entries() > 0 ? test : nullptr)
        , m_observer(observer)
        , m_control(control)
    {
        m_result.config = std::move(config);
        m_result.trainEntries = train.entries();
        m_result.testEntries = m_test ? m_test->entries() : 0;
        m_solver = m_info.makeSolver(SolverInput{m_result.config, train, m_test});
    }

    RunResult go()
    {
        Progression progression(rules(), watchesFit());
        try {
            prepare();
            const Stopwatch sinceStart(m_control);
            std::optional<StopReason> reason;
            while (!reason) {
                m_control.checkpoint();
                iterate(progression);
                saveBest(sinceStart.seconds());
                reason = reasonToStop(progression, sinceStart.seconds());
            }
            m_result.reason = *reason;
        } catch (const Cancelled&) {
            m_result.reason = StopReason::Stopped;
        } catch (const Error& error) {
            if (!rescue(error))
                throw;
        }
        if (m_result.reason != StopReason::Failed)
            collect();
        return std::move(m_result);
    }

private:
    const StoppingRules& rules() const { return m_result.config.stopping; }

    void collect()
    {
        if (m_savedIteration == 0 || m_savedIteration != m_result.bestIteration)
            m_result.best = m_solver->model(Snapshot::Best);
        m_result.memory = m_solver->memoryUse();
    }

    /// What was good before the failure is kept: from the device, or as it was last brought from there.
    bool rescue(const Error& failure)
    {
        if (m_result.bestIteration == 0)
            return false;
        try {
            collect();
        } catch (const std::exception&) { // the device is gone and its memory with it
            if (m_savedIteration == 0)
                return false;
            m_result.bestIteration = m_savedIteration;
        }
        m_result.reason = StopReason::Failed;
        m_result.failure = failure.what();
        return true;
    }

    /// A GPU can be lost in the middle of a run. So its best model is brought here now and then, for at most some
    /// fiftieth of the run's time.
    void saveBest(double seconds)
    {
        const bool canBeLost = m_result.config.devices.front().kind == DeviceKind::Cuda;
        if (!canBeLost || m_savedIteration == m_result.bestIteration || seconds < m_nextSaving)
            return;
        const Stopwatch saving(m_control);
        m_result.best = m_solver->model(Snapshot::Best);
        m_savedIteration = m_result.bestIteration;
        m_nextSaving = seconds + 50 * saving.seconds();
    }

    bool watchesFit() const { return m_info.objective == Objective::All; }

    void prepare()
    {
        m_observer.phaseChanged(RunPhase::Preparing);
        m_control.checkpoint();
        m_solver->prepare(m_control);
        m_observer.phaseChanged(RunPhase::Iterating);
    }

    void iterate(Progression& progression)
    {
        const Stopwatch computing(m_control);
        const IterationWork work = m_solver->iterate(m_result.history.size(), m_control);
        m_computeSeconds += computing.seconds();
        m_nonzeros += work.nonzeros;

        const Stopwatch evaluating(m_control);
        const Quality quality = m_solver->evaluate(m_control);
        const IterationRecord row = record(work, quality, evaluating.seconds());
        refuseDivergence(row);
        m_result.history.push_back(row);
        if (progression.improves(watched(row))) {
            m_solver->rememberBest();
            m_result.bestIteration = row.iteration;
        }
        m_observer.iterationDone(row);
    }

    IterationRecord record(const IterationWork& work, const Quality& quality, double secondsEvaluate) const
    {
        IterationRecord row;
        row.iteration = m_result.history.size() + 1;
        row.elapsed = m_computeSeconds;
        row.secondsFactor = work.secondsFactor;
        row.secondsCore = work.secondsCore;
        row.secondsConvert = work.secondsConvert;
        row.secondsEvaluate = secondsEvaluate;
        row.nonzeros = m_nonzeros;
        row.trainRmse = quality.train.rmse();
        row.trainMae = quality.train.mae();
        row.testRmse = quality.test.rmse();
        row.testMae = quality.test.mae();
        row.fit = quality.fit;
        row.objective = quality.objective;
        row.divergence = quality.divergence;
        row.learningRateA = work.learningRateA;
        row.learningRateB = work.learningRateB;
        return row;
    }

    /// Fit for algorithms over all entries, else the test error, else the run's own loss.
    double watched(const IterationRecord& row) const
    {
        if (watchesFit())
            return row.fit;
        if (m_test)
            return row.testRmse;
        return std::isnan(row.trainRmse) ? row.divergence : row.trainRmse;
    }

    void refuseDivergence(const IterationRecord& row) const
    {
        const bool testBroken = m_test && !watchesFit() && !std::isfinite(row.testRmse);
        if (std::isfinite(watched(row)) && !testBroken && !std::isinf(row.trainRmse))
            return;
        throw Error(ErrorKind::BadArgument,
                    {fmt::format("the run diverged at iteration {}: its errors are no longer finite numbers", row.iteration),
                     m_info.id,
                     {},
                     {},
                     m_info.divergenceHint(m_result.config)});
    }

    std::optional<StopReason> reasonToStop(const Progression& progression, double seconds) const
    {
        if (progression.converged())
            return StopReason::Converged;
        if (m_result.history.size() >= rules().iterations)
            return StopReason::Iterations;
        if (rules().secondsLimit > 0 && seconds >= rules().secondsLimit)
            return StopReason::TimeLimit;
        return std::nullopt;
    }

    RunResult m_result;
    const AlgorithmInfo& m_info;
    const SparseTensor* m_test;
    RunObserver& m_observer;
    RunControl& m_control;
    std::unique_ptr<Solver> m_solver; // refers to m_result.config
    double m_computeSeconds = 0;
    Count m_nonzeros = 0;
    std::uint64_t m_savedIteration = 0; ///< whose model m_result.best is already; 0: none
    double m_nextSaving = 0; ///< seconds since the start
};

} // namespace

std::string_view toString(StopReason reason)
{
    switch (reason) {
    case StopReason::Iterations:
        return "iterations";
    case StopReason::Converged:
        return "converged";
    case StopReason::TimeLimit:
        return "time limit";
    case StopReason::Failed:
        return "failed";
    case StopReason::Stopped:
        return "stopped";
    }
    return "?";
}

RunResult run(const RunConfig& config, const SparseTensor& train, const SparseTensor* test, RunObserver& observer, RunControl& control)
{
    checkTensors(train, test);
    return Loop(resolve(config, train.dims()), train, test, observer, control).go();
}

} // namespace kernels
