// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/joint_directions.h"
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "support/plus_groups.h"
#include "support/stopping.h"

#include <QtTest>

using namespace kernels;
using namespace test::plus_group;
using test::ntf::groupShapes;

namespace {

std::vector<DeviceId> ranks(std::size_t count) { return std::vector<DeviceId>(count, DeviceId{}); }

} // namespace

/// FastTuckerPlus by several ranks on the CPU.
class PlusGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// At both ends and between.
    void changesAreShared()
    {
        using fasttucker_plus::shareOfChange;
        QCOMPARE(shareOfChange(0.5F, 0, 0.1F), 1.0F); // rows seen hardly ever: all changes count
        QVERIFY(std::abs(shareOfChange(0.25F, 1e-6F, 0.1F) - 1) < 1e-6F);
        QVERIFY(std::abs(shareOfChange(0.25F, 1e6F, 0.1F) - 0.25F) < 1e-6F); // rows learnt by everybody: their mean
        QVERIFY(std::isfinite(shareOfChange(0, 1e6F, 0.1F)));
        QCOMPARE(shareOfChange(1, 1e3F, 0.1F), 1.0F); // the only one with entries
        for (const float x : {1e-4F, 1e-2F, 1.0F, 10.0F})
            QVERIFY(std::abs(shareOfChange(0.5F, x, 1) - 0.5 * std::expm1(-double(x)) / std::expm1(-0.5 * double(x))) < 1e-6);
    }

    /// One of each stretch, in order.
    void samplesAreSpread()
    {
        using fasttucker_plus::EntrySample;
        QCOMPARE(EntrySample{0}.count(), Count{0});
        for (const Count entries : {Count{1}, EntrySample::most, EntrySample::most + 1, 2 * EntrySample::most - 1, (Count{1} << 33) + 7}) {
            const EntrySample sample{entries};
            QCOMPARE(sample.count(), std::min(entries, EntrySample::most));
            Count gaps = 0;
            for (Count i = 0; i < sample.count(); ++i) {
                QVERIFY(sample.at(i) < entries);
                QVERIFY(i == 0 || sample.at(i) > sample.at(i - 1));
                gaps += i > 0 && sample.at(i) - sample.at(i - 1) != entries / sample.count();
            }
            QVERIFY(entries <= EntrySample::most || gaps > 0); // not at equal distances
            QVERIFY(sample.at(sample.count() - 1) + entries / sample.count() + 2 > entries);
        }
    }

    /// GPUs join as often as takes little of their time, whatever a machine has of them.
    void iterationsHaveParts()
    {
        const auto parts = [](DeviceKind kind, int devices, const std::vector<Index>& dims, Count entries, const char* order = "auto") {
            RunConfig config;
            config.algorithm = "fasttucker-plus";
            config.parameters["entry-order"] = std::string(order);
            config.devices.clear();
            for (int i = 0; i < devices; ++i)
                config.devices.push_back({kind, i});
            return fasttucker_plus::partsOfIteration(config, dims, entries);
        };
        const std::vector<Index> netflix{480'189, 17'770, 2'182}, yahoo{1'000'990, 624'961, 3'075};
        QCOMPARE(parts(DeviceKind::Cuda, 1, netflix, 10'000'000'000), 1U);
        QCOMPARE(parts(DeviceKind::Cpu, 4, netflix, 10'000'000'000), 1U);
        QCOMPARE(parts(DeviceKind::Cuda, 2, netflix, 99'072'112), 3U);
        QCOMPARE(parts(DeviceKind::Cuda, 8, netflix, 99'072'112), 1U);
        QCOMPARE(parts(DeviceKind::Cuda, 2, yahoo, 250'272'286), 3U);
        QCOMPARE(parts(DeviceKind::Cuda, 2, netflix, 10'000'000'000), 16U);
        QCOMPARE(parts(DeviceKind::Cuda, 2, netflix, 10'000'000'000, "shuffled"), 16U);
        for (const char* const order : {"as-loaded", "sorted", "blocked"})
            QCOMPARE(parts(DeviceKind::Cuda, 2, netflix, 10'000'000'000, order), 1U);
    }

    void severalAreTheirMembers_data()
    {
        QTest::addColumn<std::size_t>("shape");
        for (std::size_t i = 0; i < groupShapes().size(); ++i)
            QTest::newRow(groupShapes()[i].name) << i;
    }
    void severalAreTheirMembers()
    {
        QFETCH(std::size_t, shape);
        for (const std::size_t count : {2, 3, 4, 6})
            for (const Precision precision : {Precision::Fp64, Precision::Fp32})
                for (const bool nonnegative : {false, true}) {
                    const QString problem = otherThanOracle(ranks(count), groupShapes()[shape], precision, nonnegative);
                    QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1 ranks: %2").arg(count).arg(problem)));
                }
    }

    /// In every variant: what is planted is found as one rank finds it.
    void aRunIsShared_data()
    {
        QTest::addColumn<QString>("variant");
        for (const char* const variant : {"grouped", "calculate", "store"})
            QTest::newRow(variant) << QString(variant);
    }
    void aRunIsShared()
    {
        QFETCH(QString, variant);
        const SyntheticProblem planted = test::plantedProblem({400, 300, 40}, 120'000, 3, 0.1);
        std::vector<double> errors;
        for (const std::size_t count : {1, 2, 3}) {
            errors.push_back(
                learnt(configOf(ranks(count), planted.train.dims(), 4, Precision::Fp32, variant.toStdString()), planted, 40).test.rmse());
            QVERIFY2(errors.back() < 1.1 * errors.front(),
                     qPrintable(QStringLiteral("%1 ranks: %2 of %3").arg(count).arg(errors.back()).arg(errors.front())));
        }
        QVERIFY2(errors.front() < 0.2, qPrintable(QString::number(errors.front())));
    }

    /// Ratings of which no rank has many: a direction in which rows have hardly begun is not averaged away.
    void manyLearnNearlyAsFastAsOne()
    {
        const SyntheticProblem ratings = generatePreset("movielens-like", 0.1, 1);
        std::vector<double> errors;
        for (const std::size_t count : {1, 8})
            errors.push_back(
                learnt(configOf(ranks(count), ratings.train.dims(), 8, Precision::Fp32, "calculate"), ratings, 8).train.rmse());
        const QString found = QStringLiteral("eight ranks: %1, one: %2").arg(errors.back()).arg(errors.front());
        QVERIFY2(errors.back() < 1.02 * errors.front(), qPrintable(found));
    }

    /// The same bits, whichever thread came first; also of a run that goes on where another stopped.
    void deterministicRunsAreTheSame()
    {
        const SyntheticProblem planted = test::plantedProblem({60, 50, 40}, 20'000, 3, 0.1);
        for (const std::size_t count : {2, 3, 4}) {
            RunConfig config = configOf(ranks(count), planted.train.dims(), 3);
            config.deterministic = true;
            const Prepared first(config, planted.train), second(config, planted.train), later(config, planted.train);
            RunControl control;
            for (unsigned t = 0; t < 4; ++t) {
                if (t == 2)
                    later->restoreState(first->saveState(), control);
                first->iterate(t, control);
                second->iterate(t, control);
                if (t >= 2)
                    later->iterate(t, control);
            }
            QCOMPARE(farthestOf(first->model(Snapshot::Latest), second->model(Snapshot::Latest)), 0.0);
            QCOMPARE(farthestOf(first->model(Snapshot::Latest), later->model(Snapshot::Latest)), 0.0);
        }
    }

    void theBestIsKept()
    {
        const SyntheticProblem planted = test::plantedProblem({60, 50, 40}, 20'000, 3, 0.1);
        const Prepared solver(configOf(ranks(3), planted.train.dims(), 3), planted.train, &planted.test);
        RunControl control;
        solver->iterate(0, control);
        const Model kept = solver->model(Snapshot::Latest);
        solver->rememberBest();
        solver->iterate(1, control);
        QCOMPARE(farthestOf(solver->model(Snapshot::Best), kept), 0.0);
        QVERIFY(farthestOf(solver->model(Snapshot::Latest), kept) > 0);
    }

    /// Wherever each of the ranks is then; nobody waits for one that left, and what is left is a model.
    void aStopEndsAllRanks()
    {
        const SyntheticProblem planted = test::plantedProblem({300, 200, 100}, 300'000, 3, 0.1);
        RunConfig config = configOf(ranks(4), planted.train.dims(), 32);
        config.parameters["decay"] = 0.0; // how far it comes before a stop is the machine's affair
        const Prepared solver(config, planted.train);
        for (const double after : {0.0, 0.03, 0.08, 0.2}) {
            const test::Stopped stopped = test::bestStopAfter(after, test::onAllProcessors(test::longestStop), [&](RunControl& control) {
                for (unsigned t = 0;; ++t) {
                    solver->iterate(t, control);
                    solver->evaluate(control);
                }
            });
            QVERIFY(stopped.early);
            QVERIFY(stopped.processorSeconds < test::onAllProcessors(test::longestStop));
        }
        RunControl control;
        QVERIFY(solver->evaluate(control).train.rmse() < 2);
        for (unsigned t = 1; t <= 30 && solver->evaluate(control).train.rmse() >= 0.15; ++t)
            solver->iterate(t, control); // the first joins what the stopped ones left apart
        QVERIFY(solver->evaluate(control).train.rmse() < 0.15);
    }

    /// Between parts, too: all or none have joined, and the group goes on.
    void aStopAmongPartsLeavesRows()
    {
        const SyntheticProblem planted = test::plantedProblem({300, 200, 100}, 300'000, 3, 0.1);
        const Model start = startOf(planted.train.dims(), 32, false, false);
        const auto group = fasttucker_plus::makeGroup(configOf(ranks(4), planted.train.dims(), 32, Precision::Fp32, "calculate"));
        RunControl calm;
        group->load({planted.train, nullptr, start, 11}, calm);
        const double atStart = group->evaluate(false, calm).rmse();
        FactorPass pass;
        pass.rates.assign(3, 1e-8); // hardly anything is learnt: what changes the error are rows that are no rows
        for (const double after : {0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09}) {
            pass.parts = 400;
            const test::Stopped stopped = test::bestStopAfter(after, test::onAllProcessors(test::longestStop), [&](RunControl& control) {
                for (;; ++pass.iteration)
                    group->factorPass(pass, control);
            });
            QVERIFY(stopped.early);
            const double before = group->evaluate(false, calm).rmse();
            QVERIFY2(std::abs(before / atStart - 1) < 0.1, qPrintable(QStringLiteral("%1 after %2").arg(before).arg(atStart)));
        }
        const double before = group->evaluate(false, calm).rmse();
        pass.parts = 3;
        group->factorPass(pass, calm);
        group->corePass(CorePass{}, calm);
        QVERIFY(group->evaluate(false, calm).rmse() < before);
    }

    /// Rows that are wider as they are kept than as they are told, and modes of which no grid gives a device its own.
    void memoryOfJointRowsIsEstimated()
    {
        const SparseTensor train = test::randomTensor({9000, 8000, 7000}, 30'000, 51);
        for (const std::size_t count : {2, 4}) {
            const RunConfig config = configOf(ranks(count), train.dims(), 3, Precision::Fp32, "calculate");
            const auto told = double(algorithm("fasttucker-plus").estimateMemory(config, {train.dims(), train.entries(), 0, 4}).hostBytes);
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            const Prepared solver(config, train);
            RunControl control;
            solver->iterate(0, control);
            QCOMPARE(solver->model(Snapshot::Latest).factors.size(), std::size_t{3});
            const double taken = double(ArrayMemory::peak() - before);
            QVERIFY2(taken <= told && told < 3 * taken,
                     qPrintable(QStringLiteral("%1 ranks: %2 taken, %3 told").arg(count).arg(taken).arg(told)));
        }
    }

    void memoryIsEstimated()
    {
        const SyntheticProblem planted = test::plantedProblem({30'000, 2000, 100}, 200'000, 3, 0.1);
        for (const char* const variant : {"grouped", "calculate", "store"})
            for (const std::size_t count : {2, 4}) {
                const RunConfig config = configOf(ranks(count), planted.train.dims(), 24, Precision::Fp32, variant);
                const auto told =
                    double(algorithm("fasttucker-plus")
                               .estimateMemory(config, {planted.train.dims(), planted.train.entries(), planted.test.entries(), 4})
                               .hostBytes);
                const std::uint64_t before = ArrayMemory::now();
                ArrayMemory::restartPeak();
                const Prepared solver(config, planted.train, &planted.test);
                RunControl control;
                solver->iterate(0, control);
                solver->rememberBest();
                QCOMPARE(solver->model(Snapshot::Best).factors.size(), std::size_t{3});
                const double taken = double(ArrayMemory::peak() - before);
                QVERIFY2(taken <= told && told < 4 * taken && double(solver->memoryUse().hostBytes) <= told,
                         qPrintable(QStringLiteral("%1, %2 ranks: %3 taken, %4 told, %5 kept")
                                        .arg(variant)
                                        .arg(count)
                                        .arg(taken)
                                        .arg(told)
                                        .arg(solver->memoryUse().hostBytes)));
                RunConfig limited = config;
                limited.memoryLimit = std::uint64_t(told) - 1;
                QVERIFY_THROWS_EXCEPTION(OutOfMemory, Prepared(limited, planted.train, &planted.test));
            }
    }

    /// It is the whole tensor that has to be large enough, not each one's part.
    void fewEntriesAreNotGrouped()
    {
        for (const Count entries : {Count{20'000}, Count{1'200'000}}) {
            const SyntheticProblem planted = test::plantedProblem({600, 500, 400}, entries, 3, 0.1);
            const Prepared solver(configOf(ranks(4), planted.train.dims(), 3), planted.train);
            QCOMPARE(solver->variantNote(), std::string(entries < 1'000'000 ? "as calculate, under a million entries" : ""));
        }
    }
};

QTEST_GUILESS_MAIN(PlusGroupTest)
#include "tst_plus_group.moc"
