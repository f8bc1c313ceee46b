// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/additive_baseline.h"
#include "kernels/operations/baselines.h"
#include "support/random_tensor.h"

#include <Eigen/Dense>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace kernels;

namespace {

double noise(std::uint64_t seed, std::uint64_t stream, std::uint64_t i) // variance 1, twelve summands are near enough to normal
{
    double sum = -6;
    for (std::uint64_t k = 0; k < 12; ++k)
        sum += random::uniform(seed, stream, 12 * i + k);
    return sum;
}

/// 5 + effects of the first modes with these standard deviations + noise of the given one.
SparseTensor plantedTensor(const std::vector<Index>& dims, Count entries, std::uint64_t seed, const std::vector<double>& spreads,
                           double sigma, bool doubles = true)
{
    SparseTensor tensor = test::randomTensor(dims, entries, seed, doubles);
    for (Count e = 0; e < entries; ++e) {
        double value = 5 + sigma * noise(seed, 77, e);
        for (std::size_t n = 0; n < spreads.size(); ++n)
            value += spreads[n] * noise(1, n, tensor.indices[n][e]); // the same effects for every seed
        tensor.setValue(e, value);
    }
    return tensor;
}

double predictedPlainly(const AdditiveModel& model, const SparseTensor& tensor, Count e)
{
    double value = model.mean;
    for (unsigned n = 0; n < model.effects.size(); ++n)
        value += model.effects[n][tensor.indices[n][e]];
    return value;
}

ErrorSums errorsPlainly(const AdditiveModel& model, const SparseTensor& tensor)
{
    ErrorSums sums;
    for (Count e = 0; e < tensor.entries(); ++e) {
        const double error = predictedPlainly(model, tensor, e) - tensor.value(e);
        sums.squared += error * error;
        sums.absolute += std::abs(error);
    }
    sums.count = tensor.entries();
    return sums;
}

/// The normal equations of all effects at once, which the sweeps never form.
std::vector<std::vector<double>> effectsOfNormalEquations(const SparseTensor& tensor, const std::vector<double>& ridge)
{
    std::vector<Eigen::Index> first{0};
    for (const Mode& mode : tensor.modes)
        first.push_back(first.back() + mode.size);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(first.back(), first.back());
    Eigen::VectorXd right = Eigen::VectorXd::Zero(first.back());
    double mean = 0;
    for (Count e = 0; e < tensor.entries(); ++e)
        mean += tensor.value(e) / static_cast<double>(tensor.entries());
    for (Count e = 0; e < tensor.entries(); ++e)
        for (unsigned n = 0; n < tensor.order(); ++n) {
            const Eigen::Index row = first[n] + tensor.indices[n][e];
            right[row] += tensor.value(e) - mean;
            for (unsigned m = 0; m < tensor.order(); ++m)
                gram(row, first[m] + tensor.indices[m][e]) += 1;
        }
    for (unsigned n = 0; n < tensor.order(); ++n)
        for (Eigen::Index i = first[n]; i < first[n + 1]; ++i)
            gram(i, i) += ridge[n];
    const Eigen::VectorXd solution = gram.ldlt().solve(right);
    std::vector<std::vector<double>> effects;
    for (unsigned n = 0; n < tensor.order(); ++n)
        effects.emplace_back(solution.data() + first[n], solution.data() + first[n + 1]);
    return effects;
}

void requireClose(double found, double expected, double tolerance)
{
    if (std::abs(found - expected) > tolerance * std::max(1.0, std::abs(expected)))
        QTest::qFail(qPrintable(QStringLiteral("%1 where %2 is expected").arg(found, 0, 'g', 12).arg(expected, 0, 'g', 12)), __FILE__,
                     __LINE__);
}

} // namespace

