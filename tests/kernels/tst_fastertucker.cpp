// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "support/device_rows.h"
#include "support/known_tensors.h"
#include "support/oracle.h"
#include "support/random_tensor.h"
#include "support/tolerance.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace kernels;
using namespace kernels::fasttucker_plus;
namespace oracle = test::oracle;

namespace {

/// Entries none of which share a row in any mode: whoever works on them at the same time, every update is exact.
SparseTensor lonelyTensor(unsigned order, Count entries, double scale, bool doubles)
{
    SparseTensor tensor = test::skewedTensor(std::vector<Index>(order, Index(entries)), entries, 0, 3, doubles);
    constexpr Count strides[] = {1, 7, 11, 13, 17}; // of modes at most
    for (unsigned n = 0; n < order; ++n)
        for (Count e = 0; e < entries; ++e)
            tensor.indices[n][e] = Index((e * strides[n] + n) % entries);
    for (Count e = 0; e < entries; ++e)
        tensor.setValue(e, scale * tensor.value(e));
    return tensor;
}

struct Shape {
    const char* name;
    unsigned order, rank, coreRank;
};
constexpr Shape shapes[] = {{"J = R = 16", 3, 16, 16},    {"J = 5, R = 12", 3, 5, 12},     {"J = 17, R = 30", 3, 17, 30},
                            {"J = 9, R = 16", 3, 9, 16},  {"J = R = 8", 3, 8, 8},          {"J = R = 64", 3, 64, 64},
                            {"J = R = 128", 3, 128, 128}, {"J = 100, R = 66", 3, 100, 66}, {"order 2", 2, 16, 16},
                            {"order 5", 5, 7, 6},         {"order 4 of 32", 4, 32, 32}};

/// The start is of the values' size, all of it in the first mode's rows.
struct Problems {
    static constexpr Count entries = 149; ///< of no block, chunk or tile a whole number
    test::DeviceRow row;
    Shape shape;
    double scale;
    SparseTensor train = lonelyTensor(shape.order, entries, scale, row.doubles());
    Model start = test::evenModel(train.dims(), std::vector<unsigned>(shape.order, shape.rank), shape.coreRank, 12, row.doubles());
    RunControl control;

    Problems(test::DeviceRow r, const Shape& s, double size)
        : row(std::move(r))
        , shape(s)
        , scale(size)
    {
        Matrix& first = start.factors[0];
        for (std::size_t i = 0; i < first.rows; ++i)
            for (std::size_t j = 0; j < first.columns; ++j)
                first.set(i, j, scale * first.at(i, j));
    }

    std::unique_ptr<PlusBackEnd> load(bool deterministic, bool damped = false)
    {
        std::unique_ptr<BackEnd> made = makeBackEnd(row.algorithm, row.precision, row.device);
        std::unique_ptr<PlusBackEnd> backEnd(dynamic_cast<PlusBackEnd*>(made.get()));
        if (backEnd)
            made.release();
        Problem problem{train, &train, start, 21, deterministic, 16, false, 0, 1};
        problem.variant = row.variant;
        problem.damped = damped;
        backEnd->load(problem, control);
        return backEnd;
    }

    /// A step that moves every row by about a tenth of its length: |d|² is 1 for the first mode's rows and scale² for the others. Where
    /// slopes differ much, as they do in products of many modes, less: the steepest entry would go far past its value, mode after mode.
    oracle::FactorStep step() const
    {
        oracle::FactorStep step;
        const Model doubles = oracle::inDoubles(start);
        std::vector<double> mean(shape.order, 0.0), most(shape.order, 0.0);
        for (Count e = 0; e < entries; ++e) {
            const oracle::Projections of = oracle::projections(doubles, train, e);
            for (unsigned n = 0; n < shape.order; ++n) {
                double square = 0;
                for (const double d : of.d[n])
                    square += d * d;
                mean[n] += square / double(entries);
                most[n] = std::max(most[n], square);
            }
        }
        for (unsigned n = 0; n < shape.order; ++n)
            step.rates.push_back(std::min(0.1 / mean[n], 0.5 / most[n]));
        return step;
    }

