// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/operations/evaluate.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using namespace kernels::fasttucker_plus;

Q_DECLARE_METATYPE(std::vector<unsigned>)

/// Errors by rows that are projected once, and by every entry's own, beside the model's in fp64.
class PlusEvaluationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsAreProjectedWhereTheyAreFew()
    {
        const std::vector<Index> dims{100, 50, 10};
        const std::vector<unsigned> narrow{16, 16, 16}, wide{128, 128, 128};
        QCOMPARE(projectedElements(dims, narrow, 16, 4, 640), std::uint64_t{160 * 16});
        QCOMPARE(projectedElements(dims, narrow, 16, 4, 639), std::uint64_t{0}); // hardly more entries than rows
        QCOMPARE(projectedElements(dims, wide, 128, 4, 640), std::uint64_t{160 * 128}); // no more than the factors
        QCOMPARE(projectedElements(dims, narrow, 128, 4, 640), std::uint64_t{0}); // more than both
        QCOMPARE(projectedElements(dims, narrow, 128, 4, 160 * 128 / 4), std::uint64_t{160 * 128}); // as much as the entries
    }

    void errorsAreTheModels_data()
    {
        QTest::addColumn<std::vector<unsigned>>("ranks");
        QTest::addColumn<unsigned>("coreRank");
        QTest::addColumn<int>("entriesPerRow");
        const auto add = [](const char* name, const std::vector<unsigned>& ranks, unsigned coreRank) {
            for (const int perRow : {0, 40})
                QTest::addRow("%s, %d entries a row", name, perRow) << ranks << coreRank << perRow;
        };
        for (const unsigned size : {16U, 32U, 64U, 128U})
            add(qPrintable(QStringLiteral("specialised %1").arg(size)), {size, size, size}, size);
        add("one column", {1, 1, 1}, 1);
        add("uneven", {20, 7, 40}, 33);
        add("order 2", {5, 9}, 17);
        add("order 5 of 16", {16, 16, 16, 16, 16}, 16);
        add("order 10", {3, 1, 2, 4, 5, 3, 2, 1, 4, 2}, 6);
    }
    void errorsAreTheModels()
    {
        QFETCH(std::vector<unsigned>, ranks);
        QFETCH(unsigned, coreRank);
        QFETCH(int, entriesPerRow);
        const auto order = static_cast<unsigned>(ranks.size());
        const std::vector<Index> dims = test::dimsOfOrder(order);
        Count rows = 0;
        for (const Index size : dims)
            rows += size;
        const Count entries = entriesPerRow ? rows * static_cast<Count>(entriesPerRow) + 5 : rows * 2;
        for (const Renewal renewal : {Renewal::AllModes, Renewal::ModeByMode})
            for (const Precision precision : {Precision::Fp32, Precision::Fp64}) {
                const bool doubles = precision == Precision::Fp64;
                const SparseTensor train = test::randomTensor(dims, entries, 3, doubles), held = test::randomTensor(dims, 3, 4, doubles);
                const Model start = modelOf(dims, ranks, coreRank, 1, doubles), other = modelOf(dims, ranks, coreRank, 2, doubles);
                const auto backEnd = makeCpuBackEnd(precision, renewal);
                RunControl control;
                backEnd->load(Problem{train, &held, start, 11, true, 37}, control);
                const auto agree = [&](const char* after) {
                    for (const bool heldOut : {true, false}) {
                        const SparseTensor& tensor = heldOut ? held : train;
                        const ErrorSums found = backEnd->evaluate(heldOut, control);
                        const ErrorSums expected = evaluateModel(backEnd->model(Snapshot::Latest), tensor);
                        const double tolerance = doubles ? 1e-12 : 2e-5; // some hundred roundings an entry
                        if (found.count != tensor.entries() || !(std::abs(found.rmse() / expected.rmse() - 1) < tolerance)
                            || !(std::abs(found.mae() / expected.mae() - 1) < tolerance))
                            return QStringLiteral("after %1: %2, expected %3")
                                .arg(QString::fromUtf8(after))
                                .arg(found.rmse(), 0, 'g', 12)
                                .arg(expected.rmse(), 0, 'g', 12);
                    }
                    return QString();
                };
                FactorPass factors;
                factors.rates.assign(order, 1e-3);
                const std::pair<const char*, std::function<void()>> steps[] = {
                    {"load", [] {}},
                    {"a factor pass", [&] { backEnd->factorPass(factors, control); }},
                    {"a core pass",
                     [&] {
                         backEnd->corePass(CorePass{0, 1e-2, 0, false}, control);
                     }},
                    {"other factors", [&] { backEnd->replaceLatest(other, control); }}};
                for (const auto& [name, step] : steps) {
                    step();
                    const QString problem = agree(name);
                    QVERIFY2(problem.isEmpty(), qPrintable(problem));
                }
            }
    }

private:
    /// x̂ of size 1 or so.
    static Model modelOf(const std::vector<Index>& dims, const std::vector<unsigned>& ranks, unsigned coreRank, std::uint64_t seed,
                         bool doubles)
    {
        Model model;
        model.kind = ModelKind::FastTucker;
        model.dims = dims;
        model.ranks = ranks;
        model.coreRank = coreRank;
        const double perMode = std::pow(1 / std::sqrt(double(coreRank)), 1.0 / double(dims.size()));
        for (unsigned n = 0; n < dims.size(); ++n) {
            model.factors.push_back(test::randomMatrix(dims[n], ranks[n], 100 * seed + n, doubles));
            model.coreFactors.push_back(test::randomMatrix(ranks[n], coreRank, 100 * seed + 50 + n, doubles));
            for (unsigned j = 0; j < ranks[n]; ++j)
                for (unsigned r = 0; r < coreRank; ++r)
                    model.coreFactors[n].set(j, r, model.coreFactors[n].at(j, r) * perMode * 3 / std::sqrt(double(ranks[n])));
        }
        return model;
    }
};

QTEST_GUILESS_MAIN(PlusEvaluationTest)
#include "tst_plus_evaluation.moc"
