// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "shared_gpu.h"

#include "kernels/base/error.h"
#include "support/plus_groups.h"

#include <chrono>
#include <thread>

using namespace kernels;
using namespace test::plus_group;
using test::sharedGpu;
using test::ntf::groupShapes;

/// FastTuckerPlus by several ranks on a GPU; by several GPUs where there are any.
class CudaPlusGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { POLYAD_NEEDS_GPU(); }

    void severalAreTheirMembers_data()
    {
        QTest::addColumn<std::size_t>("shape");
        for (std::size_t i = 0; i < groupShapes().size(); ++i)
            QTest::newRow(groupShapes()[i].name) << i;
    }
    void severalAreTheirMembers()
    {
        QFETCH(std::size_t, shape);
        for (const std::size_t count : {2, 3, 4}) {
            const bool nonnegative = (shape + count) % 2;
            for (const Precision precision : {Precision::Fp64, Precision::Fp32}) {
                const QString problem = otherThanOracle(sharedGpu(count), groupShapes()[shape], precision, nonnegative);
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1 ranks: %2").arg(count).arg(problem)));
            }
        }
    }

    /// What is planted is found as one rank finds it.
    void aRunIsShared_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<Precision>("precision");
        for (const Precision precision : {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16})
            for (const char* const variant : {"grouped", "calculate", "store"})
                QTest::addRow("%s, %s", variant, std::string(toString(precision)).c_str()) << QString(variant) << precision;
    }
    void aRunIsShared()
    {
        QFETCH(QString, variant);
        QFETCH(Precision, precision);
        const SyntheticProblem planted = test::plantedProblem({4000, 300, 40}, 400'000, 3, 0.1);
        std::vector<double> errors;
        for (const std::size_t count : {1, 2, 3}) {
            errors.push_back(
                learnt(configOf(sharedGpu(count), planted.train.dims(), 4, precision, variant.toStdString()), planted, 40).test.rmse());
            QVERIFY2(errors.back() < 1.1 * errors.front(),
                     qPrintable(QStringLiteral("%1 ranks: %2 of %3").arg(count).arg(errors.back()).arg(errors.front())));
        }
        QVERIFY2(errors.front() < 0.25, qPrintable(QString::number(errors.front())));
    }

    /// Nobody learns them, and rounding while passes have rows in 16 bits is nobody's change.
    void rowsWithoutEntriesStay()
    {
        const SyntheticProblem planted = test::plantedProblem({4000, 300, 40}, 400'000, 3, 0.1);
        SparseTensor train({4000, 350, 50}, planted.train.entries()); // the last rows are in no entry
        train.indices = planted.train.indices;
        train.values = planted.train.values;
        RunConfig config = configOf(sharedGpu(4), train.dims(), 16, Precision::Fp16, "grouped");
        config.parameters["row-storage"] = std::string("fp16");
        const Prepared solver(config, train);
        const Model start = solver->model(Snapshot::Latest);
        RunControl control;
        for (unsigned t = 0; t < 5; ++t)
            solver->iterate(t, control);
        const Model learnt = solver->model(Snapshot::Latest);
        for (const unsigned n : {1U, 2U})
            for (Index i = n == 1 ? 300 : 40; i < train.dims()[n]; ++i)
                for (unsigned j = 0; j < 16; ++j)
                    QCOMPARE(learnt.factors[n].at(i, j), start.factors[n].at(i, j));
        QVERIFY(learnt.factors[1].at(0, 0) != start.factors[1].at(0, 0));
    }

    /// By NCCL.
    void severalGpusAreTheirMembers()
    {
        if (test::usableGpus().size() < 2)
            QSKIP("needs two GPUs");
        for (const test::ntf::GroupShape& shape : groupShapes()) {
            const QString problem = otherThanOracle(test::usableGpus(), shape, Precision::Fp64, false);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    /// The same bits, whichever thread came first; also of a run that goes on where another stopped.
    void deterministicRunsAreTheSame()
    {
        const SyntheticProblem planted = test::plantedProblem({60, 50, 40}, 20'000, 3, 0.1);
        for (const std::size_t count : {2, 3}) {
            RunConfig config = configOf(sharedGpu(count), planted.train.dims(), 3);
            config.deterministic = true;
            const Prepared first(config, planted.train), second(config, planted.train), later(config, planted.train);
            RunControl control;
            for (unsigned t = 0; t < 3; ++t) {
                if (t == 1)
                    later->restoreState(first->saveState(), control);
                for (const Prepared* each : {&first, &second, &later})
                    if (each != &later || t >= 1)
                        (*each)->iterate(t, control);
            }
            QCOMPARE(farthestOf(first->model(Snapshot::Latest), second->model(Snapshot::Latest)), 0.0);
            QCOMPARE(farthestOf(first->model(Snapshot::Latest), later->model(Snapshot::Latest)), 0.0);
        }
    }

    /// Wherever each of the ranks is then; nobody waits for one that left, and what is left is a model.
    void aStopEndsAllRanks()
    {
        const SyntheticProblem planted = test::plantedProblem({3000, 2000, 100}, 2'000'000, 3, 0.1);
        const Prepared solver(configOf(sharedGpu(3), planted.train.dims(), 16), planted.train);
        for (const int afterMs : {0, 5, 30, 100}) {
            RunControl control;
            std::thread person([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(afterMs));
                control.stop();
            });
            bool left = false;
            try {
                for (unsigned t = 0;; ++t) {
                    solver->iterate(t, control);
                    (void)solver->evaluate(control);
                }
            } catch (const Cancelled&) {
                left = true;
            }
            person.join();
            QVERIFY(left);
        }
        RunControl control;
        QVERIFY(solver->evaluate(control).train.rmse() < 2);
        for (unsigned t = 1; t <= 3; ++t) // the first joins what the stopped ones left apart
            solver->iterate(t, control);
        QVERIFY(solver->evaluate(control).train.rmse() < 0.3);
    }

    /// Of the rank that has most.
    void memoryIsEstimated()
    {
        const SyntheticProblem planted = test::plantedProblem({30'000, 2000, 100}, 600'000, 3, 0.1);
        for (const char* const variant : {"grouped", "calculate", "store"})
            for (const std::size_t count : {2, 4}) {
                const RunConfig config = configOf(sharedGpu(count), planted.train.dims(), 16, Precision::Fp16, variant);
                const MemoryUse told =
                    algorithm("fasttucker-plus")
                        .estimateMemory(config, {planted.train.dims(), planted.train.entries(), planted.test.entries(), 4});
                const Prepared solver(config, planted.train, &planted.test);
                RunControl control;
                solver->iterate(0, control);
                const MemoryUse taken = solver->memoryUse();
                QVERIFY2(taken.deviceBytes <= told.deviceBytes && taken.hostBytes <= told.hostBytes,
                         qPrintable(QStringLiteral("%1, %2 ranks: %3 and %4 taken, %5 and %6 told")
                                        .arg(QString::fromUtf8(variant))
                                        .arg(count)
                                        .arg(taken.deviceBytes)
                                        .arg(taken.hostBytes)
                                        .arg(told.deviceBytes)
                                        .arg(told.hostBytes)));
            }
    }
};

QTEST_GUILESS_MAIN(CudaPlusGroupTest)
#include "tst_cuda_plus_group.moc"
