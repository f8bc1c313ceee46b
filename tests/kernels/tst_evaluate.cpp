// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <cmath>

using namespace kernels;

Q_DECLARE_METATYPE(kernels::ModelKind)

namespace {

constexpr ModelKind allKinds[] = {ModelKind::Cp, ModelKind::Tucker, ModelKind::FastTucker};

void addKinds(unsigned largestOrder)
{
    QTest::addColumn<ModelKind>("kind");
    QTest::addColumn<unsigned>("order");
    for (const ModelKind kind : allKinds)
        for (unsigned order = 2; order <= largestOrder; ++order)
            QTest::addRow("%s, order %u", toString(kind).data(), order) << kind << order;
}

Model modelOf(ModelKind kind, unsigned order)
{
    const unsigned rank = kind == ModelKind::Tucker && order > 5 ? 2 : 3;
    return test::randomModel(kind, test::dimsOfOrder(order), rank, 5, 10 + order, order % 2 == 1);
}

/// A tensor that holds every cell of the model, exactly its prediction.
SparseTensor allCells(const Model& model)
{
    Count cells = 1;
    for (const Index size : model.dims)
        cells *= size;
    SparseTensor tensor(model.dims, cells, true);
    Count e = 0;
    test::forEachCell(model.dims, [&](const std::vector<Index>& index) {
        for (unsigned n = 0; n < index.size(); ++n)
            tensor.indices[n][e] = index[n];
        tensor.setValue(e++, test::predictPlainly(model, index));
    });
    tensor.sorted = true;
    return tensor;
}

} // namespace

