// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "support/cp_completion_runs.h"

#include <chrono>
#include <cmath>
#include <future>
#include <thread>

using namespace kernels;
using test::runOn;
using namespace test::cp;

namespace {

/// As the CPU's tests have it, but shrunk to zero.
RunConfig shrunkConfig(const QString& algorithm, const Problem& problem, bool doubles, bool weighted, DeviceKind kind = DeviceKind::Cuda)
{
    RunConfig config = plainConfig(algorithm, problem, doubles, weighted, kind);
    config.parameters["shrink-to"] = std::string("zero");
    return config;
}

/// Beside the oracle's small ones: every kind of team and tile, tiles that are not full, rows in pieces, and once more rows than one launch
/// has.
const std::vector<std::pair<const char*, Problem>>& largerProblems()
{
    static const std::vector<std::pair<const char*, Problem>> all{
        {"rank 1", {{300, 170, 90}, 1, 20000, 0.05}},
        {"rank 2", {{300, 170, 90}, 2, 20000, 0.05}},
        {"rank 3", {{300, 170, 90}, 3, 20000, 0.05}},
        {"rank 10", {{300, 170, 90}, 10, 20000, 0.05}},
        {"rank 16", {{300, 170, 90}, 16, 20000, 0.05}},
        {"rank 17", {{300, 170, 90}, 17, 20000, 0.05}},
        {"rank 32", {{100, 170, 90}, 32, 20000, 0.05}},
        {"rank 33", {{100, 70, 90}, 33, 20000, 0.05}},
        {"rank 64", {{100, 70, 90}, 64, 20000, 0.05}},
        {"rank 65", {{60, 70, 90}, 65, 20000, 0.05}},
        {"rank 100", {{60, 70, 30}, 100, 9000, 0.05}},
        {"rank 128", {{60, 70, 30}, 128, 9000, 0.05}},
        {"rank 208", {{20, 30, 10}, 208, 4000, 0.05}},
        {"rank 209", {{20, 30, 10}, 209, 4000, 0.05}},
        {"rank 300", {{20, 15, 10}, 300, 3000, 0.05}},
        {"rank 512", {{20, 15, 10}, 512, 3000, 0.05}},
        {"rank 512, rows of several launches", {{1200, 15, 10}, 512, 3000, 0.05}},
        {"all entries in one row, cut", {{1, 90, 70}, 9, 60000, 0}},
        {"giant rows among empty ones", {{900, 3, 2000}, 20, 60000, 0.4}},
        {"giant rows, wide", {{2, 50, 40}, 96, 30000, 0.2}},
        {"giant rows, single columns", {{2, 50, 40}, 1, 60000, 0.2}},
        {"rows of one entry", {{9000, 8000, 7000}, 6, 3000, 0}},
        {"order 2", {{40, 3000}, 11, 30000, 0.3}},
        {"order 4", {{40, 30, 20, 10}, 24, 20000, 0.1}},
        {"order 5", {std::vector<Index>(5, 12), 40, 9000, 0.1}},
        {"order 6", {std::vector<Index>(6, 8), 5, 5000, 0.1}},
        {"order 8", {std::vector<Index>(8, 6), 70, 2000, 0.1}},
        {"order 10", {std::vector<Index>(10, 4), 35, 2000, 0.1}},
    };
    return all;
}

/// Root of the mean square of the difference, at some of a tensor's entries, over that of the second's.
double predictionsApart(const Model& one, const Model& other, const SparseTensor& at)
{
    double difference = 0, size = 0;
    for (Count e = 0; e < at.entries(); e += 1 + at.entries() / 2000) {
        const double expected = productsOf(other, at, e, -1).sum();
        difference += std::pow(productsOf(one, at, e, -1).sum() - expected, 2);
        size += expected * expected;
    }
    return std::sqrt(difference / size);
}

} // namespace

