// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/components.h"
#include "kernels/operations/matrix_overview.h"
#include "kernels/operations/model_norm.h"
#include "support/random_tensor.h"
#include "support/tolerance.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <numeric>

using namespace kernels;

Q_DECLARE_METATYPE(kernels::ModelKind)

namespace {

/// The rows of a column, the strongest first, by sorting all of them.
std::vector<Index> sortedByMagnitude(const Matrix& matrix, std::size_t column)
{
    std::vector<Index> rows(matrix.rows);
    std::iota(rows.begin(), rows.end(), Index{0});
    std::stable_sort(rows.begin(), rows.end(),
                     [&](Index a, Index b) { return std::abs(matrix.at(a, column)) > std::abs(matrix.at(b, column)); });
    return rows;
}

/// The model without one column (cp: one component): its elements are zero.
Model without(Model model, unsigned mode, unsigned column)
{
    for (std::size_t i = 0; i < model.factors[mode].rows; ++i)
        model.factors[mode].set(i, column, 0);
    return model;
}

/// ‖X̂ − Ŷ‖ over all cells, by the definition.
double distance(const Model& x, const Model& y)
{
    double squares = 0;
    test::forEachCell(x.dims, [&](const std::vector<Index>& index) {
        const double difference = test::predictPlainly(x, index) - test::predictPlainly(y, index);
        squares += difference * difference;
    });
    return std::sqrt(squares);
}

double plainCosine(const Matrix& matrix, std::size_t a, std::size_t b)
{
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        ab += matrix.at(i, a) * matrix.at(i, b);
        aa += matrix.at(i, a) * matrix.at(i, a);
        bb += matrix.at(i, b) * matrix.at(i, b);
    }
    return ab / std::sqrt(aa * bb);
}

} // namespace

