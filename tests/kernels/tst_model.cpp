// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/models/bulk_predictor.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <array>
#include <cmath>

using namespace kernels;

Q_DECLARE_METATYPE(kernels::ModelKind)

namespace {

void addKindsAndOrders()
{
    QTest::addColumn<ModelKind>("kind");
    QTest::addColumn<unsigned>("order");
    QTest::addColumn<bool>("doubles");
    for (const ModelKind kind : {ModelKind::Cp, ModelKind::Tucker, ModelKind::FastTucker})
        for (unsigned order = 2; order <= 10; ++order)
            QTest::addRow("%s, order %u", toString(kind).data(), order) << kind << order << (order % 2 == 0);
}

Model modelOf(ModelKind kind, unsigned order, bool doubles)
{
    const unsigned rank = kind == ModelKind::Tucker && order > 5 ? 2 : 5;
    return test::randomModel(kind, test::dimsOfOrder(order), rank, 11, 40 + order, doubles);
}

/// fp64 sums of at most 1000 products of numbers below 12: rounding stays below 1000 · 12 · 1e-16 · a few.
constexpr double tolerance = 1e-11;

} // namespace

class TestModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matrixStartsWithZerosAndKeepsItsType()
    {
        for (const bool doubles : {false, true}) {
            Matrix matrix(3, 2, doubles);
            QCOMPARE(matrix.hasDoubles(), doubles);
            QCOMPARE(matrix.at(2, 1), 0.0);
            matrix.set(2, 1, 0.1);
            QCOMPARE(matrix.at(2, 1), doubles ? 0.1 : static_cast<double>(0.1F));
            QCOMPARE(matrix.at(2, 0), 0.0);
        }
    }

    void bytesCountEveryPart()
    {
        Model model = test::randomModel(ModelKind::FastTucker, {5, 7}, 2, 3, 1, false);
        // A: 5×2 + 7×3, B: 2×3 + 3×3, four bytes each.
        QCOMPARE(model.bytes(), std::uint64_t{4 * (10 + 21 + 6 + 9)});
        model = test::randomModel(ModelKind::Tucker, {5, 7}, 2, 0, 1, true);
        QCOMPARE(model.bytes(), std::uint64_t{8 * (10 + 21 + 6)});
        model = test::randomModel(ModelKind::Cp, {5, 7}, 2, 0, 1, true);
        QCOMPARE(model.bytes(), std::uint64_t{8 * (10 + 14 + 2)});
    }

    void predictorAgreesWithPlainLoops_data() { addKindsAndOrders(); }

    void predictorAgreesWithPlainLoops()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        QFETCH(bool, doubles);
        const Model model = modelOf(kind, order, doubles);
        const SparseTensor tensor = test::randomTensor(model.dims, 40, order);
        const Predictor predictor(model);
        for (Count e = 0; e < tensor.entries(); ++e) {
            const std::vector<Index> index = test::indexOf(tensor, e);
            QVERIFY(std::abs(predictor(index) - test::predictPlainly(model, index)) < tolerance);
        }
    }

    void manyAtOnceHaveTheSameBits_data() { addKindsAndOrders(); }

    void manyAtOnceHaveTheSameBits()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        QFETCH(bool, doubles);
        const Model model = modelOf(kind, order, doubles);
        // 1 entry: no projected rows; 200: projected.
        for (const Count entries : {Count{1}, Count{200}}) {
            const SparseTensor tensor = test::randomTensor(model.dims, entries, order);
            const BulkPredictor bulk(model, tensor);
            const Predictor predictor(model);
            std::vector<double> predicted(entries);
            bulk.predict(0, entries, predicted.data());
            for (Count e = 0; e < entries; ++e)
                QVERIFY(predicted[e] == predictor(test::indexOf(tensor, e)));
        }
    }

    void commonRanksHaveTheSameBits()
    {
        for (const unsigned rank : {1U, 7U, 8U, 16U, 32U, 33U}) {
            for (const ModelKind kind : {ModelKind::Cp, ModelKind::FastTucker}) {
                const Model model = test::randomModel(kind, {9, 8, 7}, rank, rank, rank, false);
                const SparseTensor tensor = test::randomTensor(model.dims, 100, 1);
                const BulkPredictor bulk(model, tensor);
                const Predictor predictor(model);
                std::array<double, 60> predicted{};
                bulk.predict(40, 100, predicted.data());
                for (Count e = 40; e < 100; ++e)
                    QVERIFY(predicted[e - 40] == predictor(test::indexOf(tensor, e)));
            }
        }
    }

    void cpFactorsMayDifferInType()
    {
        Model model = test::randomModel(ModelKind::Cp, {9, 8, 7}, 4, 4, 1, false);
        model.factors[1] = test::randomMatrix(8, 4, 5, true);
        const SparseTensor tensor = test::randomTensor(model.dims, 20, 1);
        const BulkPredictor bulk(model, tensor);
        std::array<double, 20> predicted{};
        bulk.predict(0, 20, predicted.data());
        for (Count e = 0; e < 20; ++e)
            QVERIFY(std::abs(predicted[e] - test::predictPlainly(model, test::indexOf(tensor, e))) < tolerance);
    }

    void indicesOutsideAreRefused()
    {
        const Model model = test::randomModel(ModelKind::Cp, {9, 8, 7}, 4, 4, 1, false);
        const Predictor predictor(model);
        QVERIFY_EXCEPTION_THROWN(predictor(std::array<Index, 3>{8, 8, 6}), Error);
        QVERIFY_EXCEPTION_THROWN(predictor(std::array<Index, 2>{8, 7}), Error);
        QVERIFY(std::isfinite(predictor(std::array<Index, 3>{8, 7, 6})));
    }

    void denseCoreGivesTheSamePredictions()
    {
        for (unsigned order = 2; order <= 6; ++order) {
            const Model model = test::randomModel(ModelKind::FastTucker, test::dimsOfOrder(order), 3, 5, order, order % 2 == 0);
            const auto core = denseCore(model);
            QVERIFY(core.has_value());
            Model tucker = model;
            tucker.kind = ModelKind::Tucker;
            tucker.core = *core;
            const SparseTensor tensor = test::randomTensor(model.dims, 30, order);
            for (Count e = 0; e < tensor.entries(); ++e) {
                const std::vector<Index> index = test::indexOf(tensor, e);
                QVERIFY(std::abs(test::predictPlainly(tucker, index) - test::predictPlainly(model, index)) < tolerance);
            }
        }
    }

    void denseCoreStopsAtItsLimit()
    {
        const Model model = test::randomModel(ModelKind::FastTucker, {5, 7, 4}, 3, 5, 1, false); // 3 · 4 · 3
        QVERIFY(denseCore(model, 36).has_value());
        QVERIFY(!denseCore(model, 35).has_value());
        QVERIFY(!denseCore(test::randomModel(ModelKind::Cp, {5, 7}, 3, 3, 1, false)).has_value());
        Model wide;
        wide.kind = ModelKind::FastTucker;
        wide.dims.assign(16, 1);
        wide.ranks.assign(16, 1024); // 1024^16 does not fit 64 bits: no wrap-around to something small
        QVERIFY(!denseCore(wide).has_value());
    }
};

QTEST_GUILESS_MAIN(TestModel)
#include "tst_model.moc"
