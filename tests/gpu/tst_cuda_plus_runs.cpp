// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "support/ratings.h"

#include "kernels/base/error.h"
#include "kernels/base/run.h"
#include "kernels/tensor/synthetic.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

using namespace kernels;

/// Whole runs on a CUDA device: what a person sees.
class CudaPlusRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void deviceDescribesItself();
    void normalModeReachesWhatTheCpuReaches_data();
    void normalModeReachesWhatTheCpuReaches();
    void plantedModelIsRecovered();
    void hotRowsDoNotDiverge();
    void learnsTermsAsFarAsCalculate();
    void hotRowsOfAnyModeDoNotOvershoot_data();
    void hotRowsOfAnyModeDoNotOvershoot();
    void slowTermsAreLearntWhereAllRowsAreHot_data();
    void slowTermsAreLearntWhereAllRowsAreHot();
    void stopIsHonouredWithinHalfASecond();
    void memoryLimitEndsInOutOfMemory();
    void deviceThatIsNotThereIsNamed();
};

namespace {

/// Remembers when what happened, and lets a thread wait for the first iteration.
class Watcher : public RunObserver {
public:
    void iterationDone(const IterationRecord&) override { iterations.fetch_add(1); }
    std::atomic<unsigned> iterations{0};
};

RunConfig config(DeviceKind kind, unsigned rank, std::uint64_t iterations)
{
    RunConfig c;
    c.devices = {DeviceId{kind, 0}};
    c.ranks = {rank};
    c.stopping.iterations = iterations;
    c.stopping.tolerance = 0;
    return c;
}

SyntheticProblem planted(double noise, Skew skew, Count entries = 200000, const std::vector<Index>& dims = {400, 300, 200})
{
    SyntheticSpec spec;
    spec.dims = dims;
    spec.entries = entries;
    spec.testEntries = entries / 20;
    spec.rank = 4;
    spec.coreRank = 4;
    spec.noise = noise;
    spec.skew = {skew};
    spec.keepDuplicates = true;
    return generate(spec);
}

/// Ratings in so many rows that none is shared by all tiles.
SyntheticProblem wideRatings(const std::vector<Skew>& skew)
{
    SyntheticSpec spec;
    spec.dims = {10'000, 10'000, 10'000};
    spec.entries = 1'300'000;
    spec.testEntries = 100'000;
    spec.rank = spec.coreRank = 3;
    spec.noise = 0.3;
    spec.valueRange = {1, 5};
    spec.roundValues = true;
    spec.skew = skew;
    return generate(spec);
}

RunResult runOn(const RunConfig& c, const SyntheticProblem& problem)
{
    Watcher watcher;
    RunControl control;
    return run(c, problem.train, &problem.test, watcher, control);
}

double bestTestRmse(const RunResult& result)
{
    double best = 1e300;
    for (const IterationRecord& record : result.history)
        best = std::min(best, record.testRmse);
    return best;
}

/// Root mean square of the test values around their mean: what a model that knows nothing reaches.
double deviation(const SparseTensor& tensor)
{
    double sum = 0;
    double squares = 0;
    for (Count e = 0; e < tensor.entries(); ++e) {
        sum += tensor.value(e);
        squares += tensor.value(e) * tensor.value(e);
    }
    const double mean = sum / double(tensor.entries());
    return std::sqrt(squares / double(tensor.entries()) - mean * mean);
}

} // namespace

void CudaPlusRunsTest::deviceDescribesItself()
{
    POLYAD_NEEDS_GPU();
    const DeviceInfo info = device(DeviceId{DeviceKind::Cuda, 0});
    QVERIFY(!info.name.empty());
    const auto free = freeMemory(info.id, StartDevice::IfNeeded);
    QVERIFY(free && *free > 0 && *free <= info.memoryTotal);
    QVERIFY(info.processors > 0);
    QVERIFY(info.computeMajor >= 7);
    QVERIFY2(info.uuid.starts_with("GPU-") && info.uuid.size() == 40, info.uuid.c_str());
    QVERIFY(!info.pciBusId.empty());
}

void CudaPlusRunsTest::normalModeReachesWhatTheCpuReaches_data()
{
    QTest::addColumn<int>("precision");
    QTest::addColumn<unsigned>("rank");
    QTest::addColumn<QString>("variant");
    QTest::newRow("fp32, 8") << int(Precision::Fp32) << 8U << "calculate";
    QTest::newRow("fp32, 16, store") << int(Precision::Fp32) << 16U << "store";
    QTest::newRow("fp32, 20") << int(Precision::Fp32) << 20U << "calculate";
    QTest::newRow("fp64, 8") << int(Precision::Fp64) << 8U << "calculate";
}

void CudaPlusRunsTest::normalModeReachesWhatTheCpuReaches()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, precision);
    QFETCH(unsigned, rank);
    QFETCH(QString, variant);
    const SyntheticProblem problem = planted(0.3, Skew{});
    RunConfig cpu = config(DeviceKind::Cpu, rank, 12);
    cpu.precision = Precision(precision);
    cpu.variant = variant.toStdString();
    RunConfig cuda = cpu;
    cuda.devices = {DeviceId{DeviceKind::Cuda, 0}};
    const double onCpu = bestTestRmse(runOn(cpu, problem));
    const double onCuda = bestTestRmse(runOn(cuda, problem));
    QVERIFY2(std::abs(onCuda / onCpu - 1) < 0.01, qPrintable(QString("CPU %1, GPU %2").arg(onCpu).arg(onCuda)));
    QVERIFY(onCuda < 0.9 * deviation(problem.test));
}

