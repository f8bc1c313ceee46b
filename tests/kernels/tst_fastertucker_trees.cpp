// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "support/device_rows.h"
#include "support/oracle.h"
#include "support/tree_problems.h"

#include <QtTest>

#include <map>

using namespace kernels;
using namespace kernels::fasttucker_plus;
namespace oracle = test::oracle;

namespace {

/// The CPU's rows of the variants that walk trees. One thread walks them leaf after leaf, so its passes are those of the oracle but
/// for rounding, whatever the leaves share.
void addRows(bool withShapes = true)
{
    QTest::addColumn<test::DeviceRow>("device");
    QTest::addColumn<int>("shape");
    const auto shapes = test::treeShapes();
    for (const auto& device : test::deviceRows())
        if (device.algorithm == "fastertucker" && device.format == "bcsf" && device.device.kind == DeviceKind::Cpu)
            for (std::size_t s = 0; s < (withShapes ? shapes.size() : 1); ++s)
                QTest::addRow("%s, %s", device.name().c_str(), withShapes ? shapes[s].name : "any") << device << int(s);
}

/// The CPU's rows of all variants.
void addVariants()
{
    QTest::addColumn<test::DeviceRow>("device");
    for (const auto& device : test::deviceRows())
        if (device.algorithm == "fastertucker" && device.device.kind == DeviceKind::Cpu)
            QTest::addRow("%s", device.name().c_str()) << device;
}

/// Leaves of the row of any mode that has most.
Count mostLeavesOfARow(const SparseTensor& tensor)
{
    Count most = 0;
    for (const Array<Index>& rows : tensor.indices) {
        std::map<Index, Count> counts;
        for (const Index row : rows)
            most = std::max(most, ++counts[row]);
    }
    return most;
}

/// Each of a row's steps rounds it twice, by half a unit at most; they take errors away, so that roundings add up and do not grow.
/// What is added is off by the sums over R and J and the product over modes.
double factorTolerance(const test::TreeProblem& p, Precision precision)
{
    const double terms = *std::max_element(p.shape.ranks.begin(), p.shape.ranks.end()) + p.shape.coreRank + double(p.shape.dims.size());
    return test::tolerance(precision, terms + double(mostLeavesOfARow(p.train)));
}

/// A core is rounded when its step is taken. What moved it is a sum over entries, in T as far as a row's go, of what is off by the
/// sums and the product as above.
double coreTolerance(const test::TreeProblem& p, Precision precision, double moved)
{
    return test::tolerance(precision, 0) + moved * factorTolerance(p, precision);
}

} // namespace

#define POLYAD_COMPARE_MODELS(actual, expected, tolerance)                                                                                 \
    do {                                                                                                                                   \
        const double off = oracle::distance(actual, expected);                                                                             \
        const double allowed = tolerance;                                                                                                  \
        QVERIFY2(off <= allowed, qPrintable(QStringLiteral("off by %1, allowed %2").arg(off).arg(allowed)));                               \
    } while (false)

