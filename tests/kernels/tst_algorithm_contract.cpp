// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/base/goes_back.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/sort.h"
#include "support/device_rows.h"
#include "support/known_tensors.h"
#include "support/runs.h"
#include "support/suited_tensors.h"

#include <QScopeGuard>
#include <QtTest>

#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <numeric>
#include <thread>

using namespace kernels;
using test::runOn;
using Clock = std::chrono::steady_clock;

namespace {

/// The promise to users; between two looks at a stop a sanitizer's program does the same work ten times as slowly.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::chrono::milliseconds longestStop{5000};
#else
constexpr std::chrono::milliseconds longestStop{500};
#endif

/// What every algorithm promises on every device, format and precision it claims.
void addRows()
{
    QTest::addColumn<test::DeviceRow>("row");
    for (const auto& row : test::deviceRows())
        QTest::addRow("%s", row.name().c_str()) << row;
}

void addRowsWithOrders(unsigned largest)
{
    QTest::addColumn<test::DeviceRow>("row");
    QTest::addColumn<unsigned>("order");
    for (const auto& row : test::deviceRows())
        for (unsigned order = 2; order <= largest; ++order)
            QTest::addRow("%s, order %u", row.name().c_str(), order) << row << order;
}

/// Lets the test know when iterations have begun.
struct PhaseObserver : RunObserver {
    std::atomic<bool> iterating{false};
    void phaseChanged(RunPhase phase) override { iterating = phase == RunPhase::Iterating; }
};

RunConfig configOf(const test::DeviceRow& row, unsigned rank, std::uint64_t iterations)
{
    RunConfig config = row.config();
    test::fixIterations(config, iterations);
    config.ranks = {rank};
    return config;
}

bool sameNumbers(const Model& a, const Model& b)
{
    for (unsigned n = 0; n < a.order(); ++n)
        if (a.factors[n].data != b.factors[n].data)
            return false;
    for (std::size_t n = 0; n < a.coreFactors.size(); ++n)
        if (a.coreFactors[n].data != b.coreFactors[n].data)
            return false;
    return a.weights == b.weights && a.core == b.core;
}

bool allFinite(const Model& model)
{
    for (const Matrix& factor : model.factors)
        for (std::size_t i = 0; i < factor.rows; ++i)
            for (std::size_t j = 0; j < factor.columns; ++j)
                if (!std::isfinite(factor.at(i, j)))
                    return false;
    return true;
}

double rootMeanSquare(const SparseTensor& tensor)
{
    double squares = 0;
    for (Count e = 0; e < tensor.entries(); ++e)
        squares += tensor.value(e) * tensor.value(e) / double(tensor.entries());
    return std::sqrt(squares);
}

} // namespace

class AlgorithmContractTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Ten entries or more for each unknown and 10 % noise: the error must come close to the noise.
    void recoversAPlantedModel_data() { addRowsWithOrders(5); }
    void recoversAPlantedModel()
    {
        QFETCH(test::DeviceRow, row);
        QFETCH(unsigned, order);
        if (algorithm(row.algorithm).objective != Objective::Observed)
            QSKIP("fits all entries, so held-out ones count as zeros");
        const std::vector<Index> dims = order == 2 ? std::vector<Index>{300, 200}
            : order == 3                           ? std::vector<Index>{60, 50, 40}
                                                   : std::vector<Index>(order, 25);
        SyntheticProblem problem = test::plantedProblem(dims, 12000, 3, 0.1);
        problem.train = test::suited(row, std::move(problem.train));
        problem.test = test::suited(row, std::move(problem.test));
        // A dense core of rank 6 would have 7776 unknowns more at order 5.
        const unsigned rank = algorithm(row.algorithm).model == ModelKind::Tucker && order == 5 ? 3 : 6;
        RunConfig config = configOf(row, rank, 60);
        if (algorithm(row.algorithm).parameter("divergence")) // the noise is as large everywhere
            config.parameters["divergence"] = std::string("euclidean");
        const RunResult result = runOn(config, problem.train, &problem.test);
        const double noise = evaluateModel(*problem.truth, problem.test).rmse();
        const double reached = evaluateModel(result.best, problem.test).rmse();
        QVERIFY2(reached <= 1.3 * noise, qPrintable(QStringLiteral("reached %1, noise %2").arg(reached).arg(noise)));
    }

    void everyOrderAndRankLearns_data() { addRowsWithOrders(10); }
    void everyOrderAndRankLearns()
    {
        QFETCH(test::DeviceRow, row);
        QFETCH(unsigned, order);
        constexpr unsigned ranks[] = {1, 3, 17, 33, 128};
        const Index most = order <= 5 ? 30 : 12;
        SparseTensor tensor = test::suited(row, test::skewedTensor(std::vector<Index>(order, most), 300, 0.2, order));
        sortLexicographically(tensor);
        RunConfig config = configOf(row, 1, 4);
        config.ranks.clear();
        for (unsigned n = 0; n < order; ++n) // one rank per mode where the model has them
            config.ranks.push_back(algorithm(row.algorithm).model == ModelKind::Cp ? ranks[order % 5] : ranks[(order + n) % 5]);
        config.ranks = test::possibleRanks(row, tensor.dims(), config.ranks);
        if (algorithm(row.algorithm).parameter("penalty")) // the values are noise: with a fair one nothing is best
            config.parameters["penalty"] = 1e-3;
        const RunResult result = runOn(config, tensor);
        QCOMPARE(result.history.size(), std::size_t{4});
        QVERIFY(allFinite(result.best));
        if (algorithm(row.algorithm).objective == Objective::All)
            QVERIFY2(result.history.back().fit > 0, "worse than predicting zero");
        else
            QVERIFY2(result.history.back().trainRmse < rootMeanSquare(tensor), "worse than predicting zero");
    }

    void oddTensorsAreLearnt_data()
    {
        QTest::addColumn<test::DeviceRow>("row");
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        QTest::addColumn<double>("shareOfFirst");
        for (const auto& row : test::deviceRows()) {
            const std::string name = row.name();
            QTest::addRow("%s, one entry", name.c_str()) << row << std::vector<Index>{3, 4, 5} << Count{1} << 0.0;
            QTest::addRow("%s, one giant slice", name.c_str()) << row << std::vector<Index>{1, 80, 70} << Count{3000} << 0.0;
            QTest::addRow("%s, nearly all in one slice", name.c_str()) << row << std::vector<Index>{50, 80, 70} << Count{3000} << 0.95;
            QTest::addRow("%s, mostly empty slices", name.c_str()) << row << std::vector<Index>{5000, 4000, 3000} << Count{300} << 0.0;
        }
    }
    void oddTensorsAreLearnt()
    {
        QFETCH(test::DeviceRow, row);
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        QFETCH(double, shareOfFirst);
        SparseTensor tensor = test::suited(row, test::skewedTensor(dims, entries, shareOfFirst, 3));
        sortLexicographically(tensor);
        for (const bool deterministic : {false, true}) {
            if (deterministic && !row.promisesBits())
                continue;
            RunConfig config = configOf(row, 4, 10);
            config.deterministic = deterministic;
            const RunResult result = runOn(config, tensor);
            QVERIFY(allFinite(result.best));
            if (algorithm(row.algorithm).objective == Objective::All) { // to it entries of one cell are one
                QVERIFY(result.history.back().fit > 0);
                continue;
            }
            // Where one cell holds nearly all entries the values are noise around 0 and 0 is the best answer:
            // the last steps may leave the prediction some way off it.
            QVERIFY(result.history.back().trainRmse <= 1.1 * rootMeanSquare(tensor));
        }
    }

    void sameSeedSameBits_data() { addRows(); }
    void sameSeedSameBits()
    {
        QFETCH(test::DeviceRow, row);
        if (!row.promisesBits())
            QSKIP("adds entries in no certain order");
        const SparseTensor tensor = test::suited(row, test::skewedTensor({90, 80, 30}, 9000, 0.1, 6));
        RunConfig config = configOf(row, 7, 4);
        config.deterministic = true;
        const RunResult first = runOn(config, tensor);
        config.threads = 1;
        const RunResult second = runOn(config, tensor);
        QVERIFY(sameNumbers(first.best, second.best));
        QCOMPARE(first.history.back().trainRmse, second.history.back().trainRmse);
        config.seed = 43;
        QVERIFY(!sameNumbers(runOn(config, tensor).best, first.best));
    }

    /// An iteration of this problem is some 40 GFLOP, far longer than a stop may take.
    void stopIsHonouredInsideAnIteration_data() { addRows(); }
    void stopIsHonouredInsideAnIteration()
    {
        QFETCH(test::DeviceRow, row);
        const SparseTensor tensor = test::suited(row, test::skewedTensor(std::vector<Index>(10, 20), 30000, 0, 8));
        for (const bool deterministic : {false, true}) {
            if (deterministic && !row.promisesBits())
                continue;
            RunConfig config = configOf(row, 1, 1000000);
            config.ranks = test::possibleRanks(row, tensor.dims(), std::vector<unsigned>(10, 128));
            config.deterministic = deterministic;
            if (algorithm(row.algorithm).parameter("learning-rate-a")) // so that no fast device sees it diverge before the stop
                config.parameters["learning-rate-a"] = 1e-6;
            PhaseObserver observer;
            RunControl control;
            auto running = std::async(std::launch::async, [&] { return run(config, tensor, nullptr, observer, control); });
            const auto end = qScopeGuard([&] { control.stop(); }); // a test that fails is not to wait for a million iterations
            QTRY_VERIFY_WITH_TIMEOUT(observer.iterating, 60000);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            const auto asked = Clock::now();
            control.stop();
            const RunResult result = running.get();
            QVERIFY(Clock::now() - asked < longestStop);
            QVERIFY(result.reason == StopReason::Stopped);
            QVERIFY(allFinite(result.best));
        }
    }

    /// Whatever is not there yet is not asked for its model.
    void aStopWhilePreparingIsAnEmptyResult_data() { addRows(); }
    void aStopWhilePreparingIsAnEmptyResult()
    {
        QFETCH(test::DeviceRow, row);
        SparseTensor tensor = test::suited(row, test::skewedTensor({3000, 200, 500}, 100000, 0.2, 9));
        sortLexicographically(tensor);
        RunConfig config = configOf(row, 4, 2);
        config.ranks = test::possibleRanks(row, tensor.dims(), {4, 4, 4});
        for (const int microseconds : {0, 300, 1000, 3000, 10000, 30000}) {
            PhaseObserver observer;
            RunControl control;
            if (microseconds == 0)
                control.stop();
            auto running = std::async(std::launch::async, [&] { return run(config, tensor, nullptr, observer, control); });
            std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
            control.stop();
            const RunResult result = running.get();
            if (observer.iterating || result.reason != StopReason::Stopped)
                continue; // too late
            QVERIFY(result.history.empty());
            QVERIFY(result.best.factors.empty());
        }
    }

    void pauseChangesNothingButTheClock_data() { addRows(); }
    void pauseChangesNothingButTheClock()
    {
        QFETCH(test::DeviceRow, row);
        if (!row.promisesBits())
            QSKIP("adds entries in no certain order");
        const SparseTensor tensor = test::suited(row, test::skewedTensor({300, 200, 100}, 60000, 0.05, 9));
        RunConfig config = configOf(row, 16, 12);
        config.deterministic = true;
        const RunResult plain = runOn(config, tensor);

        PhaseObserver observer;
        RunControl control;
        control.pause();
        const auto begin = Clock::now();
        auto running = std::async(std::launch::async, [&] { return run(config, tensor, nullptr, observer, control); });
        const auto end = qScopeGuard([&] { control.stop(); }); // a test that fails is not to wait for a paused run
        for (int times = 0; times < 3; ++times) {
            // Asked at any moment, inside an iteration too; a run that is through by then is fine.
            const auto waits = [&] { return control.isPaused() || running.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
            QTRY_VERIFY(waits());
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            control.resume();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (times < 2)
                control.pause();
        }
        const RunResult paused = running.get();
        const std::chrono::duration<double> wall = Clock::now() - begin;
        QCOMPARE(paused.history.size(), std::size_t{12});
        QVERIFY(sameNumbers(paused.best, plain.best));
        QVERIFY(control.pausedSeconds() > 0.019);
        QVERIFY(paused.history.back().elapsed <= wall.count() - control.pausedSeconds());
    }

    void badParametersAreRefused_data() { addRows(); }
    void badParametersAreRefused()
    {
        QFETCH(test::DeviceRow, row);
        for (const ParameterSpec& spec : algorithm(row.algorithm).parameters) {
            std::vector<ParameterValue> bad{std::string("no such choice")};
            if (spec.type == ParameterType::Real)
                bad.insert(bad.end(), {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()});
            if (spec.type == ParameterType::Real && spec.minimum != spec.maximum)
                bad.insert(bad.end(), {spec.minimum - 1, spec.maximum * 2});
            if (spec.type == ParameterType::Integer)
                bad.insert(bad.end(), {0.5, std::int64_t(spec.minimum) - 1});
            for (const ParameterValue& value : bad) {
                RunConfig config = row.config();
                config.parameters[spec.id] = value;
                try {
                    resolve(config, {10, 10, 10});
                    QFAIL(qPrintable(QString::fromStdString("accepted " + spec.id + " = " + toString(value))));
                } catch (const Error& e) {
                    QCOMPARE(e.kind(), ErrorKind::BadArgument);
                    QVERIFY2(std::string(e.what()).find(spec.id) != std::string::npos, e.what());
                }
            }
        }
    }

    void memoryEstimateHolds_data() { addRows(); }
    void memoryEstimateHolds()
    {
        QFETCH(test::DeviceRow, row);
        // The host: never more than promised; a tenth more is what loads and steps of rows take where they are needed.
        // A GPU: promised are all blocks a multiprocessor may hold, and the column that entries are shuffled through.
        const bool onDevice = row.device.kind == DeviceKind::Cuda;
        const std::vector<Index> dims = onDevice ? std::vector<Index>{1'200'000, 400'000, 5000} : std::vector<Index>{60000, 20000, 5000};
        const Count entries = onDevice ? 4'000'000 : 400'000;
        SparseTensor tensor = test::suited(row, test::skewedTensor(dims, entries, 0, 10));
        const SparseTensor held = test::suited(row, test::skewedTensor(dims, entries / 10, 0, 11));
        for (const unsigned rank : {8u, 20u}) {
            const RunConfig config = resolve(configOf(row, rank, 1), tensor.dims());
            const MemoryUse estimated = algorithm(row.algorithm).estimateMemory(config, {tensor.dims(), tensor.entries(), held.entries()});
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            const MemoryUse used = runOn(config, tensor, &held).memory;
            const double host = double(ArrayMemory::peak() - before), promised = double(estimated.hostBytes);
            const QString numbers = QStringLiteral("host: took %1, promised %2; device: took %3, promised %4")
                                        .arg(host)
                                        .arg(promised)
                                        .arg(used.deviceBytes)
                                        .arg(estimated.deviceBytes);
            QVERIFY2(host <= promised && used.hostBytes <= estimated.hostBytes, qPrintable(numbers));
            if (!onDevice) {
                QVERIFY2(promised <= 1.1 * host, qPrintable(numbers));
                continue;
            }
            double uncertain = double(64 << 20) + double(entries * (row.doubles() ? 8 : 4));
            // Copies of rows in 16 bits, if values had called for damping, or shares for such rows.
            if (row.algorithm == "fasttucker-plus"
                && (row.precision == Precision::Bf16 || (row.precision == Precision::Fp16 && row.variant == "grouped")))
                uncertain +=
                    double(sizeof(std::uint16_t) * ((rank + 15) / 16 * 16)) * double(std::accumulate(dims.begin(), dims.end(), Index{0}));
            const double device = double(used.deviceBytes);
            const double promisedThere = double(estimated.deviceBytes);
            QVERIFY2(device <= promisedThere && promisedThere <= 1.1 * device + uncertain, qPrintable(numbers));
        }
    }

    /// What the entries are arranged from may be wider than what the run keeps of them.
    void memoryEstimateHoldsForATensorOfDoubles_data() { addRows(); }
    void memoryEstimateHoldsForATensorOfDoubles()
    {
        QFETCH(test::DeviceRow, row);
        if (row.device.kind != DeviceKind::Cpu || row.doubles())
            QSKIP("single precision on the CPU");
        const SparseTensor tensor = test::suited(row, test::skewedTensor({60000, 20000, 5000}, 400'000, 0, 10, true));
        const RunConfig config = resolve(configOf(row, 8, 1), tensor.dims());
        const ProblemShape shape{tensor.dims(), tensor.entries(), 0, 8};
        const double promised = double(algorithm(row.algorithm).estimateMemory(config, shape).hostBytes);
        const std::uint64_t before = ArrayMemory::now();
        ArrayMemory::restartPeak();
        runOn(config, tensor);
        const double host = double(ArrayMemory::peak() - before);
        QVERIFY2(host <= promised && promised <= 1.1 * host, qPrintable(QStringLiteral("took %1, promised %2").arg(host).arg(promised)));
    }

    /// Where the threads' work space is more than entries and model together.
    void memoryEstimateOfASmallProblemHolds_data() { addRows(); }
    void memoryEstimateOfASmallProblemHolds()
    {
        QFETCH(test::DeviceRow, row);
        if (row.device.kind != DeviceKind::Cpu)
            QSKIP("a GPU's work space is told as a bound: see above");
        if (row.format == "auto")
            QSKIP("so is that of the formats it tries");
        const SparseTensor tensor = test::suited(row, test::skewedTensor({220, 223, 24}, 12000, 0, 10));
        for (const unsigned threads : {1u, 7u}) {
            RunConfig config = configOf(row, 64, 1);
            config.threads = threads;
            config = resolve(config, tensor.dims());
            const double promised = double(algorithm(row.algorithm).estimateMemory(config, {tensor.dims(), tensor.entries(), 0}).hostBytes);
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            runOn(config, tensor);
            const double host = double(ArrayMemory::peak() - before);
            // Sums of their own are promised to all tasks of hicoo, and here most need none; of mmcsf the most nodes there can be;
            // of HOOI a subspace iteration where a Gram matrix is not exact enough.
            const bool bound = row.format == "hicoo" || row.format == "mmcsf" || row.algorithm == "tucker-hooi";
            const double most = (bound ? 1.25 : 1.1) * host;
            QVERIFY2(host <= promised && promised <= most, qPrintable(QStringLiteral("took %1, promised %2").arg(host).arg(promised)));
        }
    }

    void memoryLimitIsKept_data() { addRows(); }
    void memoryLimitIsKept()
    {
        QFETCH(test::DeviceRow, row);
        const SparseTensor tensor = test::suited(row, test::skewedTensor({600, 200, 50}, 4000, 0, 10));
        RunConfig config = configOf(row, 16, 1);
        config.memoryLimit = 10000; // the entries alone need more
        QVERIFY_EXCEPTION_THROWN(runOn(config, tensor), OutOfMemory);
    }

    void flopsGrowWithEntriesAndRank_data() { addRows(); }
    void flopsGrowWithEntriesAndRank()
    {
        QFETCH(test::DeviceRow, row);
        const AlgorithmInfo& info = algorithm(row.algorithm);
        const auto flops = [&](unsigned rank, Count entries) {
            return info.flopsPerIteration(resolve(configOf(row, rank, 1), {50, 40, 30}), {{50, 40, 30}, entries, 0});
        };
        QVERIFY(flops(8, 1000) > 0);
        QVERIFY(flops(16, 1000) > flops(8, 1000));
        QVERIFY(flops(8, 2000) > flops(8, 1000));
        if (!info.bytesPerIteration)
            return;
        const auto bytes = [&](unsigned rank, Count entries) {
            return info.bytesPerIteration(resolve(configOf(row, rank, 1), {50, 40, 30}), {{50, 40, 30}, entries, 0});
        };
        if (bytes(8, 1000) == 0)
            return;
        QVERIFY(bytes(8, 1000) > 16.0 * 1000); // three indices and a value each, at least
        QVERIFY(bytes(16, 1000) > bytes(8, 1000) && bytes(8, 2000) > bytes(8, 1000));
    }

    void touchingRowsChangesNothing_data() { addRows(); }
    void touchingRowsChangesNothing()
    {
        QFETCH(test::DeviceRow, row);
        const SparseTensor tensor = test::suited(row, test::skewedTensor({600, 200, 50}, 40000, 0, 10));
        const RunConfig config = resolve(configOf(row, 20, 1), tensor.dims());
        const std::unique_ptr<Solver> solver = algorithm(row.algorithm).makeSolver({config, tensor, nullptr});
        RunControl control;
        solver->prepare(control);
        const Model before = solver->model(Snapshot::Latest);
        if (!solver->touchRows(0, control) || !solver->touchRows(1, control))
            QSKIP("has no such pass");
        QVERIFY(sameNumbers(before, solver->model(Snapshot::Latest)));
    }

    /// A resumed run that has to go back goes to the best model, not to the latest one.
    void theBestModelOutlastsAResume_data() { addRows(); }
    void theBestModelOutlastsAResume()
    {
        QFETCH(test::DeviceRow, row);
        const SparseTensor tensor = test::suited(row, test::skewedTensor({90, 80, 30}, 9000, 0.1, 6));
        const RunConfig config = resolve(configOf(row, 5, 2), tensor.dims());
        const std::unique_ptr<Solver> solver = algorithm(row.algorithm).makeSolver({config, tensor, nullptr});
        auto* const goesBack = dynamic_cast<GoesBack*>(solver.get());
        if (!goesBack)
            QSKIP("never goes back");
        RunControl control;
        solver->prepare(control);
        solver->iterate(0, control);
        const Model best = solver->model(Snapshot::Latest);
        solver->iterate(1, control);
        SolverState latest = solver->saveState();
        if (latest.contains("accepted_core"))
            QSKIP("keeps what it goes back to by itself");
        goesBack->restoreBest(best, control);
        solver->restoreState(std::move(latest), control);
        QVERIFY(sameNumbers(solver->model(Snapshot::Best), best));
        QVERIFY(!sameNumbers(solver->model(Snapshot::Latest), best));
    }
};

QTEST_GUILESS_MAIN(AlgorithmContractTest)
#include "tst_algorithm_contract.moc"
