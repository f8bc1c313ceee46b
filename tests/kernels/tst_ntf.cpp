// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/algorithms/tucker_als/back_end.h"
#include "support/ntf_cases.h"

#include <QtTest>

using namespace kernels;
using namespace test::ntf;

class NtfTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSweepIsTheFormulas_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        QTest::addColumn<unsigned>("rank");
        QTest::addColumn<Precision>("precision");
        const std::vector<Index> odd{7, 5, 9, 3, 4, 6, 3, 5, 2, 3};
        for (const Precision precision : {Precision::Fp64, Precision::Fp32}) {
            const char* const type = precision == Precision::Fp64 ? "fp64" : "fp32";
            for (unsigned order = 2; order <= 10; ++order)
                QTest::addRow("order %u, %s", order, type)
                    << std::vector<Index>(odd.begin(), odd.begin() + order) << Count{61} << (order % 2 ? 3U : 5U) << precision;
            QTest::addRow("rank 1, %s", type) << std::vector<Index>{8, 7, 6} << Count{100} << 1U << precision;
            QTest::addRow("rank 17, %s", type) << std::vector<Index>{8, 7, 6} << Count{100} << 17U << precision;
            QTest::addRow("rank 70, %s", type) << std::vector<Index>{8, 7, 6, 5} << Count{100} << 70U << precision;
            QTest::addRow("rank 1024, %s", type) << std::vector<Index>{4, 5, 3} << Count{33} << 1024U << precision;
            QTest::addRow("one entry, %s", type) << std::vector<Index>{3, 2, 4} << Count{1} << 4U << precision;
            QTest::addRow("rows of many stretches, %s", type) << std::vector<Index>{3, 40, 30} << Count{3000} << 6U << precision;
            QTest::addRow("mostly empty rows, %s", type) << std::vector<Index>{500, 400, 300} << Count{40} << 6U << precision;
        }
    }
    /// What rounding leaves apart: sums of some hundred products a number in T, three modes one after another.
    void aSweepIsTheFormulas()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        QFETCH(unsigned, rank);
        QFETCH(Precision, precision);
        const double tolerance = precision == Precision::Fp64 ? 1e-12 : 2e-5;
        for (const Case& c : allCases()) {
            const SparseTensor tensor = positiveTensor(dims, entries, dims.size(), c.divergence != Divergence::ItakuraSaito);
            Prepared run(configOf(c, rank, precision), tensor);
            Factors expected = factorsOf(run.solver->model(Snapshot::Latest));
            run.solver->iterate(0, run.control);
            for (unsigned n = 0; n < dims.size(); ++n)
                renewMode(expected, tensor, n, c.divergence, c.penalty, c.paper, c.times);
            const double apart = farthest(factorsOf(run.solver->model(Snapshot::Latest)), expected);
            QVERIFY2(apart <= tolerance, qPrintable(QStringLiteral("%1: %2 apart").arg(nameOf(c)).arg(apart)));
        }
    }

    /// A row so long that pieces of it are added up.
    void aGiantRowIsTheFormulas_data()
    {
        QTest::addColumn<Precision>("precision");
        QTest::newRow("fp64") << Precision::Fp64;
        QTest::newRow("fp32") << Precision::Fp32;
    }
    void aGiantRowIsTheFormulas()
    {
        QFETCH(Precision, precision);
        constexpr unsigned rank = 640;
        constexpr Count entries = 20000;
        const std::vector<Index> dims{2, 40, 30};
        Array<Count> begins;
        begins.assign({0, entries, entries});
        QVERIFY(!tucker_als::splitRows(begins, 2 * kernels::ntf::flopsOfEntry(3, rank), 0).giants.empty());
        const SparseTensor tensor = positiveTensor(dims, entries, 3); // the last slice of every mode is empty: all are in one row
        const Case c{Divergence::ItakuraSaito, {0.01, true}, false, 2};
        Prepared run(configOf(c, rank, precision), tensor);
        Factors expected = factorsOf(run.solver->model(Snapshot::Latest));
        run.solver->iterate(0, run.control);
        for (unsigned n = 0; n < 3; ++n)
            renewMode(expected, tensor, n, c.divergence, c.penalty, c.paper, c.times);
        const double apart = farthest(factorsOf(run.solver->model(Snapshot::Latest)), expected);
        QVERIFY2(apart <= (precision == Precision::Fp64 ? 1e-12 : 2e-5), qPrintable(QString::number(apart)));
    }

    void rowsWithoutEntriesStay()
    {
        const std::vector<Index> dims{9, 8, 7};
        const SparseTensor tensor = positiveTensor(dims, 200, 5);
        for (const Case& c : allCases()) {
            Prepared run(configOf(c, 6, Precision::Fp32), tensor);
            const Model before = run.solver->model(Snapshot::Latest);
            run.solver->iterate(0, run.control);
            const Model after = run.solver->model(Snapshot::Latest);
            for (unsigned n = 0; n < 3; ++n)
                for (unsigned r = 0; r < 6; ++r) {
                    QCOMPARE(after.factors[n].at(dims[n] - 1, r), before.factors[n].at(dims[n] - 1, r));
                    QVERIFY(after.factors[n].at(0, r) != before.factors[n].at(0, r));
                }
        }
    }

    /// What the history says of a model is what anyone finds who takes the exported factors and the entries.
    void theHistoryIsWhatTheFactorsSay()
    {
        const SparseTensor train = positiveTensor({12, 11, 10}, 500, 6), held = positiveTensor({12, 11, 10}, 60, 7);
        for (const Case& c : allCases()) {
            RunConfig config = configOf(c, 4, Precision::Fp32);
            config.stopping.iterations = 3;
            const RunResult result = test::runOn(config, train, &held);
            const IterationRecord& best = result.history[result.bestIteration - 1];
            const Factors factors = factorsOf(result.best);
            double divergence = 0, squared = 0, heldSquared = 0;
            for (Count e = 0; e < train.entries(); ++e) {
                const double x = train.value(e), predicted = prediction(factors, train, e);
                divergence += test::ntf::divergenceOf(c.divergence, x, predicted) / double(train.entries());
                squared += (x - predicted) * (x - predicted);
            }
            for (Count e = 0; e < held.entries(); ++e)
                heldSquared += std::pow(held.value(e) - prediction(factors, held, e), 2);
            const auto near = [](double found, double expected) { return std::abs(found - expected) <= 1e-9 * (1 + std::abs(expected)); };
            QVERIFY2(near(best.divergence, divergence), qPrintable(nameOf(c)));
            QVERIFY2(near(best.objective, divergence * double(train.entries()) + penaltyOf(factors, train, c.divergence, c.penalty)),
                     qPrintable(nameOf(c)));
            QVERIFY(near(best.trainRmse, std::sqrt(squared / double(train.entries()))));
            QVERIFY(near(best.testRmse, std::sqrt(heldSquared / double(held.entries()))));
        }
    }

    void numbersAreNeverNegative()
    {
        const SparseTensor tensor = positiveTensor({12, 11, 10}, 300, 8, true);
        for (const Divergence divergence : {Divergence::Euclidean, Divergence::KullbackLeibler}) {
            const RunResult result = test::runOn(test::ntf::configOf(divergence, 9, 300, Precision::Fp32), tensor);
            for (const Matrix& factor : result.best.factors)
                for (std::size_t i = 0; i < factor.rows; ++i)
                    for (std::size_t r = 0; r < factor.columns; ++r)
                        QVERIFY(factor.at(i, r) >= 0);
        }
    }
};

QTEST_GUILESS_MAIN(NtfTest)
#include "tst_ntf.moc"
