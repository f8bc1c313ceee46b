// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/group.h"
#include "kernels/base/error.h"
#include "support/ntf_oracle.h"
#include "support/ntf_problems.h"

#include <QtTest>

#include <cmath>
#include <thread>

using namespace kernels;
using namespace test::ntf;

namespace {

struct Case {
    Divergence divergence;
    double penalty = 0;
    bool weighted = false, paper = false;
    unsigned times = 1;
};

std::vector<Case> allCases()
{
    std::vector<Case> cases;
    for (const Divergence divergence : allDivergences)
        for (const bool paper : {false, true}) {
            cases.push_back({divergence, 0, false, paper, paper ? 1U : 2U});
            cases.push_back({divergence, 0.05, false, paper, paper ? 2U : 1U});
            cases.push_back({divergence, 0.05, true, paper, paper ? 1U : 3U});
        }
    return cases;
}

RunConfig configOf(const Case& c, unsigned rank, Precision precision, std::size_t ranks, std::uint64_t iterations = 3)
{
    RunConfig config = test::ntf::configOf(c.divergence, rank, iterations, precision);
    config.variant = c.paper ? "paper" : "ours";
    config.parameters["penalty"] = c.penalty;
    config.parameters["regularisation"] = std::string(c.weighted ? "weighted" : "plain");
    config.parameters["row-steps"] = std::int64_t{c.times};
    config.devices.assign(ranks, DeviceId{});
    return config;
}

QString nameOf(const Case& c, std::size_t ranks)
{
    return QStringLiteral("%1, penalty %2%3%4, %5 ranks")
        .arg(QString::fromUtf8(toString(c.divergence).data()), QString::number(c.penalty),
             c.weighted ? QStringLiteral(" weighted") : QString(), c.paper ? QStringLiteral(", paper") : QString())
        .arg(ranks);
}

/// The farthest apart that numbers of the factors are, relative to the largest of their matrix.
double apart(const Model& one, const Model& other)
{
    double most = 0;
    for (unsigned n = 0; n < one.order(); ++n) {
        double difference = 0, size = 0;
        for (std::size_t i = 0; i < one.factors[n].rows; ++i)
            for (std::size_t r = 0; r < one.factors[n].columns; ++r) {
                difference = std::max(difference, std::abs(one.factors[n].at(i, r) - other.factors[n].at(i, r)));
                size = std::max(size, std::abs(other.factors[n].at(i, r)));
            }
        most = std::max(most, difference / size);
    }
    return most;
}

double relative(double one, double other) { return std::abs(one - other) / std::abs(other); }

/// Also of errors that a model of so few entries hardly makes: values are about 1.
bool alike(double one, double other, double tolerance) { return std::abs(one - other) <= tolerance * (1 + std::abs(other)); }

} // namespace

