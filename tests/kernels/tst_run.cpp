// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/device/device_list.h"
#include "kernels/operations/evaluate.h"
#include "support/checkpoints.h"
#include "support/random_tensor.h"
#include "support/runs.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>

using namespace kernels;
using test::smallProblem;

namespace {

const std::vector<Index> dims{60, 50, 40};

RunConfig smallConfig(std::uint64_t iterations)
{
    RunConfig config;
    test::fixIterations(config, iterations);
    config.ranks = {8};
    return config;
}

/// Rates as they are: no patience is stretched but on a plateau, which the small problem leaves at once.
RunConfig plainConfig(std::uint64_t iterations)
{
    RunConfig config = smallConfig(iterations);
    config.parameters["relative-rates"] = false;
    return config;
}

struct Watcher : RunObserver {
    std::function<void(const IterationRecord&)> onIteration;
    std::function<void(RunPhase)> onPhase;
    void iterationDone(const IterationRecord& record) override
    {
        if (onIteration)
            onIteration(record);
    }
    void phaseChanged(RunPhase phase) override
    {
        if (onPhase)
            onPhase(phase);
    }
};

RunResult runWith(const RunConfig& config, const SparseTensor* tested = &smallProblem().test)
{
    return test::runOn(config, smallProblem().train, tested);
}

struct BadConfig {
    const char* name;
    std::function<void(RunConfig&)> spoil;
    const char* mentions;
};

const std::vector<BadConfig>& badConfigs()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    static const std::vector<BadConfig> all{
        {"algorithm", [](RunConfig& c) { c.algorithm = "nothing"; }, "algorithm"},
        {"variant", [](RunConfig& c) { c.variant = "fast"; }, "calculate"},
        {"format", [](RunConfig& c) { c.format = "zip"; }, "format"},
        {"precision", [](RunConfig& c) { c.precision = Precision::Fp16; }, "fp32 or fp64"},
        {"two devices",
         [](RunConfig& c) {
             c.algorithm = "fastertucker";
             c.devices = {DeviceId{}, DeviceId{}};
         },
         "one device"},
        {"device",
         [](RunConfig& c) {
             c.devices = {DeviceId{DeviceKind::Cuda, 999}};
         },
         "cuda:999"},
        {"no ranks", [](RunConfig& c) { c.ranks.clear(); }, "ranks"},
        {"two ranks",
         [](RunConfig& c) {
             c.ranks = {4, 4};
         },
         "found 2"},
        {"rank 0", [](RunConfig& c) { c.ranks = {0}; }, "1 to 128"},
        {"rank 129",
         [](RunConfig& c) {
             c.ranks = {16, 129, 16};
         },
         "rank of mode 2"},
        {"core rank", [](RunConfig& c) { c.coreRank = 1000; }, "core rank"},
        {"iterations", [](RunConfig& c) { c.stopping.iterations = 0; }, "iterations"},
        {"tolerance", [=](RunConfig& c) { c.stopping.tolerance = nan; }, "tolerance"},
        {"negative tolerance", [](RunConfig& c) { c.stopping.tolerance = -1; }, "tolerance"},
        {"patience", [](RunConfig& c) { c.stopping.patience = 0; }, "patience"},
        {"time limit", [](RunConfig& c) { c.stopping.secondsLimit = -2; }, "time limit"},
        {"test fraction", [](RunConfig& c) { c.split.testFraction = 1; }, "test fraction"},
        {"threads", [](RunConfig& c) { c.threads = 1u << 20; }, "threads"},
        {"init", [](RunConfig& c) { c.init = "nvecs"; }, "init"},
        {"unknown parameter", [](RunConfig& c) { c.parameters["speed"] = 1.0; }, "speed"},
        {"parameter range", [](RunConfig& c) { c.parameters["learning-rate-a"] = -1.0; }, "learning-rate-a"},
        {"parameter type", [](RunConfig& c) { c.parameters["nonnegative"] = 1.0; }, "nonnegative"},
        {"decay", [](RunConfig& c) { c.parameters["decay"] = -0.5; }, "decay is -0.5"},
        {"a batch of nothing deterministic", [](RunConfig& c) { c.parameters["batch"] = std::int64_t{8}; }, "batch has no effect"},
    };
    return all;
}

} // namespace

class RunTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aDeviceThatNobodyNamedIsNamedByResolve()
    {
        RunConfig config;
        config.devices.clear();
        config.precision = Precision::Fp64;
        const RunConfig resolved = resolve(config, {60, 50, 40});
        const auto usable = [](const DeviceInfo& info) { return info.id.kind == DeviceKind::Cuda && info.problem.empty(); };
        const auto gpu = std::find_if(devices().begin(), devices().end(), usable);
        QVERIFY(resolved.devices.size() == 1 && resolved.devices.front() == (gpu == devices().end() ? DeviceId{} : gpu->id));
        config.devices = {DeviceId{}};
        QCOMPARE(toString(resolve(config, {60, 50, 40}).devices.front()), std::string("cpu")); // named: kept
    }

    /// Settings may come from a larger machine.
    void noMoreThreadsThanThereAre()
    {
        RunConfig config;
        const auto processors = static_cast<unsigned>(device(DeviceId{}).processors);
        for (const unsigned threads : {0u, 1u, processors}) {
            config.threads = threads;
            QCOMPARE(resolve(config, dims).threads, threads);
        }
        config.threads = processors + 1;
        QCOMPARE(resolve(config, dims).threads, processors);
    }

    void resolveSpellsEverythingOut()
    {
        const RunConfig defaults;
        const RunConfig resolved = resolve(defaults, dims);
        QCOMPARE(resolved.ranks, (std::vector<unsigned>{16, 16, 16}));
        QCOMPARE(resolved.coreRank, 16u);
        QCOMPARE(resolved.variant, std::string("grouped"));
        QVERIFY(resolved.parameters.contains("learning-rate-a"));
        QCOMPARE(resolve(resolved, dims), resolved);
    }

    void coreRankDefaultsToTheLargestRank()
    {
        RunConfig config;
        config.ranks = {3, 9, 5};
        QCOMPARE(resolve(config, dims).coreRank, 9u);
    }

    void badConfigsAreRefusedWithASentence_data()
    {
        QTest::addColumn<int>("bad");
        for (std::size_t i = 0; i < badConfigs().size(); ++i)
            QTest::addRow("%s", badConfigs()[i].name) << int(i);
    }
    void badConfigsAreRefusedWithASentence()
    {
        QFETCH(int, bad);
        RunConfig config = smallConfig(1);
        badConfigs()[std::size_t(bad)].spoil(config);
        try {
            runWith(config);
            QFAIL("accepted");
        } catch (const Error& e) {
            QVERIFY(e.kind() == ErrorKind::BadArgument || e.kind() == ErrorKind::NoDevice);
            QVERIFY2(std::string(e.what()).find(badConfigs()[std::size_t(bad)].mentions) != std::string::npos, e.what());
        }
    }

    void ordersOutOfRangeAreRefused()
    {
        const RunConfig defaults;
        for (const std::size_t order : {std::size_t{0}, std::size_t{1}, std::size_t{17}})
            QVERIFY_EXCEPTION_THROWN(resolve(defaults, std::vector<Index>(order, 5)), Error);
        QVERIFY_EXCEPTION_THROWN(resolve(defaults, {5, 0, 5}), Error);
    }

    void badTensorsAreRefused()
    {
        Watcher watcher;
        RunControl control;
        const SparseTensor empty(dims, 0);
        QVERIFY_EXCEPTION_THROWN(run(smallConfig(1), empty, nullptr, watcher, control), Error);
        const SparseTensor other({60, 50, 41}, 0);
        QVERIFY_EXCEPTION_THROWN(run(smallConfig(1), smallProblem().train, &other, watcher, control), Error);
        SparseTensor broken = smallProblem().train;
        broken.setValue(7, std::numeric_limits<double>::infinity());
        QVERIFY_EXCEPTION_THROWN(run(smallConfig(1), broken, nullptr, watcher, control), Error);
    }

    void historyTellsEveryIteration()
    {
        std::vector<RunPhase> phases;
        std::size_t observed = 0;
        Watcher watcher;
        watcher.onPhase = [&](RunPhase phase) { phases.push_back(phase); };
        watcher.onIteration = [&](const IterationRecord& record) { QCOMPARE(record.iteration, ++observed); };
        RunControl control;
        const RunResult result = run(smallConfig(6), smallProblem().train, &smallProblem().test, watcher, control);
        QCOMPARE(phases, (std::vector<RunPhase>{RunPhase::Preparing, RunPhase::Iterating}));
        QVERIFY(result.reason == StopReason::Iterations);
        QCOMPARE(result.history.size(), std::size_t{6});
        QCOMPARE(result.trainEntries, smallProblem().train.entries());
        QCOMPARE(result.testEntries, smallProblem().test.entries());
        double work = 0;
        for (std::size_t i = 0; i < 6; ++i) {
            const IterationRecord& row = result.history[i];
            work += row.secondsFactor + row.secondsCore;
            QVERIFY(row.secondsFactor > 0 && row.secondsCore > 0 && row.secondsEvaluate > 0);
            QVERIFY(row.elapsed >= work);
            QCOMPARE(row.nonzeros, (i + 1) * smallProblem().train.entries());
            QVERIFY(std::isfinite(row.trainRmse) && std::isfinite(row.testRmse) && std::isfinite(row.trainMae)
                    && std::isfinite(row.testMae));
            QVERIFY(row.trainMae <= row.trainRmse); // Jensen
            QVERIFY(std::isnan(row.fit) && std::isnan(row.divergence));
        }
    }

    void bestModelIsWhatItClaims()
    {
        RunConfig config = smallConfig(40);
        config.parameters["lambda-a"] = 0.0;
        config.ranks = {16};
        const RunResult result = runWith(config);
        double lowest = std::numeric_limits<double>::infinity();
        std::uint64_t at = 0;
        for (const IterationRecord& row : result.history)
            if (row.testRmse < lowest) {
                lowest = row.testRmse;
                at = row.iteration;
            }
        QCOMPARE(result.bestIteration, at);
        // The history's numbers come from fp32 products, these from fp64 ones of the same factors.
        QVERIFY(std::abs(evaluateModel(result.best, smallProblem().test).rmse() - lowest) <= 1e-5 * lowest);
    }

    /// A solver gives its present factors at any time, as well as the best.
    void aSolverHasItsLatestModelAndItsBest()
    {
        const RunConfig config = resolve(smallConfig(1), dims);
        RunControl control;
        const auto solver = algorithm(config.algorithm).makeSolver({config, smallProblem().train, &smallProblem().test});
        solver->prepare(control);
        solver->iterate(0, control);
        const double first = solver->evaluate(control).test.rmse();
        solver->rememberBest();
        solver->iterate(1, control);
        const double second = solver->evaluate(control).test.rmse();
        QVERIFY(first != second);
        const auto rmseOf = [&](Snapshot snapshot) { return evaluateModel(solver->model(snapshot), smallProblem().test).rmse(); };
        QVERIFY(std::abs(rmseOf(Snapshot::Best) - first) <= 1e-5 * first);
        QVERIFY(std::abs(rmseOf(Snapshot::Latest) - second) <= 1e-5 * second);
    }

    void stopsWhenGainsStaySmall()
    {
        RunConfig config = plainConfig(100);
        config.stopping.tolerance = 0.9; // the first iteration sets the mark, no later one halves it twice over
        config.stopping.patience = 2;
        const RunResult result = runWith(config);
        QVERIFY(result.reason == StopReason::Converged);
        QCOMPARE(result.history.size(), std::size_t{3});
    }

    /// Where rows have few entries, an iteration does a part of what it does elsewhere.
    void patienceIsForWhatAnIterationDoes()
    {
        RunConfig config = smallConfig(100);
        config.stopping.tolerance = 0.9;
        config.stopping.patience = 2;
        const RunResult result = runWith(config);
        QVERIFY(result.reason == StopReason::Converged);
        QVERIFY2(result.history.size() > 3 && result.history.size() <= 17, qPrintable(QString::number(result.history.size())));
    }

    void whatIsLearntFastEndsNoRun_data()
    {
        QTest::addColumn<std::vector<double>>("training");
        QTest::addColumn<std::size_t>("endsAfter"); // 0: none of these iterations
        const auto fallingBy = [](double part, double above) { // every second one stands above
            std::vector<double> errors{1};
            for (double least = 1; errors.size() < 9;) {
                if (above > 0)
                    errors.push_back(least + above);
                errors.push_back(least *= 1 - part);
            }
            return errors;
        };
        QTest::newRow("by 3 % each time") << fallingBy(0.03, 0) << std::size_t{0};
        QTest::newRow("by 1.5 % each time") << fallingBy(0.015, 0) << std::size_t{4};
        QTest::newRow("up and down, 3 % below the least") << fallingBy(0.03, 0.2) << std::size_t{0};
        QTest::newRow("up and down, 1.5 % below the least") << fallingBy(0.015, 0.2) << std::size_t{4};
        QTest::newRow("up and down, where it was") << fallingBy(0, 0.2) << std::size_t{4};
    }
    /// Test errors rise from the first iteration on, so that patience is up after three more, unless the training errors say otherwise.
    /// A run that goes on walks through the history it is given, whatever stands there.
    void whatIsLearntFastEndsNoRun()
    {
        QFETCH(std::vector<double>, training);
        QFETCH(std::size_t, endsAfter);
        test::Keeper keeper;
        test::runOn(plainConfig(training.size()), smallProblem().train, &smallProblem().test, &keeper);
        for (std::size_t done = 1; done <= training.size(); ++done) {
            Checkpoint& from = keeper.kept.at(done);
            for (std::size_t i = 0; i < done; ++i) {
                from.soFar.history[i].trainRmse = training[i];
                from.soFar.history[i].testRmse = 1 + 0.01 * static_cast<double>(i);
            }
            RunConfig config = plainConfig(done + 1);
            config.stopping.tolerance = 1e-4;
            config.stopping.patience = 3;
            const RunResult result = test::runOn(config, smallProblem().train, &smallProblem().test, nullptr, &from);
            const bool ends = endsAfter > 0 && done >= endsAfter;
            QCOMPARE(result.history.size(), ends ? done : done + 1);
            QVERIFY(!ends || result.reason == StopReason::Converged);
        }
    }

    void stopsAtTheTimeLimit()
    {
        RunConfig config = smallConfig(1000000);
        config.stopping.secondsLimit = 1e-6;
        const RunResult result = runWith(config);
        QVERIFY(result.reason == StopReason::TimeLimit);
        QCOMPARE(result.history.size(), std::size_t{1});
    }

    /// As the summary and charts tell it: evaluation left out.
    void theTimeLimitIsOfCompute()
    {
        RunConfig config = smallConfig(1000000);
        config.stopping.tolerance = 0;
        config.stopping.secondsLimit = 0.05;
        const auto history = runWith(config).history;
        QVERIFY(history.size() > 1);
        QVERIFY2(history.back().elapsed >= 0.05, qPrintable(QString::number(history.back().elapsed)));
        QVERIFY(history[history.size() - 2].elapsed < 0.05);
    }

    void withoutATestSetTheTrainingErrorIsWatched()
    {
        const RunResult result = runWith(smallConfig(5), nullptr);
        QCOMPARE(result.testEntries, Count{0});
        for (const IterationRecord& row : result.history)
            QVERIFY(std::isnan(row.testRmse));
        QCOMPARE(result.bestIteration, std::uint64_t{5}); // it falls every time in the first iterations
    }

    void stopBeforePreparingIsAnEmptyResult()
    {
        Watcher watcher;
        RunControl control;
        control.stop();
        const RunResult result = run(smallConfig(5), smallProblem().train, &smallProblem().test, watcher, control);
        QVERIFY(result.reason == StopReason::Stopped);
        QVERIFY(result.history.empty());
        QCOMPARE(result.bestIteration, std::uint64_t{0});
    }

    void stopBeforeTheFirstIterationLeavesTheStart()
    {
        Watcher watcher;
        RunControl control;
        watcher.onPhase = [&](RunPhase phase) {
            if (phase == RunPhase::Iterating)
                control.stop();
        };
        const RunResult result = run(smallConfig(5), smallProblem().train, &smallProblem().test, watcher, control);
        QVERIFY(result.reason == StopReason::Stopped);
        QVERIFY(result.history.empty());
        QCOMPARE(result.best.dims, dims);
        QVERIFY(std::isfinite(evaluateModel(result.best, smallProblem().test).rmse()));
    }

    void stopKeepsTheBestSoFar()
    {
        Watcher watcher;
        RunControl control;
        watcher.onIteration = [&](const IterationRecord& record) {
            if (record.iteration == 3)
                control.stop();
        };
        const RunResult result = run(smallConfig(1000), smallProblem().train, &smallProblem().test, watcher, control);
        QVERIFY(result.reason == StopReason::Stopped);
        QCOMPARE(result.history.size(), std::size_t{3});
        QVERIFY(result.bestIteration >= 1);
        const double claimed = result.history[result.bestIteration - 1].testRmse;
        QVERIFY(std::abs(evaluateModel(result.best, smallProblem().test).rmse() - claimed) <= 1e-5 * claimed);
    }

    void divergenceNamesIterationAndParameter()
    {
        RunConfig config = smallConfig(50);
        config.parameters["relative-rates"] = false;
        config.parameters["learning-rate-a"] = 1e6;
        config.parameters["hot-row-cap"] = 0.0; // which would tame it
        try {
            runWith(config);
            QFAIL("a step of a thousand cannot converge");
        } catch (const Error& e) {
            const std::string text = e.what();
            QVERIFY2(text.find("diverged at iteration 7") != std::string::npos, e.what()); // after six steps back
            QVERIFY2(text.find("learning-rate-a") != std::string::npos, e.what());
        }
    }

    /// Shorter than it takes to give up: what is left is the start, and no result.
    void onlyStepsBackAreNoResult()
    {
        RunConfig config = smallConfig(3);
        config.parameters["relative-rates"] = false;
        config.parameters["learning-rate-a"] = 1e6;
        config.parameters["hot-row-cap"] = 0.0;
        try {
            runWith(config);
            QFAIL("every iteration was taken back");
        } catch (const Error& e) {
            const std::string text = e.what();
            QVERIFY2(text.find("each of its 3 iterations") != std::string::npos && text.find("learning-rate-a") != std::string::npos,
                     e.what());
        }
    }

    void valuesOfAnySizeAreLearned_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<double>("size");
        for (const QString& algorithm : QStringList{"fasttucker-plus", "fasttucker", "fastertucker"})
            for (const double size : {1e20, 1e-20, 1e12})
                QTest::addRow("%s, %g", qPrintable(algorithm), size) << algorithm << size;
    }
    void valuesOfAnySizeAreLearned()
    {
        QFETCH(QString, algorithm);
        QFETCH(double, size);
        const auto scaled = [&](SparseTensor tensor) {
            for (Count e = 0; e < tensor.entries(); ++e)
                tensor.setValue(e, tensor.value(e) * size);
            return tensor;
        };
        const SparseTensor train = scaled(smallProblem().train), tested = scaled(smallProblem().test);
        RunConfig config = smallConfig(6);
        config.algorithm = algorithm.toStdString();
        config.variant.clear();
        config.format = kernels::algorithm(config.algorithm).formatFor({});
        config.deterministic = true;
        const RunResult plain = test::runOn(config, smallProblem().train, &smallProblem().test),
                        result = test::runOn(config, train, &tested);
        QCOMPARE(result.bestIteration, plain.bestIteration);
        const double expected = plain.history.back().testRmse, found = result.history.back().testRmse / size;
        QVERIFY2(std::abs(found / expected - 1) < 0.01, qPrintable(QString("%1 in place of %2").arg(found).arg(expected)));
        const double claimed = result.history[result.bestIteration - 1].testRmse;
        QVERIFY(std::abs(evaluateModel(result.best, tested).rmse() / claimed - 1) < 1e-5);
    }

    void ratesFollowTheSchedule()
    {
        RunConfig config = smallConfig(6);
        config.parameters["decay"] = 0.3;
        config.stopping.tolerance = 0;
        const RunResult result = runWith(config);
        const double first = result.history[0].learningRateA;
        for (std::size_t t = 0; t < 6; ++t) {
            const double expected = first / (1 + 0.3 * std::pow(double(t), 1.5));
            QVERIFY(std::abs(result.history[t].learningRateA / expected - 1) < 1e-12);
        }
    }

    /// β found from the data: none to speak of where a row has two entries, much where it has hundreds.
    void theScheduleFallsFasterWhereRowsAreVisitedOften()
    {
        std::vector<double> left;
        for (const Index rows : {Index{2000}, Index{20}}) {
            const SparseTensor train = test::randomTensor({rows, rows, rows}, 4000, 5);
            RunConfig config = smallConfig(5);
            config.stopping.tolerance = 0;
            const RunResult result = test::runOn(config, train, nullptr);
            left.push_back(result.history[4].learningRateA / result.history[0].learningRateA);
        }
        QVERIFY2(left[0] > 0.9 && left[1] < 0.6, qPrintable(QString("%1, %2").arg(left[0]).arg(left[1])));
    }

    /// Errors of 0 do not grow.
    void whatIsFittedExactlyTakesNoStepBack()
    {
        struct Listener : RunObserver {
            std::vector<std::string> remarks;
            void iterationDone(const IterationRecord&) override { }
            void remarked(std::uint64_t, const std::string& sentence) override { remarks.push_back(sentence); }
        } listener;
        SparseTensor train = test::randomTensor({30, 30, 30}, 4000, 5);
        for (Count e = 0; e < train.entries(); ++e)
            train.setValue(e, 7);
        RunControl control;
        const RunResult result = run(smallConfig(8), train, nullptr, listener, control);
        QVERIFY2(listener.remarks.empty(), listener.remarks.empty() ? "" : listener.remarks[0].c_str());
        QVERIFY(result.history.back().trainRmse < 1e-5);
    }

    /// Its steps are damped, those of the others are as large as without it.
    void oneHugeValueSlowsNoOthers()
    {
        std::vector<double> rates;
        for (const double largest : {1.0, 1000.0}) {
            SparseTensor train = test::randomTensor({30, 30, 30}, 4000, 5);
            for (Count e = 0; e < train.entries(); ++e)
                train.setValue(e, 1);
            train.setValue(17, largest);
            const RunResult result = test::runOn(smallConfig(10), train, nullptr);
            rates.push_back(result.history[0].learningRateA);
            const double rmse = result.history[result.bestIteration - 1].trainRmse, ofMean = (largest - 1) / std::sqrt(4000.0);
            QVERIFY2(rmse <= 0.5 * ofMean, qPrintable(QString::number(rmse)));
        }
        QCOMPARE(rates[1], rates[0]);
    }

    void stepsThatAreTooLargeAreTakenBack()
    {
        struct Listener : RunObserver {
            std::vector<std::string> remarks;
            std::vector<IterationRecord> history;
            void iterationDone(const IterationRecord& record) override { history.push_back(record); }
            void remarked(std::uint64_t, const std::string& sentence) override { remarks.push_back(sentence); }
        } listener;
        RunConfig config = smallConfig(30);
        config.parameters["relative-rates"] = false;
        config.parameters["learning-rate-a"] = 30.0;
        config.parameters["hot-row-cap"] = 0.0;
        config.parameters["decay"] = 0.0;
        RunControl control;
        const RunResult result = run(config, smallProblem().train, &smallProblem().test, listener, control);
        QVERIFY(result.reason != StopReason::Failed);
        QVERIFY(!listener.remarks.empty() && listener.remarks.size() < 7);
        QVERIFY2(listener.remarks[0].find("back to the best factors") != std::string::npos, listener.remarks[0].c_str());
        const auto& last = listener.history.back();
        QVERIFY(last.learningRateA < 30.0 / 2.9);
        QVERIFY(last.trainRmse < listener.history.front().trainRmse);
    }

    /// A core rate far too high lets a few iterations pass, then everything overflows.
    void aLateFailureKeepsWhatWasGood()
    {
        for (const double rate : {1e4, 1e5, 1e6}) {
            RunConfig config = smallConfig(200);
            config.deterministic = true;
            config.parameters["learning-rate-a"] = 3e-5;
            config.parameters["learning-rate-b"] = rate;
            RunResult result;
            try {
                result = runWith(config);
            } catch (const Error&) {
                continue; // already at the first iteration: nothing was good
            }
            if (result.reason != StopReason::Failed)
                continue;
            QVERIFY(result.bestIteration >= 1);
            QVERIFY(result.failure.find("diverged at iteration") != std::string::npos);
            const double claimed = result.history[result.bestIteration - 1].testRmse;
            QVERIFY(std::abs(evaluateModel(result.best, smallProblem().test).rmse() - claimed) <= 1e-5 * claimed);
            return;
        }
        QFAIL("none of the rates failed late");
    }
};

QTEST_GUILESS_MAIN(RunTest)
#include "tst_run.moc"
