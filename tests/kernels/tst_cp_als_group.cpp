// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/base/array_memory.h"
#include "kernels/operations/mttkrp/mttkrp.h"
#include "support/cp_als_groups.h"
#include "support/stopping.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using namespace test::cp_als;
using test::ntf::GroupShape;
using test::ntf::groupShapes;
using test::ntf::positiveTensor;

namespace {

std::vector<DeviceId> ranks(std::size_t count) { return std::vector<DeviceId>(count, DeviceId{}); }

} // namespace

/// Several ranks are one device, up to rounding.
class CpAlsGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void severalAreOne_data()
    {
        QTest::addColumn<std::size_t>("shape");
        for (std::size_t i = 0; i < groupShapes().size(); ++i)
            QTest::newRow(groupShapes()[i].name) << i;
    }
    void severalAreOne()
    {
        QFETCH(std::size_t, shape);
        const GroupShape of = groupShapes()[shape];
        const SparseTensor train = positiveTensor(of.dims, of.entries, 41, false, of.shareOfFirst), held = positiveTensor(of.dims, 7, 42);
        Setting nvecs, rarely, narrow, singles;
        nvecs.start = "nvecs";
        rarely.evaluateEvery = 100;
        narrow.rank = 1;
        singles.precision = Precision::Fp32;
        for (const std::size_t count : {2, 3, 4, 6}) {
            for (const char* const format : {"runs", "csf", "coo", "blco", "auto"}) {
                Setting setting;
                setting.format = format;
                const QString problem = difference(setting, ranks(1), ranks(count), train, &held, 1e-10);
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1, %2 ranks: %3").arg(format).arg(count).arg(problem)));
            }
            for (const Setting& setting : {nvecs, rarely, narrow}) {
                const QString problem = difference(setting, ranks(1), ranks(count), train, nullptr, 1e-10);
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1 ranks: %2").arg(count).arg(problem)));
            }
            if (of.shareOfFirst != 0.1)
                continue; // equations of few entries make more of single precision's roundings
            const QString problem = difference(singles, ranks(1), ranks(count), train, &held, 2e-2);
            QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("fp32, %1 ranks: %2").arg(count).arg(problem)));
        }
    }

    /// As a person begins it, with everything a run does around its sweeps.
    void aRunIsShared()
    {
        const SparseTensor train = positiveTensor({40, 30, 20}, 3000, 39), held = positiveTensor({40, 30, 20}, 300, 40);
        RunConfig config = configOf({}, ranks(1), train.dims());
        test::fixIterations(config, 5);
        const RunResult one = test::runOn(config, train, &held);
        config.devices = ranks(3);
        const RunResult several = test::runOn(config, train, &held);
        QVERIFY(several.config.devices == ranks(3));
        QVERIFY(apart(several.best, one.best) <= 1e-10);
        QCOMPARE(several.history.size(), one.history.size());
        for (std::size_t t = 0; t < one.history.size(); ++t) {
            QVERIFY(std::abs(several.history[t].fit - one.history[t].fit) <= 1e-10);
            QVERIFY(std::abs(several.history[t].testRmse - one.history[t].testRmse) <= 1e-10);
        }
    }

    /// The same bits, whichever thread came first.
    void twoRunsAreTheSame()
    {
        const SparseTensor train = positiveTensor({40, 30, 20}, 3000, 43);
        Setting setting;
        setting.format = "auto";
        setting.precision = Precision::Fp32;
        setting.rank = 9;
        setting.threads = 8;
        setting.deterministic = true;
        for (const std::size_t count : {3, 4}) {
            const Prepared first(configOf(setting, ranks(count), train.dims()), train),
                second(configOf(setting, ranks(count), train.dims()), train);
            RunControl control;
            for (unsigned t = 0; t < 4; ++t) {
                first->iterate(t, control);
                second->iterate(t, control);
                QCOMPARE(first->evaluate(control).objective, second->evaluate(control).objective);
            }
            QCOMPARE(apart(first->model(Snapshot::Latest), second->model(Snapshot::Latest)), 0.0);
        }
    }

    /// A run that goes on where another stopped is the run that did not stop; also where that was with another number of ranks.
    void aRunGoesOnWithOtherRanks()
    {
        const SparseTensor train = positiveTensor({13, 11, 9}, 400, 44);
        const auto on = [&](std::size_t count) { return Prepared(configOf({}, ranks(count), train.dims()), train); };
        const Prepared from = on(3), same = on(3), other = on(4), one = on(1);
        RunControl control;
        from->iterate(0, control);
        from->iterate(1, control);
        for (const auto& to : {same.get(), other.get(), one.get()}) {
            to->restoreState(from->saveState(), control);
            QCOMPARE(apart(to->model(Snapshot::Latest), from->model(Snapshot::Latest)), 0.0);
        }
        from->iterate(2, control);
        for (const auto& to : {same.get(), other.get(), one.get()}) {
            to->iterate(2, control);
            QVERIFY(apart(to->model(Snapshot::Latest), from->model(Snapshot::Latest)) <= (to == same.get() ? 0.0 : 1e-11));
        }
    }

    /// In the middle of a sweep, wherever each of the ranks is then; nobody waits for one that left.
    void aStopEndsAllRanks()
    {
        const SparseTensor train = positiveTensor({300, 200, 100}, 60000, 45);
        Setting setting;
        setting.rank = 64;
        setting.threads = 4;
        const Prepared solver(configOf(setting, ranks(4), train.dims()), train);
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
        RunControl control; // what was left is still a model that sweeps go on from
        solver->iterate(1, control);
        QVERIFY(std::isfinite(solver->evaluate(control).fit));
    }

    void memoryIsEstimated()
    {
        const SparseTensor train = positiveTensor({3000, 2000, 100}, 60000, 46), held = positiveTensor({3000, 2000, 100}, 6000, 47);
        for (const char* const format : {"runs", "coo", "auto"})
            for (const std::size_t count : {2, 4, 6}) {
                Setting setting;
                setting.format = format;
                setting.precision = Precision::Fp32;
                setting.rank = 24;
                setting.threads = 4;
                const RunConfig config = configOf(setting, ranks(count), train.dims());
                const auto told =
                    double(algorithm("cp-als").estimateMemory(config, {train.dims(), train.entries(), held.entries(), 8}).hostBytes);
                const std::uint64_t before = ArrayMemory::now();
                ArrayMemory::restartPeak();
                const Prepared solver(config, train, &held);
                RunControl control;
                solver->iterate(0, control);
                solver->rememberBest();
                QCOMPARE(solver->model(Snapshot::Best).factors.size(), std::size_t{3});
                QVERIFY(!solver->saveState().empty());
                const double taken = double(ArrayMemory::peak() - before);
                QVERIFY2(taken <= told && told < 4 * taken && double(solver->memoryUse().hostBytes) <= told,
                         qPrintable(QStringLiteral("%1, %2 ranks: %3 taken, %4 told").arg(format).arg(count).arg(taken).arg(told)));
            }
    }

    /// Rows that no grid divides, and more of them than entries: what every rank has, and the whole that models are put together in.
    void memoryOfRowsIsEstimated()
    {
        const SparseTensor train = positiveTensor({1500, 1400, 100}, 20000, 51, false, 0.99);
        for (const std::size_t count : {2, 6}) {
            Setting setting;
            setting.format = "coo";
            setting.precision = Precision::Fp32;
            setting.rank = 200;
            const RunConfig config = configOf(setting, ranks(count), train.dims());
            const auto told = double(algorithm("cp-als").estimateMemory(config, {train.dims(), train.entries(), 0, 8}).hostBytes);
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            const Prepared solver(config, train);
            RunControl control;
            solver->iterate(0, control);
            QCOMPARE(solver->model(Snapshot::Latest).factors.size(), std::size_t{3});
            const double taken = double(ArrayMemory::peak() - before);
            QVERIFY2(taken <= told && told < 1.3 * taken,
                     qPrintable(QStringLiteral("%1 ranks: %2 taken, %3 told").arg(count).arg(taken).arg(told)));
        }
    }

    /// A limit that only coo is within: no rank takes what would fit if it were alone.
    void ranksShareTheRoomOfALimit()
    {
        const SparseTensor train = positiveTensor({300, 200, 100}, 60000, 52);
        const ProblemShape shape{train.dims(), train.entries(), 0, 8};
        Setting setting;
        setting.format = "auto";
        setting.deterministic = true;
        RunConfig config = configOf(setting, ranks(4), train.dims());
        const auto told = [&](const char* format) {
            RunConfig named = config;
            named.format = format;
            return algorithm("cp-als").estimateMemory(named, shape).hostBytes;
        };
        const std::uint64_t least = told("coo"), next = std::min({told("runs"), told("csf"), told("bcsf")});
        QVERIFY(least < next);
        config.memoryLimit = (3 * least + next) / 4;
        const std::uint64_t before = ArrayMemory::now();
        ArrayMemory::restartPeak();
        const Prepared solver(config, train);
        RunControl control;
        solver->iterate(0, control);
        QCOMPARE(solver->variantNote(), std::string("in the format coo, which auto took"));
        QVERIFY(ArrayMemory::peak() - before <= config.memoryLimit);
    }

    void whatAutoTookIsTold()
    {
        const SparseTensor train = positiveTensor({40, 30, 20}, 3000, 48);
        Setting setting;
        setting.format = "auto";
        setting.deterministic = true;
        QCOMPARE(Prepared(configOf(setting, ranks(4), train.dims()), train)->variantNote(),
                 std::string("in the format runs, which auto took"));
        setting.format = "csf";
        QCOMPARE(Prepared(configOf(setting, ranks(4), train.dims()), train)->variantNote(), std::string());
    }

    /// Wherever it lies, of every format.
    void aTileWithoutEntriesHasAPlan()
    {
        for (const DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Cuda}) {
            std::vector<std::string> formats = kind == DeviceKind::Cpu ? mttkrp::cpuFormats() : mttkrp::cudaFormats();
            formats.push_back("auto");
            for (const std::string& format : formats) {
                Setting setting;
                RunConfig config = configOf(setting, ranks(1), {9, 8, 7});
                config.format = format;
                config.devices = {DeviceId{kind, 0}};
                const kernels::cp_als::RunPlan empty = kernels::cp_als::planBackEnd(config, {{9, 8, 7}, 0, 0, 4}, 1 << 30),
                                               full = kernels::cp_als::planBackEnd(config, {{9, 8, 7}, 500, 50, 4}, 1 << 30);
                QVERIFY2(!empty.products.formats.empty() && !empty.products.streamed, format.c_str());
                QVERIFY2(empty.memory.deviceBytes <= full.memory.deviceBytes && empty.memory.hostBytes <= full.memory.hostBytes,
                         format.c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(CpAlsGroupTest)
#include "tst_cp_als_group.moc"
