// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/group.h"
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "support/ntf_groups.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using namespace test::ntf;

namespace {

std::vector<DeviceId> ranks(std::size_t count) { return std::vector<DeviceId>(count, DeviceId{}); }

double apart(const Model& one, const Model& other) { return farthest(factorsOf(one), factorsOf(other)); }

double relative(double one, double other) { return std::abs(one - other) / std::abs(other); }

} // namespace

/// Several ranks are one device, up to rounding.
class NtfGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void severalAreOne_data() { addGroupShapes(); }
    /// Every kind of step; factors, history and held-out errors.
    void severalAreOne()
    {
        QFETCH(std::size_t, shape);
        QFETCH(Precision, precision);
        const GroupShape of = groupShapes()[shape];
        const SparseTensor train = positiveTensor(of.dims, of.entries, 21, false, of.shareOfFirst), held = positiveTensor(of.dims, 7, 22);
        for (const Case& c : allCases()) {
            const RunResult one = test::runOn(onDevices(c, 5, precision, ranks(1)), train, &held);
            for (const std::size_t count : {2, 3, 4, 6}) {
                const RunResult several = test::runOn(onDevices(c, 5, precision, ranks(count)), train, &held);
                const QString problem = difference(several, one, toleranceFor(precision));
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1, %2 ranks: %3").arg(nameOf(c)).arg(count).arg(problem)));
            }
        }
    }

    /// The same bits, whichever thread came first.
    void twoRunsAreTheSame()
    {
        const SparseTensor train = positiveTensor({40, 30, 20}, 3000, 23);
        const Case c{Divergence::KullbackLeibler, {0.05, true}, false, 2};
        for (const std::size_t count : {3, 4}) {
            const RunResult first = test::runOn(onDevices(c, 6, Precision::Fp32, ranks(count), 4), train),
                            second = test::runOn(onDevices(c, 6, Precision::Fp32, ranks(count), 4), train);
            for (unsigned n = 0; n < 3; ++n)
                QVERIFY(first.best.factors[n].data == second.best.factors[n].data);
            QCOMPARE(first.history.back().objective, second.history.back().objective);
        }
    }

    /// As tests of one device do: the sums of all members, others in their place, and a step.
    void sumsAreThoseOfAll()
    {
        const SparseTensor train = positiveTensor({13, 11, 9}, 400, 24);
        RunControl control;
        kernels::ntf::Problem problem{train, nullptr, {}};
        problem.least = 1e-12;
        problem.divergence = Divergence::ItakuraSaito;
        problem.rank = 5;
        problem.threads = 2;
        for (const std::size_t count : {2, 4, 6}) {
            const auto one = kernels::ntf::makeGroup(Precision::Fp64, {DeviceId{}}),
                       several = kernels::ntf::makeGroup(Precision::Fp64, ranks(count));
            one->load(problem, control);
            several->load(problem, control);
            for (unsigned n = 0; n < 3; ++n) {
                QCOMPARE(several->sumRows(n, control).count, one->sumRows(n, control).count);
                kernels::ntf::SumMatrices sums = one->sums();
                const kernels::ntf::SumMatrices found = several->sums();
                for (std::size_t i = 0; i < sums.numerators.rows; ++i)
                    for (unsigned r = 0; r < 5; ++r) {
                        QVERIFY(std::abs(found.numerators.at(i, r) - sums.numerators.at(i, r)) <= 1e-12 * (1 + sums.numerators.at(i, r)));
                        QVERIFY(std::abs(found.denominators.at(i, r) - sums.denominators.at(i, r))
                                <= 1e-12 * (1 + sums.denominators.at(i, r)));
                        sums.numerators.set(i, r, 1 + double(i) + r);
                    }
                for (const auto& backEnd : {one.get(), several.get()}) {
                    backEnd->replaceSums(sums);
                    backEnd->stepRows(n, {kernels::ntf::Rule::ItakuraSaito, 0.1, true}, control);
                }
                const Matrix rows = one->rows(n), others = several->rows(n);
                for (std::size_t i = 0; i < rows.rows; ++i)
                    for (unsigned r = 0; r < 5; ++r)
                        QVERIFY(std::abs(others.at(i, r) - rows.at(i, r)) <= 1e-11 * rows.at(i, r));
                QVERIFY(relative(several->squares(n, true, control), one->squares(n, true, control)) <= 1e-11);
            }
        }
    }

    /// A run that goes on where another stopped is the run that did not stop; also where that was with another number of ranks.
    void aRunGoesOnWithOtherRanks()
    {
        const SparseTensor train = positiveTensor({13, 11, 9}, 400, 25);
        const Case c{Divergence::Euclidean, {0.05, false}, false, 2};
        RunControl control;
        const RunConfig one = resolve(onDevices(c, 5, Precision::Fp64, ranks(1)), train.dims()),
                        four = resolve(onDevices(c, 5, Precision::Fp64, ranks(4)), train.dims());
        const auto from = algorithm("ntf").makeSolver({one, train, nullptr}), to = algorithm("ntf").makeSolver({four, train, nullptr});
        from->prepare(control);
        from->iterate(0, control);
        to->prepare(control);
        to->restoreState(from->saveState(), control);
        QCOMPARE(apart(to->model(Snapshot::Latest), from->model(Snapshot::Latest)), 0.0);
        from->iterate(1, control);
        to->iterate(1, control);
        QVERIFY(apart(to->model(Snapshot::Latest), from->model(Snapshot::Latest)) <= 1e-12);
    }

    /// In the middle of a pass, wherever each of the ranks is then; nobody waits for one that left.
    void aStopEndsAllRanks()
    {
        const SparseTensor train = positiveTensor({200, 150, 100}, 60000, 26);
        const RunConfig config = onDevices({Divergence::KullbackLeibler, {}, false, 3}, 32, Precision::Fp32, ranks(4), 1000000);
        for (const int afterMs : {0, 30, 60, 90, 130})
            QVERIFY(pausedAndStopped(config, train, afterMs, 10) == StopReason::Stopped);
    }

    /// With what a checkpoint and the model take.
    void memoryIsEstimated()
    {
        const SparseTensor train = positiveTensor({30000, 2000, 100}, 50000, 27, true);
        for (const std::size_t count : {2, 4, 6}) {
            const RunConfig config = resolve(onDevices({Divergence::Euclidean, {}}, 16, Precision::Fp32, ranks(count)), train.dims());
            const auto told = double(kernels::ntf::estimateMemory(config, {train.dims(), train.entries(), 0, 8}).hostBytes);
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            const RunResult result = test::runOn(config, train);
            const double taken = double(ArrayMemory::peak() - before);
            QVERIFY2(taken <= told && told < 8 * taken && double(result.memory.hostBytes) <= told,
                     qPrintable(QStringLiteral("%1 ranks: %2 taken, %3 told").arg(count).arg(taken).arg(told)));
        }
    }

    /// The parts of all ranks, and the whole they are put together in.
    void modelsAndCheckpointsTakeWhatIsEstimated()
    {
        const SparseTensor train = positiveTensor({1500, 1400, 100}, 20000, 28, true, 0.99); // no grid divides it
        for (const std::size_t count : {2, 6}) {
            const RunConfig config = resolve(onDevices({Divergence::Euclidean, {}}, 512, Precision::Fp32, ranks(count)), train.dims());
            const auto told = double(kernels::ntf::estimateMemory(config, {train.dims(), train.entries(), 0, 8}).hostBytes);
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            const auto solver = algorithm("ntf").makeSolver({config, train, nullptr});
            RunControl control;
            solver->prepare(control);
            solver->iterate(0, control);
            QCOMPARE(solver->model(Snapshot::Latest).factors.size(), std::size_t{3});
            QVERIFY(!solver->saveState().empty());
            const double taken = double(ArrayMemory::peak() - before);
            QVERIFY2(taken <= told && told < 1.25 * taken,
                     qPrintable(QStringLiteral("%1 ranks: %2 taken, %3 told").arg(count).arg(taken).arg(told)));
        }
    }
};

QTEST_GUILESS_MAIN(NtfGroupTest)
#include "tst_ntf_group.moc"
