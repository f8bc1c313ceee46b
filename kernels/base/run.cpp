// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/run.h"

#include "kernels/base/changing_models.h"
#include "kernels/base/error.h"
#include "kernels/base/goes_back.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/progression.h"
#include "kernels/base/registry.h"
#include "kernels/base/stopwatch.h"
#include "kernels/base/time_limit.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/checksum.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <cmath>
#include <new>
#include <optional>

namespace kernels {
namespace {

/// What a stop, or a time limit, may wait for the end of an iteration: with a batch of some 100 ms it stays below half a second.
constexpr std::chrono::milliseconds stopGrace{350};

/// While it lives a stop waits, if that is wanted.
class StopGrace {
public:
    StopGrace(RunControl& control, bool wanted)
        : m_control(control)
    {
        m_control.setGrace(wanted ? stopGrace : std::chrono::milliseconds(0));
    }
    ~StopGrace() { m_control.setGrace({}); }
    StopGrace(const StopGrace&) = delete;
    StopGrace& operator=(const StopGrace&) = delete;

private:
    RunControl& m_control;
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
    static constexpr const char* noMemoryForCopy = "there is no memory for a copy of the factors";

public:
    Loop(RunConfig config, const SparseTensor& train, const SparseTensor* test, RunObserver& observer, RunControl& control,
         const Continuity& continuity)
        : m_info(algorithm(config.algorithm))
        , m_train(train)
        , m_test(test && test->entries() > 0 ? test : nullptr)
        , m_observer(observer)
        , m_control(control)
        , m_timeLimit(control)
        , m_continuity(continuity)
        , m_progression(m_result.config.stopping, m_info.objective == Objective::All)
        , m_divergenceProgression(m_result.config.stopping, false)
    {
        m_result.config = std::move(config);
        m_result.trainEntries = train.entries();
        m_result.testEntries = m_test ? m_test->entries() : 0;
        m_solver = m_info.makeSolver(SolverInput{m_result.config, train, m_test});
    }

    /// A device can be lost at each of the three steps.
    RunResult go()
    {
        guarded([this] { runToTheEnd(); });
        if (m_timeLimit.passed())
            tellUnfinished();
        else if (m_result.reason == StopReason::Stopped)
            guarded([this] { keepCheckpoint(true); });
        if (m_result.reason != StopReason::Failed)
            guarded([this] { collect(); });
        if (m_result.reason != StopReason::Failed && m_result.reason != StopReason::Stopped)
            measureBest();
        if (m_result.reason != StopReason::Failed)
            keepWhatWasLearnt();
        m_control.times().end();
#ifndef POLYAD_SANITIZED // which would call it a leak
        if (m_continuity.isLast)
            (void)m_solver.release();
#endif
        return std::move(m_result);
    }

private:
    const StoppingRules& rules() const { return m_result.config.stopping; }

    template <class Step> void guarded(const Step& step)
    {
        try {
            step();
        } catch (const Cancelled&) {
            m_result.reason = m_timeLimit.passed() ? StopReason::TimeLimit : StopReason::Stopped;
        } catch (const Error& error) {
            if (!rescue(error))
                throw;
        }
    }

    void runToTheEnd()
    {
        prepare();
        resume();
        m_sinceStart.emplace(m_control);
        std::optional<StopReason> reason;
        if (!m_result.history.empty())
            reason = reasonToStop();
        while (!reason) {
            m_control.checkpoint();
            iterate();
            saveBest(seconds());
            reason = reasonToStop();
            keepCheckpoint(reason.has_value());
        }
        requireProgress();
        m_result.reason = *reason;
    }

    /// As after a stop nothing is left of an iteration that the time limit fell into.
    void tellUnfinished()
    {
        const std::uint64_t done = m_result.history.size();
        if (done == 0)
            throw Error(ErrorKind::BadArgument,
                        {"the first iteration was not done when it was up, so there is no model",
                         fmt::format("time limit of {} s", rules().secondsLimit),
                         {},
                         {},
                         "Allow more seconds, choose smaller ranks, or use fewer entries."});
        m_observer.remarked(done + 1,
                            fmt::format("it was not done when the time limit of {} s was up and is left out; the model is that of "
                                        "iteration {}",
                                        rules().secondsLimit, m_result.bestIteration));
    }