    /// Masters are rounded as rows and sums are, products of J × R, sums over R and over modes. What was added to them may be off
    /// by its operands' rounding, and from order 4 on by that of rows that were renewed before: of A, B and C of every other mode, of B and
    /// w, in d and once more in e; an element by twice that.
    double tolerance(double moved) const
    {
        const bool doubles = row.precision == Precision::Fp64;
        const double sums = test::tolerance(doubles ? Precision::Fp64 : Precision::Fp32,
                                            8.0 * (shape.rank + shape.coreRank + shape.order) * std::max(1U, shape.order - 2));
        if (doubles || row.precision == Precision::Fp32)
            return sums;
        const double roundings = 2 * (3 * (shape.order - 1) + 2);
        return sums + 2 * roundings * test::operandRoundOff(row.precision) * moved;
    }
};

bool isRelative(const test::DeviceRow& device)
{
    return device.device.kind == DeviceKind::Cpu && algorithm(device.algorithm).family == "FastTucker";
}

/// relatives: the CPU's loops of the other algorithms of the family, too.
void addRows(const std::vector<double>& scales, bool relatives = false)
{
    QTest::addColumn<test::DeviceRow>("device");
    QTest::addColumn<int>("shape");
    QTest::addColumn<double>("scale");
    for (const auto& device : test::deviceRows())
        for (int s = 0; s < int(std::size(shapes)); ++s)
            for (const double scale : scales)
                if (device.algorithm == "fastertucker" ? scale == 1 || shapes[s].rank == shapes[s].coreRank
                                                       : relatives && scale == 1 && isRelative(device))
                    QTest::addRow("%s, %s, values times %g", device.name().c_str(), shapes[s].name, scale) << device << s << scale;
}

void compare(const Problems& p, const Model& actual, const Model& expected)
{
    const double off = oracle::distance(actual, expected), moved = oracle::distance(p.start, expected);
    QVERIFY2(off <= p.tolerance(moved),
             qPrintable(QStringLiteral("off by %1, allowed %2, moved %3").arg(off).arg(p.tolerance(moved)).arg(moved)));
    QVERIFY2(moved > 1e-3, qPrintable(QStringLiteral("moved by no more than %1").arg(moved)));
}

/// One pass from the start against the oracle; false where they differ.
bool factorPassAgrees(Problems& p, const oracle::FactorStep& step, const FactorPass& pass, bool deterministic)
{
    const bool together = p.row.algorithm == "fasttucker-plus";
    Model expected = oracle::inDoubles(p.start);
    std::vector<Count> order(Problems::entries);
    std::iota(order.begin(), order.end(), Count{0});
    for (int mode = together ? -1 : 0; mode < (together ? 0 : int(p.shape.order)); ++mode) {
        oracle::FactorStep ofMode = step;
        ofMode.mode = mode;
        oracle::factorPass(expected, p.train, order, 1, ofMode);
    }
    const auto backEnd = p.load(deterministic, !step.damping.empty());
    backEnd->factorPass(pass, p.control);
    compare(p, backEnd->model(Snapshot::Latest), expected);
    return !QTest::currentTestFailed();
}

} // namespace

class FasterTuckerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Normal mode too is exact where no two entries share a row: plain steps, and damped, scaled and clipped ones.
    void factorPassOfLonelyRowsIsExact_data() { addRows({1e-6, 1, 1e6}, true); }
    void factorPassOfLonelyRowsIsExact()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        QFETCH(double, scale);
        Problems p(device, shapes[shape], scale);
        oracle::FactorStep step = p.step();
        FactorPass pass;
        pass.rates = step.rates;
        for (const bool deterministic : {false, true})
            if (!factorPassAgrees(p, step, pass, deterministic))
                return;
        if (!isRelative(device))
            return;
        for (unsigned n = 0; n < p.shape.order; ++n) {
            step.damping.push_back(0.4 * p.shape.order * step.rates[n]);
            step.rowScales.push_back(std::vector<float>(p.train.dims()[n], n % 2 ? 1.0f : 0.25f));
        }
        step.lambda = 0.1;
        pass.damping = step.damping;
        pass.rowScales = &step.rowScales;
        pass.lambda = step.lambda;
        for (const bool nonnegative : {false, true}) {
            step.nonnegative = pass.nonnegative = nonnegative;
            if (!factorPassAgrees(p, step, pass, false))
                return;
        }
    }

    /// By hand: order 3, 10 entries, J = 2, R = 3; an entry's w is 3 multiplications, a product of J × R 12 operations.
    void operationsAreCounted_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<double>("ofFactorPass");
        QTest::newRow("coo") << "coo" << 3 * 10 * (3 + 6 + 6 + 18 / 16.0) + (5 + 4 + 3) * 24.0; // tiles of 16 by R × R
        QTest::newRow("bcsf-reuse") << "bcsf-reuse" << 3 * 10 * (3 + 12 + 10.0);
        QTest::newRow("full") << "full" << (4 + 5 + 6) * (3 + 12.0) + 3 * 10 * 10.0;
    }
    void operationsAreCounted()
    {
        QFETCH(QString, variant);
        QFETCH(double, ofFactorPass);
        RunConfig config;
        config.algorithm = "fastertucker";
        config.variant = variant.toStdString();
        config.format = algorithm("fastertucker").formatFor(config.variant);
        config.devices = {DeviceId{}};
        config.ranks = {2};
        config.coreRank = 3;
        const RunConfig resolved = resolve(config, {5, 4, 3});
        const AlgorithmInfo& info = algorithm("fastertucker");
        const double ofCorePass = 3 * 10 * (3 + 6 + 6) + (5 + 4 + 3) * 36;
        ProblemShape shape{{5, 4, 3}, 10};
        if (variant != "coo")
            shape.fibreCounts = {4, 5, 6};
        QCOMPARE(info.flopsPerIteration(resolved, shape), ofFactorPass + ofCorePass);
        // Before a run there may be as many fibres as entries.
        shape.fibreCounts.clear();
        QVERIFY(info.flopsPerIteration(resolved, shape) >= ofFactorPass + ofCorePass);
    }

    void corePassKeepsItsPrecision_data() { addRows({1e-6, 1, 1e6}); }
    void corePassKeepsItsPrecision()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        QFETCH(double, scale);
        Problems p(device, shapes[shape], scale);
        const auto backEnd = p.load(false);
        const double rate = 0.2 / (shapes[shape].coreRank * scale * scale);
        Model expected = oracle::inDoubles(p.start);
        for (unsigned n = 0; n < p.shape.order; ++n)
            oracle::corePass(expected, p.train, rate, 0, false, int(n));
        backEnd->corePass(CorePass{0, rate, 0, false}, p.control);
        compare(p, backEnd->model(Snapshot::Latest), expected);
    }

    /// In the loops for every shape; rows have entries of several tiles, and fibres several leaves.
    void touchingRowsChangesNothing_data() { addRows({1}); }
    void touchingRowsChangesNothing()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        Problems p(device, shapes[shape], 1);
        p.train = test::skewedTensor(p.train.dims(), 20 * Problems::entries, 0.3, 5, device.doubles());
        for (const bool deterministic : {false, true}) {
            const auto backEnd = p.load(deterministic);
            const Model before = backEnd->model(Snapshot::Latest);
            QVERIFY(backEnd->touchRows(0, p.control));
            QCOMPARE(oracle::distance(backEnd->model(Snapshot::Latest), before), 0.0);
        }
    }
};

QTEST_GUILESS_MAIN(FasterTuckerTest)
#include "tst_fastertucker.moc"