class TestAdditiveBaseline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The mean is that of the training entries, the errors are the others'.
    void errorsOfTheMeanAgreeWithPlainLoops()
    {
        for (const bool doubles : {false, true}) {
            const SparseTensor train = test::randomTensor({500, 70, 33}, 100003, 5, doubles); // two chunks
            const SparseTensor measured = test::randomTensor({500, 70, 33}, 70001, 6, doubles);
            double mean = 0;
            for (Count e = 0; e < train.entries(); ++e)
                mean += train.value(e) / 100003;
            const AdditiveModel model = meanModel(train);
            requireClose(model.mean, mean, 1e-12);
            const ErrorSums sums = errorsOf(model, measured), expected = errorsPlainly({mean, {}, {}, 0}, measured);
            QCOMPARE(sums.count, Count{70001});
            // Both in fp64: 100,000 roundings of 1e-16 apart at most.
            requireClose(sums.rmse(), expected.rmse(), 1e-11);
            requireClose(sums.mae(), expected.mae(), 1e-11);
        }
    }

    void sweepsSolveTheNormalEquations_data()
    {
        QTest::addColumn<unsigned>("order");
        for (unsigned order = 2; order <= 6; ++order)
            QTest::addRow("order %u", order) << order;
    }
    void sweepsSolveTheNormalEquations()
    {
        QFETCH(unsigned, order);
        const std::vector<Index> dims = test::dimsOfOrder(order);
        SparseTensor tensor = plantedTensor(dims, 150, order, {1.5, 0.7}, 0.5, order % 2 == 0);
        std::replace(tensor.indices[0].begin(), tensor.indices[0].end(), Index{2}, Index{1}); // nothing is known of index 2
        std::vector<double> ridge;
        for (unsigned n = 0; n < order; ++n)
            ridge.push_back(0.3 + n);
        const AdditiveModel model = fitAdditiveModel(tensor, nullptr, {ridge, 1e-14, 5000});
        QVERIFY(model.sweeps < 5000);
        QCOMPARE(model.ridge, ridge);
        const auto expected = effectsOfNormalEquations(tensor, ridge);
        for (unsigned n = 0; n < order; ++n)
            for (std::size_t i = 0; i < expected[n].size(); ++i)
                requireClose(model.effects[n][i], expected[n][i], 1e-9); // a condition of some hundreds, 5000 sweeps at most
        QCOMPARE(model.effects[0][2], 0.0);
        const ErrorSums sums = errorsOf(model, tensor), plain = errorsPlainly(model, tensor);
        requireClose(sums.rmse(), plain.rmse(), 1e-12);
        requireClose(sums.mae(), plain.mae(), 1e-12);
    }

    /// A window's sweeps end earlier, and the error hardly shows it.
    void fewSweepsAreEnough()
    {
        const SparseTensor tensor = plantedTensor({60, 50, 40}, 20000, 3, {2, 1, 0.5}, 1);
        const AdditiveModel quick = fitAdditiveModel(tensor);
        QVERIFY2(quick.sweeps <= 8, qPrintable(QString::number(quick.sweeps)));
        const AdditiveModel exact = fitAdditiveModel(tensor, nullptr, {quick.ridge, 1e-14, 5000});
        requireClose(errorsOf(quick, tensor).rmse() / errorsOf(exact, tensor).rmse(), 1, 1e-5); // the square of the tolerance, ten times
    }

    /// σ²/τ² of what was planted. 400 effects tell a variance within 7 %, so 25 % is more than three times that.
    void theRidgeIsThatOfTheData()
    {
        const SparseTensor tensor = plantedTensor({400, 300, 20}, 60000, 8, {2, 0.5}, 1.5);
        const AdditiveModel model = fitAdditiveModel(tensor);
        requireClose(model.ridge[0] / (1.5 * 1.5 / 4), 1, 0.25);
        requireClose(model.ridge[1] / (1.5 * 1.5 / 0.25), 1, 0.25);
        QVERIFY2(model.ridge[2] > 100, qPrintable(QString::number(model.ridge[2]))); // there is nothing
    }

    /// Held-out entries are predicted better than by any fixed ridge that is far off.
    void theRidgeServesHeldOutEntries()
    {
        const SparseTensor train = plantedTensor({2000, 1500, 30}, 6000, 11, {0.6, 0.4}, 1),
                           test = plantedTensor({2000, 1500, 30}, 6000, 12, {0.6, 0.4}, 1);
        const double chosen = errorsOf(fitAdditiveModel(train), test).rmse();
        for (const double ridge : {0.1, 1000.0}) {
            const double fixed = errorsOf(fitAdditiveModel(train, nullptr, {{ridge, ridge, ridge}, 1e-3, 50}), test).rmse();
            QVERIFY2(chosen < fixed, qPrintable(QStringLiteral("%1, with %2: %3").arg(chosen).arg(ridge).arg(fixed)));
        }
        QVERIFY(chosen < errorsOf(meanModel(train), test).rmse());
    }

    void pureNoiseIsTheMean()
    {
        const SparseTensor train = plantedTensor({300, 200, 10}, 20000, 21, {}, 1), test = plantedTensor({300, 200, 10}, 20000, 22, {}, 1);
        const double mean = errorsOf(meanModel(train), test).rmse(), additive = errorsOf(fitAdditiveModel(train), test).rmse();
        requireClose(additive / mean, 1, 0.005); // what estimates of 510 effects that are zero may cost
    }

    void anIndexOfOneEntryEachHasNoEffects()
    {
        SparseTensor tensor = plantedTensor({500, 20, 5}, 500, 4, {}, 1);
        for (Index e = 0; e < 500; ++e)
            tensor.indices[0][e] = e;
        const AdditiveModel model = fitAdditiveModel(tensor);
        QVERIFY(std::isinf(model.ridge[0]));
        QVERIFY(std::all_of(model.effects[0].begin(), model.effects[0].end(), [](double effect) { return effect == 0; }));
    }

    /// Exactly additive, all alike, and one entry.
    void edgesAreFinite()
    {
        const SparseTensor exact = plantedTensor({30, 20, 10}, 3000, 9, {1, 1, 1}, 0);
        requireClose(errorsOf(fitAdditiveModel(exact), exact).rmse(), 0, 1e-3); // what three sweeps leave sets the ridge
        SparseTensor same = test::randomTensor({30, 20, 10}, 300, 9);
        for (Count e = 0; e < 300; ++e)
            same.setValue(e, 3);
        QCOMPARE(errorsOf(fitAdditiveModel(same), same).rmse(), 0.0);
        const SparseTensor one = test::randomTensor({3, 2, 4}, 1, 1);
        QCOMPARE(errorsOf(fitAdditiveModel(one), one).rmse(), 0.0);
        const Baselines none = measureBaselines(test::randomTensor({3, 2, 4}, 0, 1), nullptr, Objective::Observed);
        QVERIFY(std::isnan(none.mean.trainRmse) && std::isnan(none.additive.trainRmse));
    }

    void bitsDoNotDependOnThreads()
    {
        const SparseTensor tensor = plantedTensor({500, 70, 33}, 250007, 5, {1, 2}, 1, false); // several parts
        const auto fitted = [&] { return fitAdditiveModel(tensor); };
        const AdditiveModel one = test::withThreads(1, fitted), four = test::withThreads(4, fitted);
        QVERIFY(one.effects == four.effects && one.ridge == four.ridge && one.mean == four.mean);
        const ErrorSums a = test::withThreads(1, [&] { return errorsOf(one, tensor); }),
                        b = test::withThreads(4, [&] { return errorsOf(one, tensor); });
        QVERIFY(a.squared == b.squared && a.absolute == b.absolute);
    }

    void partsAreMeasuredApart()
    {
        const SparseTensor train = plantedTensor({60, 50, 40}, 9000, 31, {1, 1}, 1),
                           test = plantedTensor({60, 50, 40}, 1000, 32, {1, 1}, 1);
        const Baselines both = measureBaselines(train, &test, Objective::Observed);
        const AdditiveModel model = fitAdditiveModel(train);
        QCOMPARE(both.additive.testRmse, errorsOf(model, test).rmse());
        QCOMPARE(both.additive.trainMae, errorsOf(model, train).mae());
        QCOMPARE(both.mean.testMae, errorsOf(meanModel(train), test).mae());
        QVERIFY(both.additive.testRmse < both.mean.testRmse && std::isnan(both.mean.fit));
        const Baselines untested = measureBaselines(train, nullptr, Objective::Observed);
        QVERIFY(std::isnan(untested.mean.testRmse) && untested.mean.trainRmse == both.mean.trainRmse);
    }

    /// Every cell of a small tensor, the missing ones as zeros, by least squares.
    void fitsOfAllCellsAgreeWithLeastSquares()
    {
        SparseTensor sparse = plantedTensor({7, 5, 4}, 40, 13, {2, 1}, 0.5);
        SparseTensor full({7, 5, 4}, 140, true);
        std::vector<double> cells(140);
        for (Count e = 0; e < 40; ++e)
            cells[(sparse.indices[0][e] * 5 + sparse.indices[1][e]) * 4 + sparse.indices[2][e]] = sparse.value(e); // the last of equal ones
        Count kept = 0;
        double squares = 0;
        for (Count cell = 0; cell < 140; ++cell) {
            const Index index[] = {static_cast<Index>(cell / 20), static_cast<Index>(cell / 4 % 5), static_cast<Index>(cell % 4)};
            for (unsigned n = 0; n < 3; ++n)
                full.indices[n][cell] = index[n];
            full.setValue(cell, cells[cell]);
            squares += cells[cell] * cells[cell];
            if (cells[cell] == 0)
                continue;
            for (unsigned n = 0; n < 3; ++n)
                sparse.indices[n][kept] = index[n];
            sparse.setValue(kept++, cells[cell]);
        }
        sparse.resize(kept);
        const CellFits fits = fitsOfAllCells(sparse);
        AdditiveModel best = meanModel(full);
        requireClose(fits.mean, 1 - std::sqrt(errorsPlainly(best, full).squared / squares), 1e-12);
        best.effects = effectsOfNormalEquations(full, {1e-9, 1e-9, 1e-9}); // the ridge only makes the solution unique
        requireClose(fits.additive, 1 - std::sqrt(errorsPlainly(best, full).squared / squares), 1e-9);
        QVERIFY(fits.additive > fits.mean && fits.mean > 0);
        const Baselines all = measureBaselines(sparse, nullptr, Objective::All);
        QVERIFY(all.additive.fit == fits.additive && std::isnan(all.mean.trainRmse));
    }

    void cancelLeavesAtOnce()
    {
        const SparseTensor tensor = plantedTensor({60, 50, 40}, 9000, 31, {1, 1}, 1);
        Progress progress;
        progress.cancel();
        QVERIFY_THROWS_EXCEPTION(Cancelled, fitAdditiveModel(tensor, &progress));
    }
};

QTEST_GUILESS_MAIN(TestAdditiveBaseline)
#include "tst_additive_baseline.moc"