    /// What is left of a run that took every iteration back is no result, but its start.
    void requireProgress() const
    {
        if (m_result.bestIteration == 0 && m_result.history.size() > 1)
            throw Error(ErrorKind::BadArgument,
                        {fmt::format("the run diverged: each of its {} iterations led away from the entries and was taken back",
                                     m_result.history.size()),
                         m_info.id,
                         {},
                         {},
                         m_info.divergenceHint(m_result.config)});
    }

    /// A run that was stopped while it was prepared has no model, nor anything to ask for one.
    void collect()
    {
        if (!m_prepared)
            return;
        m_control.stage("fetching the model");
        if (m_savedIteration == 0 || m_savedIteration != m_result.bestIteration)
            m_result.best = m_solver->model(Snapshot::Best);
        m_result.memory = m_solver->memoryUse();
    }

    /// A best iteration may be one whose fit was told without a look at the entries: its errors are the model's then. Nothing
    /// else is left to do, so who stops now has a run that came to its end.
    void measureBest()
    {
        if (!watchesFit() || m_result.bestIteration == 0)
            return;
        IterationRecord& best = m_result.history[m_result.bestIteration - 1];
        if (!std::isnan(best.trainRmse))
            return;
        m_control.stage("evaluating");
        const Stopwatch evaluating(m_control);
        const unsigned threads = m_result.config.threads;
        tbb::task_arena arena(threads ? static_cast<int>(threads) : tbb::task_arena::automatic);
        try {
            const ErrorSums train = arena.execute([&] { return evaluateModel(m_result.best, m_train, m_control); });
            const ErrorSums test = m_test ? arena.execute([&] { return evaluateModel(m_result.best, *m_test, m_control); }) : ErrorSums{};
            best.trainRmse = train.rmse();
            best.trainMae = train.mae();
            best.testRmse = test.rmse();
            best.testMae = test.mae();
            best.secondsEvaluate += evaluating.seconds();
        } catch (const Cancelled&) {
        } catch (const std::bad_alloc&) {
        }
    }

    /// A stopped run has it, too, where it takes no longer than a stop may; who stops now has a run without it.
    void keepWhatWasLearnt()
    {
        const bool takesLong = m_iterationSeconds > std::chrono::duration<double>(stopGrace).count();
        const bool isWaitedFor = m_result.reason == StopReason::Stopped && takesLong;
        if (!m_continuity.wantsKept || m_result.bestIteration == 0 || isWaitedFor || !hasRoomToKeep())
            return;
        RunControl ofItsOwn; // a stop or a time limit has used up the run's
        try {
            SolverState kept = m_solver->kept(m_control.stopRequested() ? ofItsOwn : m_control);
            if (!kept.empty())
                m_result.kept = std::make_shared<const SolverState>(std::move(kept));
        } catch (const Cancelled&) {
        } catch (const std::bad_alloc&) {
        } catch (const Error&) { // a device that is lost now takes nothing else with it
        }
    }

    /// Numbers of all rows; and of several devices' parts of them, which lie beside the whole while it is put together.
    std::uint64_t rowNumbers() const
    {
        std::uint64_t numbers = 0;
        for (std::size_t n = 0; n < m_result.config.ranks.size(); ++n)
            numbers += std::uint64_t{m_result.config.ranks[n]} * m_train.modes[n].size;
        return numbers;
    }
    std::uint64_t rowNumbersOfParts() const { return m_result.config.devices.size() > 1 ? rowNumbers() : 0; }

    /// As with copies for checkpoints: a run is not refused for it. Five arrays of fp64 for the rows that there are, at most at once; two
    /// for the parts of several devices.
    bool hasRoomToKeep() const
    {
        const std::uint64_t bytes = (5 * rowNumbers() + 2 * rowNumbersOfParts()) * sizeof(double), limit = m_result.config.memoryLimit;
        const bool onHost = m_result.config.devices.front().kind == DeviceKind::Cpu;
        return bytes <= availableHostMemory() && (limit == 0 || !onHost || m_result.memory.hostBytes + bytes <= limit);
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
        constexpr double laterSeconds = 1; // there may be memory again
        m_control.stage("fetching the model");
        const Stopwatch saving(m_control);
        try {
            m_result.best = m_solver->model(Snapshot::Best);
            m_savedIteration = m_result.bestIteration;
            m_nextSaving = seconds + 50 * saving.seconds();
        } catch (const std::bad_alloc&) { // the device is well: what may be lost one day is not worth the run
            m_nextSaving = seconds + laterSeconds;
        }
    }

