// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/tensor/checksum.h"
#include "support/checkpoints.h"
#include "support/device_rows.h"
#include "support/runs.h"
#include "support/suited_tensors.h"

#include <QtTest>

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <new>
#include <thread>

using namespace kernels;
using test::smallProblem;

namespace {

RunConfig smallConfig(std::uint64_t iterations)
{
    RunConfig config;
    test::fixIterations(config, iterations);
    config.ranks = {5, 7, 6}; // none fills a vector register
    config.deterministic = true;
    return config;
}

RunResult runIt(const RunConfig& config, CheckpointKeeper* keeper = nullptr, const Checkpoint* from = nullptr)
{
    return test::runOn(config, smallProblem().train, &smallProblem().test, keeper, from);
}

Checkpoint checkpointAt(const RunConfig& config, std::uint64_t iteration)
{
    RunConfig shorter = config;
    shorter.stopping.iterations = iteration;
    test::Keeper keeper;
    runIt(shorter, &keeper);
    return keeper.kept.at(iteration);
}

struct Refusal {
    const char* name;
    std::function<void(RunConfig&)> change;
    const char* mentions;
};

const std::vector<Refusal>& refusals()
{
    static const std::vector<Refusal> all{
        {"variant", [](RunConfig& c) { c.variant = "store"; }, "variant"},
        {"precision", [](RunConfig& c) { c.precision = Precision::Fp64; }, "found fp64, expected fp32"},
        {"ranks",
         [](RunConfig& c) {
             c.ranks = {5, 7, 7};
         },
         "rank: the checkpoint was made with another setting (found 5,7,7, expected 5,7,6)"},
        {"core rank", [](RunConfig& c) { c.coreRank = 3; }, "core rank"},
        {"seed", [](RunConfig& c) { c.seed = 43; }, "found 43, expected 42"},
        {"deterministic", [](RunConfig& c) { c.deterministic = false; }, "found off, expected on"},
        {"parameter", [](RunConfig& c) { c.parameters["lambda-a"] = 0.5; }, "parameter lambda-a"},
        {"split", [](RunConfig& c) { c.split.testFraction = 0.2; }, "test fraction"},
    };
    return all;
}

struct LastOnly : test::Keeper {
    bool wantsCheckpoint(std::uint64_t, bool last) override { return last; }
};

/// Stops a run some time after one of its iterations.
class StopAt : public RunObserver {
public:
    StopAt(RunControl& control, std::uint64_t iteration, std::chrono::microseconds delay)
        : m_control(control)
        , m_iteration(iteration)
        , m_delay(delay)
    {
    }
    ~StopAt() override { wait(); }

    void iterationDone(const IterationRecord& record) override
    {
        if (record.iteration == m_iteration)
            m_thread = std::thread([this] {
                std::this_thread::sleep_for(m_delay);
                m_control.stop();
            });
    }
    void wait()
    {
        if (m_thread.joinable())
            m_thread.join();
    }

private:
    RunControl& m_control;
    std::uint64_t m_iteration;
    std::chrono::microseconds m_delay;
    std::thread m_thread;
};

std::string sentenceOf(const std::function<void()>& call)
{
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

/// A run in which steps were too large, and the iterations that said so.
struct Overshot {
    RunConfig config;
    RunResult result;
    test::Keeper keeper;
    std::vector<std::uint64_t> at;
};

/// Rates are raised until an iteration overshoots that others had been better before.
Overshot overshot(const std::string& algorithm)
{
    struct Remarks : RunObserver {
        std::vector<std::uint64_t> at;
        void remarked(std::uint64_t iteration, const std::string& sentence) override
        {
            if (sentence.find("back to the best factors so far") != std::string::npos)
                at.push_back(iteration);
        }
    };
    for (double rate = 0.01; rate < 1000; rate *= 1.15) {
        Overshot run;
        run.config = smallConfig(20);
        run.config.algorithm = algorithm;
        run.config.parameters = {{"relative-rates", false}, {"decay", 0.0}, {"learning-rate-a", rate}, {"learning-rate-b", rate}};
        if (algorithm == "tucker-sgd")
            run.config.parameters["step-cap"] = 0.0;
        Remarks remarks;
        RunControl control;
        try {
            run.result = kernels::run(run.config, smallProblem().train, nullptr, remarks, control, {&run.keeper});
        } catch (const Error&) {
            continue; // even the smallest were too large
        }
        run.at = remarks.at;
        if (!run.at.empty() && run.at.back() > 1 && run.keeper.kept.at(run.at.back() - 1).soFar.bestIteration > 0)
            return run;
    }
    return {};
}

} // namespace

/// A run that goes on from a checkpoint is the run that was never interrupted.
class CheckpointTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Goes back to what was best before the interruption, not to the start.
    void aStepBackAfterResumingIsTheSame_data()
    {
        QTest::addColumn<QString>("algorithm");
        for (const char* algorithm : {"tucker-sgd", "fasttucker-plus", "fasttucker", "fastertucker"})
            QTest::addRow("%s", algorithm) << algorithm;
    }
    void aStepBackAfterResumingIsTheSame()
    {
        QFETCH(QString, algorithm);
        const Overshot whole = overshot(algorithm.toStdString());
        QVERIFY(!whole.at.empty());
        const Checkpoint& before = whole.keeper.kept.at(whole.at.back() - 1);
        const RunResult resumed = test::runOn(whole.config, smallProblem().train, nullptr, nullptr, &before);
        const std::string apart = test::difference(whole.result, resumed);
        QVERIFY2(apart.empty(), qPrintable(QStringLiteral("overshot at %1: %2").arg(whole.at.back()).arg(apart.c_str())));
    }