/// Least squares of rows on a GPU: the formulas in fp64 and, where they take too long, what the CPU does, which is held against them.
class CudaCpCompletionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSweepOfAlsIsTheFormulas_data() { addProblems(problems()); }
    void aSweepOfAlsIsTheFormulas()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(bool, weighted);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        Begun begun(shrunkConfig("cp-completion-als", problem, doubles, weighted), tensor);
        const QString difference = differenceOfAls(begun, tensor, toZero(begun.model, penaltyFor(weighted), weighted), doubles);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void anIterationOfCcdIsTheFormulas_data() { addProblems(problems()); }
    void anIterationOfCcdIsTheFormulas()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(bool, weighted);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        for (const unsigned columns : {1u, 3u, 8u})
            for (const unsigned sweeps : {1u, 2u}) {
                RunConfig config = shrunkConfig("cp-ccd", problem, doubles, weighted);
                config.parameters["columns"] = std::int64_t{columns};
                config.parameters["inner-sweeps"] = std::int64_t{sweeps};
                Begun begun(config, tensor);
                const Penalty penalty = toZero(begun.model, penaltyFor(weighted), weighted);
                const QString difference = differenceOfCcd(begun, tensor, penalty, columns, sweeps, doubles);
                QVERIFY2(difference.isEmpty(), qPrintable(difference));
            }
    }

    /// Subsets of any size, tiles of several and a last one that is smaller, against the CPU's.
    void largerSubsets_data()
    {
        QTest::addColumn<unsigned>("rank");
        QTest::addColumn<unsigned>("columns");
        QTest::addColumn<bool>("doubles");
        for (const auto& [rank, columns] : {std::pair{16u, 1u}, std::pair{17u, 16u}, std::pair{40u, 10u}, std::pair{33u, 32u},
                                            std::pair{100u, 64u}, std::pair{200u, 128u}, std::pair{600u, 100u}})
            for (const bool doubles : {true, false})
                QTest::addRow("rank %u, %u columns, %s", rank, columns, doubles ? "fp64" : "fp32") << rank << columns << doubles;
    }
    void largerSubsets()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(unsigned, rank);
        QFETCH(unsigned, columns);
        QFETCH(bool, doubles);
        const Problem problem{{2, 70, 90}, rank, 9000, 0.1};
        const SparseTensor tensor = tensorOf(problem);
        const auto ran = [&](DeviceKind kind) {
            RunConfig config = shrunkConfig("cp-ccd", problem, doubles, false, kind);
            config.parameters["columns"] = std::int64_t{columns};
            test::fixIterations(config, 2);
            return runOn(config, tensor);
        };
        const RunResult gpu = ran(DeviceKind::Cuda), cpu = ran(DeviceKind::Cpu);
        const double apart = predictionsApart(gpu.best, cpu.best, tensor);
        QVERIFY2(apart < (doubles ? 1e-8 : 8e-3), qPrintable(QString::number(apart)));
    }

    /// One sweep by its rows and what they predict; errors of two, the best rows as they are handed out.
    void larger_data() { addProblems(largerProblems()); }
    void larger()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(bool, weighted);
        const Problem& problem = largerProblems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        const SparseTensor held = test::skewedTensor(problem.dims, 200, 0, 6);
        const auto ran = [&](DeviceKind kind) {
            RunConfig config = shrunkConfig("cp-completion-als", problem, doubles, weighted, kind);
            test::fixIterations(config, 2);
            return runOn(config, tensor, &held);
        };
        const RunResult gpu = ran(DeviceKind::Cuda), cpu = ran(DeviceKind::Cpu);
        const double rows = largestDifference(gpu.best, cpu.best), apart = predictionsApart(gpu.best, cpu.best, tensor);
        // Two sweeps: what is fitted to a few entries depends on their rounding more than what it predicts.
        QVERIFY2(apart < (doubles ? 1e-8 : 2e-3) && rows < (doubles ? 1e-6 : 5e-2),
                 qPrintable(QStringLiteral("%1, rows %2").arg(apart).arg(rows)));
        for (std::size_t i = 0; i < 2; ++i) {
            const IterationRecord &there = gpu.history[i], &here = cpu.history[i];
            const double allowed = doubles ? 1e-8 : 2e-3;
            QVERIFY2(std::abs(there.objective - here.objective) <= allowed * here.objective,
                     qPrintable(QStringLiteral("sweep %1: %2, the CPU %3").arg(i + 1).arg(there.objective).arg(here.objective)));
        }
        const IterationRecord& best = gpu.history[gpu.bestIteration - 1];
        const double rounding = doubles ? 1e-9 : 1e-4;
        QVERIFY(std::abs(best.trainRmse - evaluateModel(gpu.best, tensor).rmse()) <= rounding * best.trainRmse);
        QVERIFY(std::abs(best.trainMae - evaluateModel(gpu.best, tensor).mae()) <= rounding * best.trainMae);
        QVERIFY(std::abs(best.testRmse - evaluateModel(gpu.best, held).rmse()) <= rounding * best.testRmse);
    }

    /// Values that are worked on in a unit of their own, and rows that are drawn to the mean's.
    void defaultsAreTheCpus_data() { addAlgorithms(); }
    void defaultsAreTheCpus()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(QString, algorithm);
        SyntheticProblem problem = test::plantedProblem({60, 50, 40}, 8000, 3, 0.1);
        for (Count e = 0; e < problem.train.entries(); ++e)
            problem.train.setValue(e, 700 * (problem.train.value(e) + 4));
        const auto ran = [&](DeviceKind kind) {
            RunConfig config;
            config.algorithm = algorithm.toStdString();
            config.precision = Precision::Fp64;
            config.ranks = {12};
            config.devices = {DeviceId{kind, 0}};
            test::fixIterations(config, 5);
            return runOn(config, problem.train);
        };
        const RunResult gpu = ran(DeviceKind::Cuda), cpu = ran(DeviceKind::Cpu);
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY(std::abs(gpu.history[i].objective - cpu.history[i].objective) <= 1e-7 * cpu.history[i].objective);
    }

    void theObjectiveNeverRises_data() { addPenalties(); }
    void theObjectiveNeverRises()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(QString, algorithm);
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(bool, weighted);
        QFETCH(double, penalty);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        RunConfig config = shrunkConfig(algorithm, problem, doubles, weighted);
        config.parameters = {{"penalty", penalty}, {"regularisation", std::string(weighted ? "weighted" : "plain")}};
        test::fixIterations(config, 25);
        const QString rise = riseOfObjective(runOn(config, tensor), tensor, doubles);
        QVERIFY2(rise.isEmpty(), qPrintable(rise));
    }

    /// Equations of far more columns than the data has: sums that are cut off must not say more of a row than they know.
    void theObjectiveNeverRisesBeyondTheDatasRank_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<bool>("doubles");
        for (const char* id : {"cp-completion-als", "cp-ccd"})
            for (const bool doubles : {true, false})
                QTest::addRow("%s, %s", id, doubles ? "fp64" : "fp32") << id << doubles;
    }
    void theObjectiveNeverRisesBeyondTheDatasRank()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(QString, algorithm);
        QFETCH(bool, doubles);
        const SparseTensor tensor = test::plantedProblem({20, 40, 40}, 9000, 3, 0).train;
        RunConfig config = shrunkConfig(algorithm, {tensor.dims(), 48, tensor.entries(), 0}, doubles, false);
        config.parameters = {{"penalty", 0.0}};
        if (algorithm == QStringLiteral("cp-ccd"))
            config.parameters["columns"] = std::int64_t{48};
        test::fixIterations(config, 25);
        const QString rise = riseOfObjective(runOn(config, tensor), tensor, doubles);
        QVERIFY2(rise.isEmpty(), qPrintable(rise));
    }

    /// Squares of the products overflow in single precision: rows stay as they are, and the run ends.
    void sumsThatOverflowEndTheRun_data() { addAlgorithms(); }
    void sumsThatOverflowEndTheRun()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(QString, algorithm);
        for (const unsigned rank : {1U, 4U, 20U, 70U}) {
            const QString problem = problemOfOverflow(plainConfig(algorithm, {{}, rank, 0, 0}, false, false, DeviceKind::Cuda));
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    /// Ranks to the largest, of which the equations of a row are in the device's memory: a stop comes between launches.
    void aStopIsHonouredAtTheLargestRanks_data() { addAlgorithms(); }
    void aStopIsHonouredAtTheLargestRanks()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(QString, algorithm);
        const SparseTensor tensor = test::skewedTensor({20000, 3000, 500}, 400000, 0.2, 8);
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.precision = Precision::Fp64;
        config.ranks = {kernels::algorithm(config.algorithm).maxRank};
        config.devices = {DeviceId{DeviceKind::Cuda, 0}};
        config = resolve(config, tensor.dims());
        const auto solver = kernels::algorithm(config.algorithm).makeSolver({config, tensor, nullptr});
        RunControl control;
        solver->prepare(control);
        auto running = std::async(std::launch::async, [&] {
            try {
                for (std::uint64_t t = 0; t < 1000; ++t)
                    solver->iterate(t, control);
            } catch (const Cancelled&) {
                return true;
            }
            return false;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const auto asked = std::chrono::steady_clock::now();
        control.stop();
        QVERIFY(running.get());
        QVERIFY(std::chrono::steady_clock::now() - asked < std::chrono::milliseconds(500));
        for (const Matrix& factor : solver->model(Snapshot::Latest).factors) // usable still
            for (std::size_t i = 0; i < factor.rows; ++i)
                QVERIFY(std::isfinite(factor.at(i, 0)));
    }
};

QTEST_GUILESS_MAIN(CudaCpCompletionTest)
#include "tst_cuda_cp_completion.moc"