void CudaPlusRunsTest::plantedModelIsRecovered()
{
    POLYAD_NEEDS_GPU();
    // 400,000 entries for 900 rows of 4 true columns: noise of 0.1 s.d. averages out, and what is left of the
    // error is the noise itself (in units of the planted values' deviation) plus an unfinished fit.
    const double noise = 0.1;
    const SyntheticProblem problem = planted(noise, Skew{}, 400000);
    const RunResult result = runOn(config(DeviceKind::Cuda, 8, 60), problem);
    const double relative = bestTestRmse(result) / deviation(problem.test);
    QVERIFY2(relative < 2.5 * noise, qPrintable(QString::number(relative)));
    QCOMPARE(result.history.size(), std::size_t(60));
    QVERIFY(result.memory.deviceBytes > problem.train.bytes());
}

void CudaPlusRunsTest::hotRowsDoNotDiverge()
{
    POLYAD_NEEDS_GPU();
    // Zipf with q = 1: the hottest row of the short mode holds about a sixth of all entries.
    const SyntheticProblem problem = planted(0.3, Skew{1.0, 1.0}, 1000000, {20000, 5000, 200});
    const RunResult result = runOn(config(DeviceKind::Cuda, 16, 8), problem);
    double before = 1.02 * deviation(problem.train);
    for (const IterationRecord& record : result.history) {
        QVERIFY2(record.trainRmse < before, qPrintable(QString("%1 after %2").arg(record.trainRmse).arg(before)));
        before = 1.02 * record.trainRmse;
    }
}

/// Where the whole is learnt in a moment and its terms slowly: rows that groups share must not be held back.
void CudaPlusRunsTest::learnsTermsAsFarAsCalculate()
{
    POLYAD_NEEDS_GPU();
    const SyntheticProblem problem = test::ratingsOfThreeTerms({20'000, 5'000, 1'000}, 4'000'000);
    const DeviceId gpu{DeviceKind::Cuda, 0};
    const double calculate = test::learntOfRatings(problem, "calculate", gpu, 64),
                 grouped = test::learntOfRatings(problem, "grouped", gpu, 64);
    QVERIFY2(grouped < 1.005 * calculate, qPrintable(QStringLiteral("%1 beside %2").arg(grouped).arg(calculate)));
}

void CudaPlusRunsTest::hotRowsOfAnyModeDoNotOvershoot_data()
{
    QTest::addColumn<int>("precision");
    QTest::newRow("groups") << int(Precision::Fp16);
    QTest::newRow("sorted for calculate's kernels") << int(Precision::Fp32);
}

/// No row is shared by all tiles, which are sorted by hottest rows: their entries have one in common all the same.
void CudaPlusRunsTest::hotRowsOfAnyModeDoNotOvershoot()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, precision);
    const SyntheticProblem problem = wideRatings({});
    std::vector<double> first, third;
    for (const char* variant : {"grouped", "calculate"}) {
        RunConfig c = config(DeviceKind::Cuda, 16, 3);
        c.variant = variant;
        c.precision = Precision(precision);
        const RunResult result = runOn(c, problem);
        first.push_back(result.history.front().testRmse);
        third.push_back(result.history.back().testRmse);
    }
    QVERIFY2(first[0] < 1.05 * first[1] && third[0] < 1.01 * third[1],
             qPrintable(QStringLiteral("%1, %2 beside %3, %4").arg(first[0]).arg(third[0]).arg(first[1]).arg(third[1])));
}