    void eightAndTwelveAreTwenty_data()
    {
        QTest::addColumn<test::DeviceRow>("row");
        QTest::addColumn<bool>("tested");
        for (const auto& row : test::deviceRows())
            for (const bool tested : {true, false})
                QTest::addRow("%s%s", row.name().c_str(), tested ? "" : ", no test set") << row << tested;
    }
    void eightAndTwelveAreTwenty()
    {
        QFETCH(test::DeviceRow, row);
        QFETCH(bool, tested);
        if (!row.promisesBits())
            QSKIP("adds entries in no certain order");
        RunConfig config = smallConfig(20);
        config.algorithm = row.algorithm;
        config.variant = row.variant;
        config.format = row.format;
        config.precision = row.precision;
        config.devices = {row.device};
        if (algorithm(row.algorithm).model == ModelKind::Cp) { // has one rank
            config.ranks = {5};
            config.coreRank = 0;
        }
        const SparseTensor train = test::suited(row, smallProblem().train), held = test::suited(row, smallProblem().test);
        const SparseTensor* const set = tested ? &held : nullptr;
        test::Keeper whole;
        const RunResult atOnce = test::runOn(config, train, set, &whole);
        RunConfig firstPart = config;
        firstPart.stopping.iterations = 8;
        test::Keeper first;
        test::runOn(firstPart, train, set, &first);
        test::Keeper second;
        const RunResult together = test::runOn(config, train, set, &second, &first.kept.at(8));
        QCOMPARE(test::difference(atOnce, together), std::string());
        QCOMPARE(test::difference(whole.kept.at(20).solver, second.kept.at(20).solver), std::string());
        QVERIFY(!test::difference(whole.kept.at(20).solver, whole.kept.at(19).solver).empty()); // the comparison sees something
        QCOMPARE(second.kept.size(), std::size_t{12});
    }

    /// Checkpoints themselves change nothing.
    void keepingChangesNothing()
    {
        test::Keeper keeper;
        QCOMPARE(test::difference(runIt(smallConfig(10)), runIt(smallConfig(10), &keeper)), std::string());
        QCOMPARE(keeper.kept.size(), std::size_t{10});
    }

    /// The patience already spent counts: from wherever a run goes on, it ends where it would have ended.
    void earlyStoppingComesAtTheSameIteration()
    {
        RunConfig config = smallConfig(100);
        config.stopping.patience = 4;
        test::Keeper keeper;
        RunResult atOnce;
        for (double tolerance = 0.2; atOnce.history.size() < 10; tolerance /= 2) {
            config.stopping.tolerance = tolerance;
            keeper.kept.clear();
            atOnce = runIt(config, &keeper);
        }
        QVERIFY(atOnce.reason == StopReason::Converged);
        const std::uint64_t end = atOnce.history.size();
        for (std::uint64_t at = end > 8 ? end - 8 : 1; at <= end; ++at)
            QCOMPARE(test::difference(atOnce, runIt(config, nullptr, &keeper.kept.at(at))), std::string());
    }