    bool watchesFit() const { return m_info.objective == Objective::All; }
    double seconds() const { return m_secondsBefore + (m_sinceStart ? m_sinceStart->seconds() : 0); }

    void prepare()
    {
        m_observer.phaseChanged(RunPhase::Preparing);
        m_control.stage("preparing");
        m_control.checkpoint();
        if (m_continuity.keeper || m_continuity.from) {
            m_trainChecksum = checksum(m_train, m_control);
            m_testChecksum = m_test ? checksum(*m_test, m_control) : 0;
        }
        if (m_continuity.from)
            requireSameEntries(*m_continuity.from);
        m_solver->prepare(m_control);
        if (startsFromModel(m_result.config) && !m_continuity.from)
            startFromModel();
        m_result.variantNote = m_solver->variantNote();
        m_result.fibreCounts = m_solver->fibreCounts();
        m_result.workingNumberBytes = m_solver->workingNumberBytes();
    }

    /// A state between no iterations: factors and weights, in the precision of the run.
    void startFromModel()
    {
        if (!m_continuity.start)
            throw Error(ErrorKind::Internal, "a run that starts from a model was given none");
        const Model& model = *m_continuity.start;
        requireStart(model, m_result.config, m_train.dims());
        SolverState state;
        const bool doubles = m_result.config.precision == Precision::Fp64;
        for (unsigned n = 0; n < model.order(); ++n) {
            const Matrix& from = model.factors[n];
            Matrix& to = state[fmt::format("factor_{}", n)] = Matrix(from.rows, from.columns, doubles);
            for (std::size_t i = 0; i < from.rows; ++i)
                for (std::size_t r = 0; r < from.columns; ++r)
                    to.set(i, r, from.at(i, r));
        }
        Matrix& weights = state["weights"] = Matrix(1, model.coreRank, true);
        for (unsigned r = 0; r < model.coreRank; ++r)
            weights.set(0, r, model.weights.empty() ? 1 : model.weights[r]);
        m_solver->restoreState(std::move(state), m_control);
    }

    void requireSameEntries(const Checkpoint& from) const
    {
        const auto require = [&](const char* part, const std::string& found, const std::string& expected) {
            if (found != expected)
                throw Error(ErrorKind::BadInput,
                            {"the checkpoint was made with other entries", fmt::format("{}, {}", from.origin, part), found, expected,
                             "Read the same file in the same way, with the same test set."});
        };
        const auto entries = [](Count count) { return fmt::format("{} entries", count); };
        const auto sum = [](std::uint64_t value) { return fmt::format("checksum {:016x}", value); };
        require("training set", entries(m_result.trainEntries), entries(from.soFar.trainEntries));
        require("test set", entries(m_result.testEntries), entries(from.soFar.testEntries));
        require("training set", sum(m_trainChecksum), sum(from.trainChecksum));
        require("test set", sum(m_testChecksum), sum(from.testChecksum));
    }

    /// The history is walked through once more by the rules in force now: so a run goes on as if it had had them always.
    void resume()
    {
        if (const Checkpoint* const from = m_continuity.from) {
            auto* const goesBack = dynamic_cast<GoesBack*>(m_solver.get());
            if (goesBack && from->soFar.bestIteration > 0)
                goesBack->restoreBest(from->soFar.best, m_control);
            m_solver->restoreState(from->solver, m_control);
            m_result.history = from->soFar.history;
            m_result.best = from->soFar.best;
            const auto* const changing = dynamic_cast<const ChangingModels*>(m_solver.get());
            m_result.bestIteration = from->soFar.bestIteration; // of the model that was kept, whatever rules say now
            for (const IterationRecord& row : m_result.history)
                if (!changing || changing->compares(row.iteration))
                    improves(row);
            m_savedIteration = m_result.bestIteration;
            m_computeSeconds = m_result.history.back().elapsed;
            m_nonzeros = m_result.history.back().nonzeros;
            m_secondsBefore = from->seconds;
            m_keptIteration = m_result.history.size();
            m_betweenIterations = true;
            m_observer.resumed(m_result.history);
        }
        m_prepared = true;
        m_observer.phaseChanged(RunPhase::Iterating);
    }

