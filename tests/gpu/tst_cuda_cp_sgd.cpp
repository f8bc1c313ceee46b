// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/algorithms/cp_sgd/back_end.h"
#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "support/cp_sgd_runs.h"

#include <cmath>

using namespace kernels;
using namespace test::cp;
using test::runOn;

/// Hogwild! on a GPU.
class CudaCpSgdTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void workersSuitTheEntries()
    {
        QCOMPARE(cp_sgd::workersOnGpu(16, 1000, 0), 1U); // too few to share
        QCOMPARE(cp_sgd::workersOnGpu(16, 100'000'000, 0), 67584U); // all it has room for
        QCOMPARE(cp_sgd::workersOnGpu(1024, 100'000'000, 0), 8448U);
        QCOMPARE(cp_sgd::workersOnGpu(16, 100'000'000, 0.001), 4000U); // rows of a thousand
    }

    /// Few entries have one worker, whose order is known.
    void iterationsAreTheFormulas_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<unsigned>("rank");
        QTest::addColumn<Count>("entries");
        QTest::addColumn<bool>("doubles");
        for (const bool doubles : {true, false}) {
            const char* const precision = doubles ? "fp64" : "fp32";
            for (const auto& [name, problem] : problems())
                QTest::addRow("%s, %s", name, precision) << problem.dims << problem.rank << problem.entries << doubles;
            for (const unsigned rank : {2U, 17U, 33U, 64U, 128U, 200U})
                QTest::addRow("rank %u, %s", rank, precision) << std::vector<Index>{9, 8, 7} << rank << Count{900} << doubles;
            QTest::addRow("order 5, rank 150, %s", precision) << std::vector<Index>(5, 6) << 150U << Count{500} << doubles;
        }
    }
    void iterationsAreTheFormulas()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(std::vector<Index>, dims);
        QFETCH(unsigned, rank);
        QFETCH(Count, entries);
        QFETCH(bool, doubles);
        // An entry's step loses some bits of its rows; up to 1800 follow one another.
        const QString difference =
            differenceOfSgd(sgdConfig(rank, doubles, DeviceKind::Cuda), tensorOf({dims, rank, entries, 0.1}), doubles ? 1e-11 : 2e-4);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    /// More workers than a multiprocessor has warps for, rows that many have at once: as good as the CPU's after as many iterations.
    void learnsAsWellAsTheCpu_data() { addPrecisions(); }
    void learnsAsWellAsTheCpu()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(bool, doubles);
        SyntheticProblem problem = test::plantedProblem({20000, 3000, 300}, 1'000'000, 4, 0.1);
        RunConfig config = sgdConfig(8, doubles, DeviceKind::Cuda);
        test::fixIterations(config, 8);
        const RunResult gpu = runOn(config, problem.train, &problem.test);
        config.devices = {DeviceId{}};
        const RunResult cpu = runOn(config, problem.train, &problem.test);
        const IterationRecord& best = gpu.history[gpu.bestIteration - 1];
        QVERIFY2(best.testRmse < 1.1 * cpu.history.back().testRmse,
                 qPrintable(QStringLiteral("%1, the CPU %2").arg(best.testRmse).arg(cpu.history.back().testRmse)));
        QVERIFY(std::abs(evaluateModel(gpu.best, problem.train).rmse() - best.trainRmse) < 1e-4 * best.trainRmse);
        QVERIFY(std::abs(evaluateModel(gpu.best, problem.test).rmse() - best.testRmse) < 1e-4 * best.testRmse);
    }

    /// Half of the entries in each of two rows.
    void hotRowsAreLearnt_data() { addPrecisions(); }
    void hotRowsAreLearnt()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(bool, doubles);
        const SparseTensor tensor = giantTensor();
        RunConfig config = sgdConfig(20, doubles, DeviceKind::Cuda);
        test::fixIterations(config, 6);
        const double gpu = runOn(config, tensor).history.back().trainRmse;
        config.devices = {DeviceId{}};
        config.threads = 1;
        const double one = runOn(config, tensor).history.back().trainRmse;
        QVERIFY2(gpu < 1.15 * one, qPrintable(QStringLiteral("%1, one worker %2").arg(gpu).arg(one)));
    }

    void aDeterministicRunIsRefused()
    {
        POLYAD_NEEDS_GPU();
        RunConfig config = sgdConfig(4, false, DeviceKind::Cuda);
        config.deterministic = true;
        try {
            resolve(config, {10, 10, 10});
            QFAIL("accepted");
        } catch (const Error& e) {
            QVERIFY2(std::string(e.what()).find("choose the CPU") != std::string::npos, e.what());
        }
        config.devices.clear(); // nobody named the GPU
        QVERIFY(resolve(config, {10, 10, 10}).devices == std::vector<DeviceId>{DeviceId{}});
    }
};

QTEST_GUILESS_MAIN(CudaCpSgdTest)
#include "tst_cuda_cp_sgd.moc"