/// Several ranks are one device, up to rounding.
class NtfGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void severalAreOne_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        QTest::addColumn<double>("shareOfFirst");
        QTest::addColumn<Precision>("precision");
        const std::vector<Index> dims{13, 11, 9, 5, 4};
        for (unsigned order = 2; order <= 5; ++order)
            QTest::addRow("order %u", order) << std::vector<Index>(dims.begin(), dims.begin() + order) << Count{400} << 0.1
                                             << Precision::Fp64;
        QTest::newRow("fp32") << std::vector<Index>{13, 11, 9} << Count{400} << 0.1 << Precision::Fp32;
        QTest::newRow("a giant row in every mode") << std::vector<Index>{13, 11, 9} << Count{400} << 0.95 << Precision::Fp64;
        QTest::newRow("modes shorter than ranks") << std::vector<Index>{3, 2, 2} << Count{11} << 0.0 << Precision::Fp64;
        QTest::newRow("fewer entries than ranks") << std::vector<Index>{30, 20, 10} << Count{4} << 0.0 << Precision::Fp64;
        QTest::newRow("mostly empty rows") << std::vector<Index>{500, 400, 300} << Count{60} << 0.0 << Precision::Fp64;
    }
    /// Every kind of step; factors, history and held-out errors.
    void severalAreOne()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        QFETCH(double, shareOfFirst);
        QFETCH(Precision, precision);
        const double tolerance = precision == Precision::Fp64 ? 1e-11 : 2e-4;
        const SparseTensor train = positiveTensor(dims, entries, 21, false, shareOfFirst), held = positiveTensor(dims, 7, 22);
        for (const Case& c : allCases()) {
            const RunResult one = test::runOn(configOf(c, 5, precision, 1), train, &held);
            for (const std::size_t ranks : {2, 3, 4, 6}) {
                const RunResult several = test::runOn(configOf(c, 5, precision, ranks), train, &held);
                const double far = apart(several.best, one.best);
                QVERIFY2(far <= tolerance, qPrintable(QStringLiteral("%1: %2 apart").arg(nameOf(c, ranks)).arg(far)));
                QCOMPARE(several.history.size(), one.history.size());
                for (std::size_t t = 0; t < one.history.size(); ++t) {
                    const IterationRecord &found = several.history[t], &expected = one.history[t];
                    QVERIFY2(alike(found.trainRmse, expected.trainRmse, tolerance), qPrintable(nameOf(c, ranks)));
                    QVERIFY2(alike(found.testRmse, expected.testRmse, tolerance), qPrintable(nameOf(c, ranks)));
                    QVERIFY2(alike(found.objective, expected.objective, tolerance), qPrintable(nameOf(c, ranks)));
                    QVERIFY2(alike(found.divergence, expected.divergence, tolerance), qPrintable(nameOf(c, ranks)));
                    QCOMPARE(found.nonzeros, expected.nonzeros);
                }
            }
        }
    }

    /// The same bits, whichever thread came first.
    void twoRunsAreTheSame()
    {
        const SparseTensor train = positiveTensor({40, 30, 20}, 3000, 23);
        const Case c{Divergence::KullbackLeibler, 0.05, true, false, 2};
        for (const std::size_t ranks : {3, 4}) {
            const RunResult first = test::runOn(configOf(c, 6, Precision::Fp32, ranks, 4), train),
                            second = test::runOn(configOf(c, 6, Precision::Fp32, ranks, 4), train);
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
        for (const std::size_t ranks : {2, 4, 6}) {
            const auto one = kernels::ntf::makeGroup(Precision::Fp64, {DeviceId{}}),
                       several = kernels::ntf::makeGroup(Precision::Fp64, std::vector<DeviceId>(ranks, DeviceId{}));
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
        const Case c{Divergence::Euclidean, 0.05, false, false, 2};
        RunControl control;
        const RunConfig one = resolve(configOf(c, 5, Precision::Fp64, 1), train.dims()),
                        four = resolve(configOf(c, 5, Precision::Fp64, 4), train.dims());
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
        RunConfig config = configOf({Divergence::KullbackLeibler, 0, false, false, 3}, 32, Precision::Fp32, 4, 1000000);
        for (int afterMs : {0, 30, 60, 90, 130}) {
            RunObserver silent;
            RunControl control;
            std::thread person([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(afterMs));
                control.pause();
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                control.resume();
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                control.stop();
            });
            const RunResult result = run(config, train, nullptr, silent, control);
            person.join();
            QVERIFY(result.reason == StopReason::Stopped);
        }
    }

    void memoryIsEstimated()
    {
        const SparseTensor train = positiveTensor({300, 200, 100}, 50000, 27);
        for (const std::size_t ranks : {2, 4, 6}) {
            const RunConfig config = resolve(configOf({Divergence::Euclidean}, 16, Precision::Fp32, ranks), train.dims());
            const RunResult result = test::runOn(config, train);
            const MemoryUse use = kernels::ntf::estimateMemory(config, {train.dims(), train.entries(), 0, 8});
            QVERIFY2(result.memory.hostBytes <= use.hostBytes,
                     qPrintable(QStringLiteral("%1 used, %2 told").arg(result.memory.hostBytes).arg(use.hostBytes)));
            QVERIFY(use.hostBytes < 8 * result.memory.hostBytes);
        }
    }
};

QTEST_GUILESS_MAIN(NtfGroupTest)
#include "tst_ntf_group.moc"