class TestEvaluate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errorsAgreeWithPlainLoops_data() { addKinds(10); }

    void errorsAgreeWithPlainLoops()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        const Model model = modelOf(kind, order);
        const SparseTensor tensor = test::randomTensor(model.dims, 211, order, order % 2 == 0);
        double squared = 0;
        double absolute = 0;
        for (Count e = 0; e < tensor.entries(); ++e) {
            const double error = test::predictPlainly(model, test::indexOf(tensor, e)) - tensor.value(e);
            squared += error * error;
            absolute += std::abs(error);
        }
        const ErrorSums sums = evaluateModel(model, tensor);
        QCOMPARE(sums.count, Count{211});
        // Both in fp64: some thousand roundings apart at most.
        QVERIFY(std::abs(sums.rmse() - std::sqrt(squared / 211)) <= 1e-12 * sums.rmse());
        QVERIFY(std::abs(sums.mae() - absolute / 211) <= 1e-12 * sums.mae());
    }

    void bitsDoNotDependOnThreads()
    {
        for (const ModelKind kind : allKinds) {
            const Model model = test::randomModel(kind, {500, 70, 33}, 4, 9, 3, false);
            const SparseTensor tensor = test::randomTensor(model.dims, 100003, 5);
            const ErrorSums one = test::withThreads(1, [&] { return evaluateModel(model, tensor); });
            const ErrorSums four = test::withThreads(4, [&] { return evaluateModel(model, tensor); });
            QVERIFY(one.squared == four.squared);
            QVERIFY(one.absolute == four.absolute);
            const double fitOne = test::withThreads(1, [&] { return modelFit(model, tensor); });
            const double fitFour = test::withThreads(4, [&] { return modelFit(model, tensor); });
            QVERIFY(fitOne == fitFour);
        }
    }

    void nothingToEvaluateIsNotANumber()
    {
        const Model model = modelOf(ModelKind::Cp, 3);
        const ErrorSums sums = evaluateModel(model, test::randomTensor(model.dims, 0, 1));
        QCOMPARE(sums.count, Count{0});
        QVERIFY(std::isnan(sums.rmse()) && std::isnan(sums.mae()));
        QVERIFY(std::isnan(modelFit(model, test::randomTensor(model.dims, 0, 1))));
    }

    void sumsAddUp()
    {
        ErrorSums sums{9, 3, 1};
        sums += ErrorSums{16, 4, 1};
        QCOMPARE(sums.rmse(), std::sqrt(12.5));
        QCOMPARE(sums.mae(), 3.5);
    }

    void smallerTensorsFitLargerOnesDoNot()
    {
        const Model model = modelOf(ModelKind::FastTucker, 3); // 5 × 7 × 4
        QCOMPARE(evaluateModel(model, test::randomTensor({5, 6, 1}, 10, 1)).count, Count{10});
        QVERIFY_EXCEPTION_THROWN(evaluateModel(model, test::randomTensor({5, 8, 4}, 10, 1)), Error);
        QVERIFY_EXCEPTION_THROWN(evaluateModel(model, test::randomTensor({5, 7}, 10, 1)), Error);
    }

    void fitAgreesWithAllCells_data() { addKinds(6); }

    void fitAgreesWithAllCells()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        const Model model = modelOf(kind, order);
        SparseTensor tensor = allCells(model);
        // Every third cell is observed, with another value; the others count as zeros.
        double residual = 0;
        double norm = 0;
        Count kept = 0;
        for (Count e = 0; e < tensor.entries(); ++e) {
            const double predicted = tensor.value(e);
            double x = 0;
            if (e % 3 == 0) {
                x = predicted + std::sin(static_cast<double>(e));
                for (auto& indices : tensor.indices)
                    indices[kept] = indices[e];
                tensor.setValue(kept++, x);
            }
            residual += (x - predicted) * (x - predicted);
            norm += x * x;
        }
        tensor.resize(kept);
        const double expected = 1 - std::sqrt(residual / norm);
        QVERIFY2(std::abs(modelFit(model, tensor) - expected) < 1e-10, qPrintable(QString::number(expected)));
    }

    void aPerfectModelFits_data() { addKinds(5); }

    void aPerfectModelFits()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        const Model model = modelOf(kind, order);
        // ‖X‖² − 2⟨X,X̂⟩ + ‖X̂‖² cancels to about 1e-15 of ‖X‖², the fit is its root away from 1.
        QVERIFY(std::abs(modelFit(model, allCells(model)) - 1) < 1e-6);
    }

    void bestPredictionsAgreeWithSortingAll_data() { addKinds(4); }

    void bestPredictionsAgreeWithSortingAll()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        std::vector<Index> dims = test::dimsOfOrder(order);
        for (unsigned freeMode = 0; freeMode < order; ++freeMode) {
            std::vector<Index> larger = dims;
            larger[freeMode] = 17001; // several pieces, an odd number
            const Model model = test::randomModel(kind, larger, 3, 5, order, false);
            std::vector<Index> index(order, 1);
            index[freeMode] = 4000000000U; // is not looked at
            const std::vector<Prediction> best = topPredictions(model, index, freeMode, 7);
            std::vector<std::pair<double, Index>> all;
            for (Index i = 0; i < larger[freeMode]; ++i) {
                index[freeMode] = i;
                all.emplace_back(-test::predictPlainly(model, index), i);
            }
            std::sort(all.begin(), all.end());
            QCOMPARE(best.size(), std::size_t{7});
            for (std::size_t k = 0; k < best.size(); ++k) {
                QVERIFY(std::abs(best[k].value + all[k].first) < 1e-12);
                QVERIFY(k == 0 || best[k].value <= best[k - 1].value);
            }
        }
    }

    void equalPredictionsComeByIndexAndNansLast()
    {
        Model model;
        model.kind = ModelKind::Cp;
        model.dims = {5, 2};
        model.ranks = {1, 1};
        model.coreRank = 1;
        model.weights = {1};
        model.factors = {Matrix(5, 1, true), Matrix(2, 1, true)};
        const double rows[] = {2, std::nan(""), 7, 2, 1};
        for (std::size_t i = 0; i < 5; ++i)
            model.factors[0].set(i, 0, rows[i]);
        model.factors[1].set(1, 0, 1);
        const std::vector<Prediction> best = topPredictions(model, {0, 1}, 0, 99); // more than there are
        const Index expected[] = {2, 0, 3, 4, 1};
        QCOMPARE(best.size(), std::size_t{5});
        for (std::size_t k = 0; k < 5; ++k)
            QCOMPARE(best[k].index, expected[k]);
        QVERIFY(topPredictions(model, {0, 1}, 0, 0).empty());
        QVERIFY_EXCEPTION_THROWN(topPredictions(model, {0, 2}, 0, 1), Error);
        QVERIFY_EXCEPTION_THROWN(topPredictions(model, {0, 1}, 2, 1), Error);
        QVERIFY_EXCEPTION_THROWN(topPredictions(model, {0}, 0, 1), Error);
    }

    void progressAndCancel()
    {
        const Model model = modelOf(ModelKind::FastTucker, 4);
        const SparseTensor tensor = test::randomTensor(model.dims, 30000, 1);
        Progress progress;
        evaluateModel(model, tensor, &progress);
        QCOMPARE(progress.done(), std::uint64_t{30000});
        QCOMPARE(progress.total(), std::uint64_t{30000});
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(evaluateModel(model, tensor, &progress), Cancelled);
        QVERIFY_EXCEPTION_THROWN(modelFit(model, tensor, &progress), Cancelled);
        QCOMPARE(std::string(progress.stage()), std::string("computing the norm")); // its first pass is one of them
    }
};

QTEST_GUILESS_MAIN(TestEvaluate)
#include "tst_evaluate.moc"