    /// Also of a run that was stopped, unless that was in the middle of an iteration that takes long: nothing between two
    /// iterations is left of it then, and the last checkpoint stays.
    void keepCheckpoint(bool last)
    {
        const std::uint64_t done = m_result.history.size();
        if (!m_continuity.keeper || !m_betweenIterations || done == m_keptIteration || !m_continuity.keeper->wantsCheckpoint(done, last))
            return;
        m_keptIteration = done;
        // Where memory is promised freely a copy that does not fit is no bad_alloc, but the end of the process.
        if (availableHostMemory() < bytesOfCopies())
            return m_continuity.keeper->cannotKeep(noMemoryForCopy);
        try {
            m_continuity.keeper->keep(present());
        } catch (const std::bad_alloc&) {
            m_continuity.keeper->cannotKeep(noMemoryForCopy);
        }
    }

    /// Of present(), the best factors and the latest ones, and what they are put together from.
    std::uint64_t bytesOfCopies() const
    {
        const RunConfig& config = m_result.config;
        std::uint64_t elements = rowNumbers(), core = 1;
        for (const unsigned rank : config.ranks) {
            elements += std::uint64_t{rank} * config.coreRank;
            core *= rank;
        }
        const std::uint64_t number = config.precision == Precision::Fp64 ? sizeof(double) : sizeof(float);
        const std::uint64_t model = elements * number + (m_info.model == ModelKind::Tucker ? core * sizeof(double) : 0);
        return 2 * model + rowNumbersOfParts() * number + m_result.history.size() * sizeof(IterationRecord);
    }

    Checkpoint present() const
    {
        Checkpoint checkpoint;
        RunResult& soFar = checkpoint.soFar;
        soFar.config = m_result.config;
        soFar.best = m_savedIteration == m_result.bestIteration ? m_result.best : m_solver->model(Snapshot::Best);
        soFar.bestIteration = m_result.bestIteration;
        soFar.history = m_result.history;
        soFar.trainEntries = m_result.trainEntries;
        soFar.testEntries = m_result.testEntries;
        checkpoint.solver = m_solver->saveState();
        checkpoint.seconds = seconds();
        checkpoint.trainChecksum = m_trainChecksum;
        checkpoint.testChecksum = m_testChecksum;
        return checkpoint;
    }

    void iterate()
    {
        m_betweenIterations = false;
        const Stopwatch whole(m_control);
        const StopGrace grace(m_control, stopWaits());
        m_control.stage("iterating");
        const Stopwatch computing(m_control);
        const IterationWork work = iterateInTime();
        m_computeSeconds += computing.seconds();
        m_nonzeros += work.nonzeros;

        m_control.stage("evaluating");
        const Stopwatch evaluating(m_control);
        const Quality quality = m_solver->evaluate(m_control);
        IterationRecord row = record(work, quality, evaluating.seconds());
        refuseDivergence(row);
        m_result.history.push_back(row);
        const auto* const changing = dynamic_cast<const ChangingModels*>(m_solver.get());
        const Standing standing = changing ? changing->standing() : Standing::Compared;
        if (standing == Standing::Replaces)
            for (Progression* const progression : {&m_progression, &m_divergenceProgression})
                progression->restart();
        const bool counts = standing == Standing::Replaces || (standing == Standing::Compared && !quality.steppedBack);
        if (counts && improves(row)) {
            m_solver->rememberBest();
            m_result.bestIteration = row.iteration;
        }
        if (watchesFit() && std::isnan(row.trainRmse)
            && reasonToStop()) { // the last one's errors are wanted: asked again, it measures them
            const Quality last = m_solver->evaluate(m_control); // the row without errors stays where this is stopped
            m_result.history.pop_back();
            m_result.history.push_back(row = record(work, last, evaluating.seconds()));
        }
        m_betweenIterations = true;
        m_iterationSeconds = whole.seconds();
        m_observer.iterationDone(row);
        if (!quality.remark.empty())
            m_observer.remarked(row.iteration, quality.remark);
    }

    /// Compute alone counts. Quick iterations come to their end; a stop that waits does so by itself.
    IterationWork iterateInTime()
    {
        std::optional<TimeLimit::Guard> limit;
        if (rules().secondsLimit > 0)
            limit.emplace(m_timeLimit,
                          rules().secondsLimit - m_computeSeconds + (stopWaits() ? 0 : std::chrono::duration<double>(stopGrace).count()));
        return m_solver->iterate(m_result.history.size(), m_control);
    }