    void aConvergedRunCanGoOnWithOtherRules()
    {
        RunConfig impatient = smallConfig(60);
        impatient.stopping.tolerance = 0.9;
        test::Keeper keeper;
        const RunResult early = runIt(impatient, &keeper);
        QVERIFY(early.reason == StopReason::Converged);
        const RunResult on = runIt(smallConfig(20), nullptr, &keeper.kept.at(early.history.size()));
        QCOMPARE(test::difference(runIt(smallConfig(20)), on), std::string());
    }

    /// An iteration that stepped back is no better model, whatever its errors say.
    void theBestIterationIsThatOfTheModelKept()
    {
        Checkpoint kept = checkpointAt(smallConfig(4), 4);
        QVERIFY(kept.soFar.bestIteration > 1); // later iterations are better
        kept.soFar.bestIteration = 1;
        QCOMPARE(runIt(smallConfig(4), nullptr, &kept).bestIteration, std::uint64_t{1});
    }

    void whatIsDoneIsNotDoneAgain()
    {
        const Checkpoint at8 = checkpointAt(smallConfig(20), 8);
        test::Keeper keeper;
        const RunResult result = runIt(smallConfig(8), &keeper, &at8);
        QVERIFY(result.reason == StopReason::Iterations);
        QCOMPARE(result.history.size(), std::size_t{8});
        QCOMPARE(test::difference(runIt(smallConfig(8)), result), std::string());
        QVERIFY(keeper.kept.empty()); // it is in its file already
    }

    void theTimeBeforeCounts()
    {
        Checkpoint at8 = checkpointAt(smallConfig(20), 8);
        at8.soFar.history.back().elapsed = 1000;
        RunConfig config = smallConfig(1000000);
        config.stopping.secondsLimit = 1000;
        const RunResult result = runIt(config, nullptr, &at8);
        QVERIFY(result.reason == StopReason::TimeLimit);
        QCOMPARE(result.history.size(), std::size_t{8});
        config.stopping.secondsLimit = 1000.05;
        QVERIFY(runIt(config, nullptr, &at8).history.size() > 8);
    }

    void theObserverIsToldOfTheHistory()
    {
        struct Watcher : RunObserver {
            std::size_t before = 0;
            std::vector<std::uint64_t> seen;
            void resumed(const std::vector<IterationRecord>& history) override { before = history.size(); }
            void iterationDone(const IterationRecord& record) override { seen.push_back(record.iteration); }
        } watcher;
        const Checkpoint at3 = checkpointAt(smallConfig(5), 3);
        RunControl control;
        const RunResult result = run(smallConfig(5), smallProblem().train, &smallProblem().test, watcher, control, {nullptr, &at3});
        QCOMPARE(watcher.before, std::size_t{3});
        QCOMPARE(watcher.seen, (std::vector<std::uint64_t>{4, 5}));
        QVERIFY(result.history[3].elapsed > result.history[2].elapsed); // the clock went on
        QCOMPARE(result.history[4].nonzeros, 5 * smallProblem().train.entries());
    }

    /// Wherever in an iteration that is quick: it is finished first, and the file is of the run's end.
    void aStoppedRunIsKept()
    {
        LastOnly keeper;
        for (const int microseconds : {0, 50, 100, 150, 200, 400, 800, 1600}) {
            RunControl control;
            StopAt stopper(control, 6, std::chrono::microseconds(microseconds));
            keeper.kept.clear();
            const RunResult stopped =
                run(smallConfig(1000000), smallProblem().train, &smallProblem().test, stopper, control, {&keeper, nullptr});
            stopper.wait();
            QVERIFY(stopped.reason == StopReason::Stopped);
            QCOMPARE(keeper.kept.size(), std::size_t{1});
            const std::uint64_t end = stopped.history.size();
            QCOMPARE(keeper.kept.begin()->first, end);
            QVERIFY(end >= 6);
            const RunConfig on = smallConfig(end + 5);
            QCOMPARE(test::difference(runIt(on), runIt(on, nullptr, &keeper.kept.at(end))), std::string());
        }
    }