/// FasterTucker's variants full and bcsf-reuse on their own kernels: normal mode, of one thread.
class FasterTuckerTreesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void factorPassIsTheOraclesInTreeOrder_data() { addRows(); }
    void factorPassIsTheOraclesInTreeOrder()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        const test::TreeProblem p(test::treeShapes().at(std::size_t(shape)), device.doubles());
        for (const bool nonnegative : {false, true}) {
            oracle::FactorStep step = p.step(1);
            step.nonnegative = nonnegative;
            step.rowScales = p.rowScales();
            const auto backEnd = p.load(device, {});
            RunControl control;
            backEnd->factorPass(test::passOf(step), control);
            const Model actual = backEnd->model(Snapshot::Latest), expected = p.afterFactorPass(step);
            const double tolerance = factorTolerance(p, device.precision);
            POLYAD_COMPARE_MODELS(actual, expected, tolerance);
        }
    }

    void dampedStepsAreTheOracles_data() { addRows(); }
    void dampedStepsAreTheOracles()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        const test::TreeProblem p(test::treeShapes().at(std::size_t(shape)), device.doubles());
        oracle::FactorStep step = p.step(1);
        step.damping = p.damping();
        const auto backEnd = p.load(device, {});
        RunControl control;
        backEnd->factorPass(test::passOf(step), control);
        const Model expected = p.afterFactorPass(step);
        POLYAD_COMPARE_MODELS(backEnd->model(Snapshot::Latest), expected, factorTolerance(p, device.precision));
        step.damping.clear();
        QVERIFY(oracle::distance(p.afterFactorPass(step), expected) > 10 * factorTolerance(p, Precision::Fp32));
    }

    /// What a leaf changes is rounded as a whole: a row times 1 − γλ, rounded alike each time, would be off by ten times as much after
    /// 3,000 leaves.
    void hotRowsDoNotDrift_data() { addRows(false); }
    void hotRowsDoNotDrift()
    {
        QFETCH(test::DeviceRow, device);
        for (const unsigned rank : {16U, 20U, 32U}) {
            const test::TreeProblem p({"hot rows", {3, 60, 40}, {rank, rank, rank}, rank, 6000, 0}, device.doubles());
            const oracle::FactorStep step = p.step(0.3);
            const auto backEnd = p.load(device, {});
            RunControl control;
            backEnd->factorPass(test::passOf(step), control);
            const Model expected = p.afterFactorPass(step);
            POLYAD_COMPARE_MODELS(backEnd->model(Snapshot::Latest), expected, 5 * test::tolerance(device.precision, 0));
            QVERIFY(oracle::distance(p.start, expected) > 1e-2);
        }
    }

    /// Whoever walks the leaves the other way round, or has all of them see the old rows, comes to what even fp32 tells apart.
    void orderOfLeavesIsSeen()
    {
        for (const test::TreeShape& shape : test::treeShapes()) {
            if (shape.entries == 1)
                continue;
            const test::TreeProblem p(shape, true);
            oracle::FactorStep step = p.step(1);
            step.rowScales = p.rowScales();
            const Model expected = p.afterFactorPass(step);
            const double tolerance = factorTolerance(p, Precision::Fp32);
            for (const test::Walk walk : {test::Walk::Backwards, test::Walk::Together}) {
                const double apart = oracle::distance(p.afterFactorPass(step, walk), expected);
                QVERIFY2(apart > 20 * tolerance,
                         qPrintable(QStringLiteral("%1: %2, allowed %3").arg(shape.name).arg(apart).arg(tolerance)));
            }
        }
    }

    void corePassIsTheOracles_data() { addRows(); }
    void corePassIsTheOracles()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        const test::TreeProblem p(test::treeShapes().at(std::size_t(shape)), device.doubles());
        const double rate = p.coreRate(0.02);
        for (const bool nonnegative : {false, true}) {
            const auto backEnd = p.load(device, {});
            RunControl control;
            backEnd->corePass(CorePass{0, rate, 0.02, nonnegative}, control);
            const Model expected = p.afterCorePass(oracle::inDoubles(p.start), rate, 0.02, nonnegative);
            const double moved = oracle::distance(p.start, expected);
            POLYAD_COMPARE_MODELS(backEnd->model(Snapshot::Latest), expected, coreTolerance(p, device.precision, moved));
            QVERIFY(moved > 1e-2);
        }
    }

    /// Rows that the factor pass left are those the core pass projects, and the other way round.
    void passesSeeWhatTheOthersLeft_data() { addRows(); }
    void passesSeeWhatTheOthersLeft()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        const test::TreeProblem p(test::treeShapes().at(std::size_t(shape)), device.doubles());
        const oracle::FactorStep step = p.step(0.1);
        const double rate = p.coreRate(0.02);
        const auto backEnd = p.load(device, {});
        RunControl control;
        Model expected = oracle::inDoubles(p.start);
        for (unsigned t = 0; t < 2; ++t) {
            backEnd->factorPass(test::passOf(step), control);
            backEnd->corePass(CorePass{t, rate, 0.02, false}, control);
            p.factorPass(expected, step);
            expected = p.afterCorePass(std::move(expected), rate, 0.02, false);
        }
        // Two factor passes; what the cores' are off by is little beside it.
        POLYAD_COMPARE_MODELS(backEnd->model(Snapshot::Latest), expected, 2 * factorTolerance(p, device.precision));
    }

    /// Pieces of a fibre have its w and d, and leaves stay in their order: one thread comes to the same bits.
    void splitsChangeNoBit_data() { addRows(); }
    void splitsChangeNoBit()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        const test::TreeProblem p(test::treeShapes().at(std::size_t(shape)), device.doubles());
        const oracle::FactorStep step = p.step(1);
        std::vector<Model> results;
        for (const std::uint32_t leaves : {128u, 1u, 2u, 3u, 1u << 16}) {
            const auto backEnd = p.load(device, formats::limitedTo(leaves));
            RunControl control;
            backEnd->factorPass(test::passOf(step), control);
            backEnd->corePass(CorePass{0, p.coreRate(0.02), 0.02, false}, control);
            results.push_back(backEnd->model(Snapshot::Latest));
            QVERIFY(oracle::distance(results.back(), p.start) > 1e-2);
            QCOMPARE(oracle::distance(results.back(), results.front()), 0.0);
        }
    }

    /// The parameter reaches the trees: pieces of one leaf each take more memory, and the model stays the same.
    void parameterSetsWhereFibresAreCut_data() { addRows(false); }
    void parameterSetsWhereFibresAreCut()
    {
        QFETCH(test::DeviceRow, device);
        const test::TreeProblem p(test::treeShapes().front(), device.doubles());
        RunObserver observer;
        std::vector<RunResult> results;
        std::vector<std::uint64_t> estimates;
        for (const int split : {1, 3, 128, 1 << 16}) {
            RunConfig config = device.config();
            config.ranks = {4};
            config.threads = 1;
            config.stopping.iterations = 2;
            config.stopping.tolerance = 0;
            config.parameters["split"] = std::int64_t{split};
            config = resolve(config, p.train.dims());
            estimates.push_back(algorithm("fastertucker").estimateMemory(config, {p.train.dims(), p.train.entries()}).hostBytes);
            RunControl control;
            results.push_back(run(config, p.train, nullptr, observer, control));
            QCOMPARE(oracle::distance(results.back().best, results.front().best), 0.0);
        }
        QVERIFY(results[0].memory.hostBytes > results[1].memory.hostBytes);
        QVERIFY(results[1].memory.hostBytes > results[2].memory.hostBytes);
        QVERIFY(results[2].memory.hostBytes > results[3].memory.hostBytes);
        QVERIFY(estimates[0] > estimates[1] && estimates[1] > estimates[2] && estimates[2] >= estimates[3]);
    }

    /// A row's leaves are in one thread's part, in the order they have in the tree of all: however many threads, the same bits.
    void threadsChangeNoBit_data() { addVariants(); }
    void threadsChangeNoBit()
    {
        QFETCH(test::DeviceRow, device);
        const SparseTensor train = test::skewedTensor({900, 40, 300}, 40'000, 0.2, 11, device.doubles());
        RunObserver observer;
        std::vector<RunResult> results;
        for (const unsigned threads : {1u, 2u, 2u, 3u, 8u}) {
            RunConfig config = device.config();
            config.ranks = {16};
            config.threads = threads;
            config.stopping.iterations = 3;
            config.stopping.tolerance = 0;
            RunControl control;
            results.push_back(run(resolve(config, train.dims()), train, nullptr, observer, control));
            QCOMPARE(results.back().history.size(), std::size_t{3});
            QCOMPARE(oracle::distance(results.back().best, results.front().best), 0.0);
        }
        if (device.format == "bcsf")
            QVERIFY(results[1].memory.hostBytes > results[0].memory.hostBytes); // of fibres in parts there are more
    }

    /// Passes go stretch by stretch, between which a run can pause: one thread several, three threads one each of a tree's parts.
    void stretchesChangeNoBit_data() { addVariants(); }
    void stretchesChangeNoBit()
    {
        QFETCH(test::DeviceRow, device);
        constexpr Count entries = 1'200'000; // more than two stretches of leaves, and than one of a gradient's lanes
        const test::TreeProblem p({"large", {3000, 900}, {3, 4}, 2, entries, 0.01}, device.doubles());
        oracle::FactorStep step; // p.step() and p.coreRate() take as long as the rest
        step.rates = {1e-4, 1e-4};
        step.lambda = 0.03;
        constexpr double rate = 0.1;
        std::vector<Model> results;
        for (const unsigned threads : {1u, 3u}) {
            const auto backEnd = p.load(device, {}, threads);
            RunControl control;
            backEnd->factorPass(test::passOf(step), control);
            QVERIFY(control.checkpoints() >= 2 * 3); // of two modes
            const Model between = backEnd->model(Snapshot::Latest);
            backEnd->corePass(CorePass{0, rate, 0.02, false}, control);
            results.push_back(backEnd->model(Snapshot::Latest));
            if (threads > 1 || !device.doubles() || device.variant != "coo")
                continue; // the same core pass, which takes the oracle long
            const Model expected = p.afterCorePass(between, rate, 0.02, false);
            const double off = oracle::distance(results.back(), expected);
            const double moved = oracle::distance(between, expected);
            QVERIFY2(moved > 1e-3 && off < 1e-6 * moved, qPrintable(QStringLiteral("off by %1, moved %2").arg(off).arg(moved)));
        }
        QCOMPARE(oracle::distance(results[1], results[0]), 0.0);
    }

    void splitOutOfRangeIsRefused()
    {
        for (const int split : {0, -1, (1 << 16) + 1}) {
            RunConfig config;
            config.algorithm = "fastertucker";
            config.variant = "full";
            config.parameters["split"] = std::int64_t{split};
            QVERIFY_EXCEPTION_THROWN(resolve(config, {5, 5, 5}), Error);
        }
    }
};

QTEST_GUILESS_MAIN(FasterTuckerTreesTest)
#include "tst_fastertucker_trees.moc"