    /// A stop nearly always comes in the middle of an iteration: without waiting there would be no checkpoint of the end.
    bool stopWaits() const
    {
        return m_continuity.keeper && m_iterationSeconds <= std::chrono::duration<double>(stopGrace).count()
            && m_continuity.keeper->wantsCheckpoint(m_result.history.size() + 1, true);
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
        row.testDivergence = quality.testDivergence;
        row.learningRateA = work.learningRateA;
        row.learningRateB = work.learningRateB;
        return row;
    }

    /// Whether it is the best so far. Where a divergence is minimised, the one of the test entries still falls while their RMSE, which is
    /// what the best is chosen by, goes up and down: a run ends when both have stopped.
    bool improves(const IterationRecord& row)
    {
        const bool learns = stillLearns(row);
        m_watchesDivergence = m_test && std::isfinite(row.testDivergence);
        if (m_watchesDivergence)
            m_divergenceProgression.improves(row.testDivergence, learns);
        return m_progression.improves(watched(row), learns);
    }

    /// Test errors go up and down while the training error falls by some percent an iteration below what it ever was: what few hot rows
    /// learn first is too much until the others have learnt, too.
    bool stillLearns(const IterationRecord& row)
    {
        constexpr double fast = 0.02;
        const bool learns = m_test && !watchesFit() && row.trainRmse < (1 - fast) * m_leastTrainRmse;
        m_leastTrainRmse = std::fmin(m_leastTrainRmse, row.trainRmse);
        return learns;
    }

    /// Fit for algorithms over all entries, else the test error, else the run's own loss: its divergence, or the training error.
    double watched(const IterationRecord& row) const
    {
        if (watchesFit())
            return row.fit;
        if (m_test)
            return row.testRmse;
        return std::isnan(row.divergence) ? row.trainRmse : row.divergence;
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

    std::optional<StopReason> reasonToStop() const
    {
        const unsigned slowness = m_solver->slowness();
        if (m_progression.converged(slowness) && (!m_watchesDivergence || m_divergenceProgression.converged(slowness)))
            return StopReason::Converged;
        if (m_result.history.size() >= rules().iterations)
            return StopReason::Iterations;
        if (rules().secondsLimit > 0 && m_computeSeconds >= rules().secondsLimit)
            return StopReason::TimeLimit;
        return std::nullopt;
    }

    RunResult m_result;
    const AlgorithmInfo& m_info;
    const SparseTensor& m_train;
    const SparseTensor* m_test;
    RunObserver& m_observer;
    RunControl& m_control;
    TimeLimit m_timeLimit;
    Continuity m_continuity;
    Progression m_progression, m_divergenceProgression; // refer to m_result.config
    bool m_watchesDivergence = false;
    double m_leastTrainRmse = notMeasured; ///< of the iterations that were compared so far
    std::unique_ptr<Solver> m_solver; // refers to m_result.config
    double m_computeSeconds = 0;
    Count m_nonzeros = 0;
    std::uint64_t m_savedIteration = 0; ///< whose model m_result.best is already; 0: none
    double m_nextSaving = 0; ///< seconds since the start
    std::optional<Stopwatch> m_sinceStart;
    double m_secondsBefore = 0; ///< of a run that goes on from a checkpoint
    std::uint64_t m_trainChecksum = 0, m_testChecksum = 0;
    std::uint64_t m_keptIteration = 0; ///< of the last checkpoint
    double m_iterationSeconds = 0; ///< of the last one, with its evaluation; 0: none yet
    bool m_prepared = false; ///< the solver has a model, if only its start
    bool m_betweenIterations = false; ///< the solver's state is that of the history's last row
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

RunResult run(const RunConfig& config, const SparseTensor& train, const SparseTensor* test, RunObserver& observer, RunControl& control,
              const Continuity& continuity)
{
    checkTensors(train, test);
    if (continuity.from)
        requireSameShape(*continuity.from, train.dims());
    RunConfig resolved = resolve(config, train.dims());
    if (continuity.from)
        requireSameSettings(*continuity.from, resolved);
    return Loop(std::move(resolved), train, test, observer, control, continuity).go();
}

} // namespace kernels