    /// A device can be lost while the factors of a stopped run are copied.
    void aFailureAfterAStopKeepsTheResult()
    {
        struct Lost : LastOnly {
            void keep(Checkpoint) override { throw Error(ErrorKind::Device, {"unspecified launch failure", "GPU 0", {}, {}, {}}); }
        } keeper;
        RunControl control;
        StopAt stopper(control, 6, {});
        const RunResult result =
            run(smallConfig(1000000), smallProblem().train, &smallProblem().test, stopper, control, {&keeper, nullptr});
        QVERIFY(result.reason == StopReason::Failed);
        QVERIFY2(result.failure.find("launch failure") != std::string::npos, result.failure.c_str());
        QVERIFY(result.history.size() >= 6 && result.best.factors.size() == 3);
    }

    /// Where memory is promised freely no copy throws: it is asked for before.
    void copiesThatDoNotFitAreNotMade()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's own memory does not fit the limit that is set here");
#endif
        struct Narrow : test::Keeper {
            rlimit before{};
            int refused = 0;
            bool wantsCheckpoint(std::uint64_t iteration, bool last) override
            {
                if (last || iteration != 2)
                    return false;
                getrlimit(RLIMIT_AS, &before);
                rlimit none = before;
                none.rlim_cur = 1; // of what it has nothing is taken
                setrlimit(RLIMIT_AS, &none);
                return true;
            }
            void keep(Checkpoint checkpoint) override
            {
                setrlimit(RLIMIT_AS, &before);
                test::Keeper::keep(std::move(checkpoint));
            }
            void cannotKeep(const std::string& sentence) override
            {
                setrlimit(RLIMIT_AS, &before);
                refused += sentence == "there is no memory for a copy of the factors";
            }
        } keeper;
        QCOMPARE(test::difference(runIt(smallConfig(4)), runIt(smallConfig(4), &keeper)), std::string());
        QCOMPARE(keeper.refused, 1);
        QVERIFY(keeper.kept.empty());
    }

    /// The parts of several devices lie beside the copy that they are put together in.
    void partsOfSeveralDevicesCountAsCopies()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's own memory does not fit the limit that is set here");