void CudaPlusRunsTest::slowTermsAreLearntWhereAllRowsAreHot_data()
{
    QTest::addColumn<QString>("algorithm");
    QTest::addColumn<int>("precision");
    QTest::newRow("groups") << "fasttucker-plus" << int(Precision::Fp16);
    QTest::newRow("sorted for calculate's kernels") << "fasttucker-plus" << int(Precision::Fp32);
    QTest::newRow("mode by mode") << "fasttucker" << int(Precision::Fp16);
}

/// Steps of all rows are held back, so rates have to fade later: as if they were whole they end at 0.434 to 0.438.
void CudaPlusRunsTest::slowTermsAreLearntWhereAllRowsAreHot()
{
    POLYAD_NEEDS_GPU();
    QFETCH(QString, algorithm);
    QFETCH(int, precision);
    RunConfig c = config(DeviceKind::Cuda, 16, 48);
    c.algorithm = algorithm.toStdString();
    c.precision = Precision(precision);
    const RunResult result = runOn(c, wideRatings({Skew{0.8, 100}}));
    const double rmse = result.history.at(result.bestIteration - 1).testRmse; // the last ones may try whole rates
    QVERIFY2(rmse < 0.431, qPrintable(QString::number(rmse)));
}

void CudaPlusRunsTest::stopIsHonouredWithinHalfASecond()
{
    POLYAD_NEEDS_GPU();
    // Rank 128: an iteration takes far longer than half a second.
    const SyntheticProblem problem = planted(0.3, Skew{}, 4000000);
    for (const bool deterministic : {false, true}) {
        RunConfig c = config(DeviceKind::Cuda, deterministic ? 16 : 128, 100000);
        c.deterministic = deterministic;
        Watcher watcher;
        RunControl control;
        std::chrono::steady_clock::time_point asked;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(1500));
            asked = std::chrono::steady_clock::now();
            control.stop();
        });
        const RunResult result = run(c, problem.train, &problem.test, watcher, control);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
        stopper.join();
        QVERIFY(result.reason == StopReason::Stopped);
        QVERIFY2(seconds < 0.5, qPrintable(QString::number(seconds)));
        QCOMPARE(result.best.factors.size(), std::size_t(3)); // usable still
    }
}

void CudaPlusRunsTest::memoryLimitEndsInOutOfMemory()
{
    POLYAD_NEEDS_GPU();
    const SyntheticProblem problem = planted(0.3, Skew{});
    RunConfig c = config(DeviceKind::Cuda, 16, 1);
    c.memoryLimit = 1 << 20;
    QVERIFY_EXCEPTION_THROWN(runOn(c, problem), OutOfMemory);
}

void CudaPlusRunsTest::deviceThatIsNotThereIsNamed()
{
    const SyntheticProblem problem = planted(0.3, Skew{}, 1000);
    RunConfig c = config(DeviceKind::Cuda, 4, 1);
    c.devices = {DeviceId{DeviceKind::Cuda, 97}};
    try {
        runOn(c, problem);
        QFAIL("no machine has 98 GPUs");
    } catch (const Error& error) {
        QVERIFY2(error.kind() == ErrorKind::NoDevice, error.what());
        QVERIFY2(QString(error.what()).contains("CUDA device") || QString(error.what()).contains("cuda:97"), error.what());
    }
}

QTEST_GUILESS_MAIN(CudaPlusRunsTest)
#include "tst_cuda_plus_runs.moc"