class TestComponents : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void weightsAreWhatTheModelLosesWithoutTheColumn_data()
    {
        QTest::addColumn<ModelKind>("kind");
        QTest::addColumn<unsigned>("order");
        for (const ModelKind kind : {ModelKind::Cp, ModelKind::Tucker, ModelKind::FastTucker})
            for (const unsigned order : {2U, 3U, 5U})
                QTest::addRow("%s, order %u", toString(kind).data(), order) << kind << order;
    }

    void weightsAreWhatTheModelLosesWithoutTheColumn()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        const Model model = test::randomModel(kind, test::dimsOfOrder(order), 3, 4, 7, true);
        const ComponentFacts facts = componentFacts(model, 3, 16);
        for (unsigned n = 0; n < order; ++n)
            for (unsigned j = 0; j < model.ranks[n]; ++j) {
                const double lost = distance(model, without(model, n, j));
                QVERIFY2(std::abs(facts.columns[n][j].weight - lost) < lost * 1e-9,
                         qPrintable(QString::number(lost))); // fp64, thousands of terms
            }
    }

    void normsCosinesAndCongruenceAgreeWithPlainLoops()
    {
        Model model = test::randomModel(ModelKind::Cp, {9, 6, 11}, 4, 0, 3, false);
        model.weights = {2, -1, 0.5, 3};
        const ComponentFacts facts = componentFacts(model, 5, 8);
        const double tolerance = test::tolerance<double>(64);
        for (unsigned n = 0; n < 3; ++n)
            for (std::size_t a = 0; a < 4; ++a)
                for (std::size_t b = 0; b < 4; ++b)
                    QVERIFY(std::abs(facts.cosines[n].at(a, b) - plainCosine(model.factors[n], a, b)) < tolerance);
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b < 4; ++b) {
                double expected = model.weights[a] * model.weights[b] < 0 ? -1 : 1;
                for (const Matrix& factor : model.factors)
                    expected *= plainCosine(factor, a, b);
                QVERIFY(std::abs(facts.congruence.at(a, b) - expected) < tolerance);
            }
        QVERIFY(componentFacts(test::randomModel(ModelKind::Tucker, {4, 5, 3}, 2, 0, 1, true), 1, 1).congruence.rows == 0);
    }

    void strongestRowsAreThoseOfAFullSort_data()
    {
        QTest::addColumn<int>("rows");
        for (const int rows : {1, 7, 4096, 4097, 20'011})
            QTest::addRow("%d rows", rows) << rows;
    }

    void strongestRowsAreThoseOfAFullSort()
    {
        QFETCH(int, rows);
        const Model model = test::randomModel(ModelKind::Cp, {static_cast<Index>(rows), 3}, 3, 0, 5, false);
        const ComponentFacts facts = componentFacts(model, 10, 100);
        for (std::size_t c = 0; c < 3; ++c) {
            std::vector<Index> expected = sortedByMagnitude(model.factors[0], c);
            expected.resize(std::min<std::size_t>(10, expected.size()));
            QCOMPARE(facts.columns[0][c].strongest, expected);
            QCOMPARE(facts.columns[0][c].extreme, model.factors[0].at(expected[0], c));
        }
    }

    void whatIsZeroIsNotStrong()
    {
        Model model = test::randomModel(ModelKind::Cp, {5000, 3}, 2, 0, 5, false);
        for (std::size_t i = 0; i < 5000; ++i)
            for (std::size_t c = 0; c < 2; ++c)
                model.factors[0].set(i, c, 0);
        model.factors[0].set(4321, 1, -2);
        model.factors[0].set(17, 1, 1);
        const ComponentFacts facts = componentFacts(model, 10, 100);
        QVERIFY(facts.columns[0][0].strongest.empty());
        QCOMPARE(facts.columns[0][0].extreme, 0.0);
        QCOMPARE(facts.columns[0][1].strongest, (std::vector<Index>{4321, 17}));
        QCOMPARE(facts.columns[0][1].extreme, -2.0);
    }

    void bandsHoldTheirSmallestAndLargestRow()
    {
        const Model model = test::randomModel(ModelKind::Cp, {10'007, 3}, 2, 0, 5, false);
        const Matrix& factor = model.factors[0];
        const ComponentFacts facts = componentFacts(model, 1, 64);
        const std::size_t size = rowsPerBand(factor.rows, 64);
        QCOMPARE(facts.columns[0][1].bandLow.size(), (factor.rows + size - 1) / size);
        QVERIFY(facts.columns[0][1].bandLow.size() <= 64);
        for (std::size_t band = 0; band < facts.columns[0][1].bandLow.size(); ++band) {
            std::size_t low = band * size, high = low;
            for (std::size_t i = band * size; i < std::min(factor.rows, (band + 1) * size); ++i) {
                low = factor.at(i, 1) < factor.at(low, 1) ? i : low;
                high = factor.at(i, 1) > factor.at(high, 1) ? i : high;
            }
            QCOMPARE(facts.columns[0][1].bandLow[band], static_cast<Index>(low));
            QCOMPARE(facts.columns[0][1].bandHigh[band], static_cast<Index>(high));
        }
        QCOMPARE(facts.columns[1][0].bandLow.size(), std::size_t{3}); // a row each
    }

    void numbersThatAreNoneArePassedOver()
    {
        Model model = test::randomModel(ModelKind::Cp, {5, 4}, 2, 0, 5, true);
        model.factors[0].set(0, 0, std::numeric_limits<double>::quiet_NaN());
        const ComponentFacts facts = componentFacts(model, 5, 2);
        QCOMPARE(facts.columns[0][0].strongest.size(), std::size_t{4});
        QVERIFY(std::isfinite(facts.columns[0][0].extreme));
        QVERIFY(std::isnan(facts.columns[0][0].norm)); // the model is what it is
    }

    void aColumnOfZerosHasNoDirection()
    {
        Model model = without(test::randomModel(ModelKind::Cp, {5, 4}, 2, 0, 5, true), 0, 1);
        const ComponentFacts facts = componentFacts(model, 2, 2);
        QCOMPARE(facts.columns[0][1].weight, 0.0);
        QCOMPARE(facts.cosines[0].at(0, 1), 0.0);
        QCOMPARE(facts.congruence.at(0, 1), 0.0);
    }

    void rowsByRankDescend()
    {
        const Matrix matrix = test::randomMatrix(1000, 2, 9, false);
        const std::vector<Index> all = rowsByRank(matrix, 1, 5000);
        QCOMPARE(all.size(), std::size_t{1000});
        for (std::size_t r = 1; r < all.size(); ++r)
            QVERIFY(matrix.at(all[r - 1], 1) >= matrix.at(all[r], 1));
        const std::vector<Index> few = rowsByRank(matrix, 1, 10);
        QCOMPARE(few.size(), std::size_t{10});
        for (std::size_t r = 0; r < few.size(); ++r)
            QCOMPARE(few[r], all[r * 999 / 9]);
    }

    void componentsThatCancelAreFoundWorstFirst()
    {
        Model model = test::randomModel(ModelKind::Cp, {30, 20, 10}, 4, 0, 5, true);
        model.weights = {1, 1, -1, 1};
        for (Matrix& factor : model.factors)
            for (std::size_t i = 0; i < factor.rows; ++i) {
                factor.set(i, 2, factor.at(i, 0)); // minus component 1
                factor.set(i, 3,
                           factor.at(i, 1) * (&factor == &model.factors[0] ? -1 : 1) + (i == 0 ? 0.1 : 0)); // nearly minus component 2
            }
        const auto found = degeneracies(componentFacts(model, 1, 1));
        QCOMPARE(found.size(), std::size_t{2});
        QVERIFY(found[0].first == 0 && found[0].second == 2 && std::abs(found[0].congruence + 1) < 1e-12);
        QVERIFY(found[1].first == 1 && found[1].second == 3 && found[1].congruence < degenerateCongruence);
    }

    void aCancelledScanEnds()
    {
        const Model model = test::randomModel(ModelKind::Cp, {10'000, 3}, 2, 0, 5, false);
        Progress progress;
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(componentFacts(model, 3, 10, &progress), Cancelled);
        QVERIFY_EXCEPTION_THROWN(rowsByRank(model.factors[0], 0, 10, &progress), Cancelled);
    }

    /// Every band has the strongest element of its rows, or of a quarter band around them, whatever the zoom.
    void picturesShowTheStrongestOfEachBand()
    {
        const auto matrix = std::make_shared<Matrix>(test::randomMatrix(70'001, 3, 4, false));
        matrix->set(12'345, 1, -7);
        const MatrixOverview overview(matrix);
        for (const double perBand : {0.1, 1.0, 3.7, 64.0, 700.01, 35'000.5}) {
            const auto bands = static_cast<std::size_t>(std::min(400.0, 70'001 / perBand));
            std::vector<float> out(bands * 3);
            const double first = perBand < 5 ? 12'340 : 0;
            overview.strongest(first, perBand, bands, out.data());
            for (std::size_t band = 0; band < bands; ++band) {
                const double from = first + static_cast<double>(band) * perBand, to = from + perBand;
                const double slack = perBand < 64 ? 1 : perBand / 4;
                double within = 0, around = 0;
                for (std::size_t i = static_cast<std::size_t>(std::max(0.0, from - slack)); i < std::min(70'001.0, to + slack + 1); ++i) {
                    const double magnitude = std::abs(matrix->at(i, 1));
                    around = std::max(around, magnitude);
                    if (static_cast<double>(i) >= from && static_cast<double>(i) + 1 <= to)
                        within = std::max(within, magnitude);
                }
                const double shown = std::abs(out[band * 3 + 1]);
                QVERIFY(shown >= within && shown <= around);
            }
            QVERIFY(*std::min_element(out.begin(), out.end()) == -7.0F); // the sign, too, and nothing is lost by thinning
        }
        QCOMPARE(overview.strongestRow(12'000, 13'000, 1), std::size_t{12'345});
    }
};

QTEST_GUILESS_MAIN(TestComponents)
#include "tst_components.moc"