#endif
        struct Narrow : test::Keeper {
            Narrow() { getrlimit(RLIMIT_AS, &before); }
            rlimit before{};
            int refused = 0;
            bool wantsCheckpoint(std::uint64_t iteration, bool last) override
            {
                if (last || iteration != 1)
                    return false;
                std::uint64_t pages = 0;
                std::ifstream("/proc/self/statm") >> pages;
                rlimit narrow = before;
                narrow.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + (std::uint64_t{250} << 20);
                setrlimit(RLIMIT_AS, &narrow);
                return true;
            }
            void keep(Checkpoint checkpoint) override
            {
                setrlimit(RLIMIT_AS, &before);
                test::Keeper::keep(std::move(checkpoint));
            }
            void cannotKeep(const std::string&) override
            {
                setrlimit(RLIMIT_AS, &before);
                ++refused;
            }
        };
        const auto problem = test::plantedProblem({30000, 20000, 100}, 5000, 2, 0.1);
        SparseTensor tensor = problem.train;
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, 1 + std::abs(tensor.value(e)));
        for (const std::size_t ranks : {1, 2}) { // copies take 196 MiB, parts of one beside them 98
            RunConfig config;
            config.algorithm = "ntf";
            config.ranks = {512};
            config.precision = Precision::Fp32;
            config.devices.assign(ranks, DeviceId{});
            test::fixIterations(config, 2);
            Narrow keeper;
            test::runOn(config, tensor, nullptr, &keeper);
            QCOMPARE(keeper.refused, ranks == 1 ? 0 : 1);
            QCOMPARE(keeper.kept.size(), std::size_t{ranks == 1 ? 1U : 0U});
        }
    }

    void noMemoryForACheckpointEndsNoRun()
    {
        struct Poor : test::Keeper {
            int refused = 0;
            void keep(Checkpoint) override { throw std::bad_alloc(); }
            void cannotKeep(const std::string&) override { ++refused; }
        } keeper;
        QCOMPARE(test::difference(runIt(smallConfig(4)), runIt(smallConfig(4), &keeper)), std::string());
        QCOMPARE(keeper.refused, 4);
    }

    void otherSettingsAreRefused_data()
    {
        QTest::addColumn<int>("which");
        for (std::size_t i = 0; i < refusals().size(); ++i)
            QTest::addRow("%s", refusals()[i].name) << int(i);
    }
    void otherSettingsAreRefused()
    {
        QFETCH(int, which);
        Checkpoint from = checkpointAt(smallConfig(2), 1);
        from.origin = "kept.h5";
        RunConfig config = smallConfig(2);
        refusals()[std::size_t(which)].change(config);
        const std::string sentence = sentenceOf([&] { runIt(config, nullptr, &from); });
        QVERIFY2(sentence.starts_with("kept.h5, ") && sentence.find(refusals()[std::size_t(which)].mentions) != std::string::npos,
                 sentence.c_str());
    }

    void otherTensorsAreRefused()
    {
        Checkpoint from = checkpointAt(smallConfig(2), 1);
        from.origin = "kept.h5";
        const SparseTensor& train = smallProblem().train;
        const SparseTensor& tested = smallProblem().test;
        const auto sentence = [&](const SparseTensor& a, const SparseTensor* b) {
            return sentenceOf([&] { test::runOn(smallConfig(2), a, b, nullptr, &from); });
        };
        SparseTensor wider = train;
        wider.modes[2].size = 41;
        SparseTensor widerTest = tested;
        widerTest.modes[2].size = 41;
        QVERIFY(sentence(wider, &widerTest)
                    .find("kept.h5, dimensions: the checkpoint is of another tensor (found 60 x 50 x 41, expected "
                          "60 x 50 x 40)")
                != std::string::npos);
        SparseTensor fewer = train;
        fewer.resize(train.entries() - 1);
        QVERIFY(sentence(fewer, &tested).find("found 7999 entries, expected 8000 entries") != std::string::npos);
        SparseTensor changed = train;
        changed.setValue(4321, changed.value(4321) + 1e-6);
        QVERIFY(sentence(changed, &tested).find("kept.h5, training set: the checkpoint was made with other entries (found checksum")
                != std::string::npos);
        SparseTensor otherTest = tested;
        otherTest.setValue(0, -otherTest.value(0));
        QVERIFY(sentence(train, &otherTest).find("kept.h5, test set") != std::string::npos);
        QVERIFY(sentence(train, nullptr).find("found 0 entries, expected 800 entries") != std::string::npos);
        QCOMPARE(sentence(train, &tested), std::string("no error"));
    }

    void aDamagedStateIsRefused()
    {
        const Checkpoint good = checkpointAt(smallConfig(2), 1);
        Checkpoint lacking = good;
        lacking.solver.erase("factor_1");
        QVERIFY(sentenceOf([&] { runIt(smallConfig(2), nullptr, &lacking); }).find("last_factor_1") != std::string::npos);
        Checkpoint misshapen = good;
        misshapen.solver["factor_1"] = Matrix(50, 8, false);
        QVERIFY(sentenceOf([&] { runIt(smallConfig(2), nullptr, &misshapen); }).find("found 50 x 8 fp32, expected 50 x 7 fp32")
                != std::string::npos);
    }

    void checksumsSeeOrderAndValues()
    {
        RunControl control;
        SparseTensor tensor = smallProblem().train;
        const std::uint64_t sum = checksum(tensor, control);
        QCOMPARE(checksum(smallProblem().train, control), sum);
        for (auto& column : tensor.indices)
            std::swap(column[10], column[20]);
        const double value = tensor.value(10);
        tensor.setValue(10, tensor.value(20));
        tensor.setValue(20, value);
        QVERIFY(checksum(tensor, control) != sum); // the same entries in another order
        SparseTensor doubles(smallProblem().train.dims(), smallProblem().train.entries(), true);
        doubles.indices = smallProblem().train.indices;
        for (Count e = 0; e < doubles.entries(); ++e)
            doubles.setValue(e, smallProblem().train.value(e));
        QCOMPARE(checksum(doubles, control), sum);
    }
};

QTEST_GUILESS_MAIN(CheckpointTest)
#include "tst_checkpoint.moc"
