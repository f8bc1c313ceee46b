// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "support/cp_als_textbook.h"
#include "support/runs.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace kernels;

/// Fits, and what they are told of.
class CpAlsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fitsAreTheTextbooksAfterEverySweep_data();
    void fitsAreTheTextbooksAfterEverySweep();
    void fitsOfProductsAreThoseOfEntries_data() { fitsAreTheTextbooksAfterEverySweep_data(); }
    void fitsOfProductsAreThoseOfEntries();
    void entriesAreJudgedEverySoOftenAndAtTheEnd_data() { test::addCpAlsRows("runs"); }
    void entriesAreJudgedEverySoOftenAndAtTheEnd();
    void theBestIterationIsMeasured_data() { test::addCpAlsRows("runs"); }
    void theBestIterationIsMeasured();
    void aPlantedModelIsFound_data() { test::addCpAlsRows(); }
    void aPlantedModelIsFound();
    void nearSingularEquationsKeepTheFit_data() { test::addCpAlsRows("runs"); }
    void nearSingularEquationsKeepTheFit();
    void equalColumnsAreNoTrouble_data() { test::addCpAlsRows(); }
    void equalColumnsAreNoTrouble();
    void sizesOfManyModesAreHeld_data() { test::addCpAlsRows(); }
    void sizesOfManyModesAreHeld();
    void theSizeOfValuesDoesNotMatter_data() { test::addCpAlsRows(); }
    void theSizeOfValuesDoesNotMatter();
    void nothingToFitIsTold();
    void aRidgeShortensRows_data() { test::addCpAlsRows(); }
    void aRidgeShortensRows();
    void wideRanksAreTheTextbooks_data();
    void wideRanksAreTheTextbooks();
    void valuesThatGrowBeyondAllBoundsAreTold_data() { test::addCpAlsRows(); }
    void valuesThatGrowBeyondAllBoundsAreTold();
    void aFitThatStaysEndsTheRun_data() { test::addCpAlsRows(); }
    void aFitThatStaysEndsTheRun();
};

void CpAlsTest::fitsAreTheTextbooksAfterEverySweep_data()
{
    QTest::addColumn<test::DeviceRow>("row");
    QTest::addColumn<unsigned>("order");
    for (const test::DeviceRow& row : test::cpAlsRows())
        for (unsigned order = 2; order <= 6; ++order)
            QTest::addRow("%s, order %u", row.name().c_str(), order) << row << order;
}

/// From the same start, duplicates among the entries: fit to 1e-6 in fp64.
void CpAlsTest::fitsAreTheTextbooksAfterEverySweep()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(unsigned, order);
    const SparseTensor tensor = test::sorted(test::randomTensor(test::dimsOfOrder(order), order == 2 ? 30 : 150, order, true));
    RunConfig config = row.config();
    config.ranks = {order == 2 ? 2U : 3U};
    config = resolve(config, tensor.dims());
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    test::Textbook textbook(tensor, solver->model(Snapshot::Latest));
    for (unsigned t = 0; t < 8; ++t) {
        solver->iterate(t, control);
        textbook.sweep(t == 0);
        const double fit = solver->evaluate(control).fit, expected = textbook.fit();
        QVERIFY2(std::abs(fit - expected) < (row.doubles() ? 1e-6 : 2e-3),
                 qPrintable(QString("sweep %1: %2 in place of %3").arg(t + 1).arg(fit, 0, 'g', 12).arg(expected, 0, 'g', 12)));
    }
    if (row.doubles()) // what is exported says the same
        QVERIFY(std::abs(modelFit(solver->model(Snapshot::Latest), tensor) - textbook.fit()) < 1e-6);
}

/// After every sweep without a look at the entries, and then with one, which is who asks twice.
void CpAlsTest::fitsOfProductsAreThoseOfEntries()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(unsigned, order);
    const SparseTensor tensor = test::sorted(test::randomTensor(test::dimsOfOrder(order), order == 2 ? 30 : 150, order, true));
    RunConfig config = row.config();
    config.ranks = {order == 2 ? 2U : 3U};
    config.parameters["evaluate-every"] = std::int64_t{100};
    config = resolve(config, tensor.dims());
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    test::Textbook textbook(tensor, solver->model(Snapshot::Latest));
    for (unsigned t = 0; t < 6; ++t) {
        solver->iterate(t, control);
        textbook.sweep(t == 0);
        const Quality told = solver->evaluate(control), judged = solver->evaluate(control);
        QVERIFY(judged.train.count == tensor.entries());
        QCOMPARE(told.train.count, Count{0});
        const auto text = [&](double expected) {
            return QString("sweep %1: %2 in place of %3").arg(t + 1).arg(told.fit, 0, 'g', 12).arg(expected, 0, 'g', 12);
        };
        QVERIFY2(std::abs(told.fit - textbook.fit()) < (row.doubles() ? 1e-6 : 2e-3), qPrintable(text(textbook.fit())));
        QVERIFY2(std::abs(told.fit - judged.fit) < (row.doubles() ? 1e-12 : 1e-5), qPrintable(text(judged.fit)));
    }
}

/// Where little remains single precision cannot tell the fit from its products: there the entries are gone through.
void CpAlsTest::entriesAreJudgedEverySoOftenAndAtTheEnd()
{
    QFETCH(test::DeviceRow, row);
    const auto judged = [](const IterationRecord& record) { return std::isfinite(record.trainRmse) && std::isfinite(record.trainMae); };
    const SparseTensor tensor = test::sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
    RunConfig config = row.config();
    config.ranks = {3};
    config.parameters["evaluate-every"] = std::int64_t{4};
    test::fixIterations(config, 10);
    const RunResult fixed = test::runOn(config, tensor, &tensor);
    for (const IterationRecord& record : fixed.history) {
        const bool due = record.iteration % 4 == 0 || record.iteration == 10;
        QVERIFY(judged(record) == due && std::isfinite(record.testRmse) == due && std::isfinite(record.fit));
    }
    config.parameters["evaluate-every"] = std::int64_t{1'000'000};
    config.stopping = {500, 1e-3, 3, 0};
    const RunResult converged = test::runOn(config, tensor);
    QVERIFY(converged.reason == StopReason::Converged && !judged(converged.history.front()) && judged(converged.history.back()));

    const SparseTensor planted = test::sorted(test::cellsOf(test::randomModel(ModelKind::Cp, {20, 15, 12}, 3, 3, 5, true)));
    test::fixIterations(config, 200);
    std::vector<IterationRecord> history = test::runOn(config, planted).history;
    history.pop_back(); // measured in any case
    QVERIFY(history.front().fit < 0.95 && history.back().fit > 0.999);
    for (const IterationRecord& record : history)
        if (record.fit < 0.95 || (record.fit > 0.999 && !row.doubles()))
            QCOMPARE(judged(record), record.fit > 0.95);
}

/// Long after convergence the best fit is that of any iteration, mostly of one between those whose entries were gone through.
void CpAlsTest::theBestIterationIsMeasured()
{
    QFETCH(test::DeviceRow, row);
    RunConfig config = row.config();
    config.ranks = {2};
    config.parameters["evaluate-every"] = std::int64_t{1000};
    test::fixIterations(config, 400);
    unsigned between = 0;
    for (unsigned seed = 1; seed <= 8; ++seed) {
        const SparseTensor tensor = test::sorted(test::randomTensor({9, 8, 7}, 150, seed, true));
        const SparseTensor held = test::sorted(test::randomTensor({9, 8, 7}, 40, 100 + seed, true));
        const RunResult result = test::runOn(config, tensor, &held);
        const IterationRecord& best = result.history[result.bestIteration - 1];
        QCOMPARE(best.iteration, result.bestIteration);
        between += result.bestIteration > 1 && result.bestIteration < result.history.size()
            && std::isnan(result.history[result.bestIteration - 2].trainRmse);
        const ErrorSums train = evaluateModel(result.best, tensor), test = evaluateModel(result.best, held);
        const double tolerance = row.doubles() ? 1e-9 : 1e-4;
        QVERIFY(std::abs(best.trainRmse - train.rmse()) < tolerance && std::abs(best.trainMae - train.mae()) < tolerance);
        QVERIFY(std::abs(best.testRmse - test.rmse()) < tolerance && std::abs(best.testMae - test.mae()) < tolerance);
    }
    QVERIFY2(between > 0, "no best iteration was one between: the test has shown nothing");
}

/// All cells are entries and the model has their rank: nothing is left.
void CpAlsTest::aPlantedModelIsFound()
{
    QFETCH(test::DeviceRow, row);
    const std::vector<Index> dims{20, 15, 12};
    const SparseTensor tensor = test::sorted(test::cellsOf(test::randomModel(ModelKind::Cp, dims, 3, 3, 5, true)));
    RunConfig config = row.config();
    config.ranks = {3};
    test::fixIterations(config, 200);
    const RunResult result = test::runOn(config, tensor);
    QVERIFY2(result.history.back().fit > (row.doubles() ? 0.9999 : 0.999), qPrintable(QString::number(result.history.back().fit, 'g', 10)));
    QVERIFY(evaluateModel(result.best, tensor).rmse() < (row.doubles() ? 1e-3 : 1e-2));
    // The fit that was told is the model's, also where hardly anything remains.
    const double told = result.history[result.bestIteration - 1].fit, found = modelFit(result.best, tensor);
    QVERIFY2(std::abs(told - found) < 1e-7, qPrintable(QString("%1 told, %2 found").arg(told, 0, 'g', 12).arg(found, 0, 'g', 12)));
}

/// Crowded rows and many terms: after some fifty sweeps terms are alike and the equations' condition leaves what single precision
/// holds. The fit goes on as double precision's does, and falls in no sweep.
void CpAlsTest::nearSingularEquationsKeepTheFit()
{
    QFETCH(test::DeviceRow, row);
    SyntheticSpec spec;
    spec.dims = {100, 80, 60};
    spec.entries = 12'000;
    spec.skew = {{1.5, 1}};
    spec.uniformValues = true;
    const SparseTensor tensor = test::sorted(generate(spec).train);
    const auto fits = [&](RunConfig config) {
        config.ranks = {48};
        test::fixIterations(config, 120);
        return test::runOn(config, tensor).history;
    };
    RunConfig plain = row.config();
    plain.precision = Precision::Fp64;
    plain.devices = {DeviceId{}};
    static const std::vector<IterationRecord> expected = fits(plain);
    const std::vector<IterationRecord> found = fits(row.config());
    for (std::size_t t = 0; t < found.size(); ++t) {
        const auto told = [&](double other) {
            return QString("iteration %1: %2, %3").arg(t + 1).arg(found[t].fit, 0, 'g', 10).arg(other, 0, 'g', 10);
        };
        QVERIFY2(std::abs(found[t].fit - expected[t].fit) < (row.doubles() ? 1e-7 : 1e-5), qPrintable(told(expected[t].fit)));
        const double before = t == 0 ? 0 : found[t - 1].fit;
        QVERIFY2(found[t].fit > before - 1e-7, qPrintable(told(before)));
    }
}

/// More terms than the tensor has: the equations are singular, and the fit is perfect all the same.
void CpAlsTest::equalColumnsAreNoTrouble()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = test::sorted(test::randomTensor({6, 5, 4}, 60, 3, true));
    RunConfig config = row.config();
    config.ranks = {40};
    test::fixIterations(config, 60);
    const RunResult result = test::runOn(config, tensor);
    QVERIFY2(result.history.back().fit > 0.95, qPrintable(QString::number(result.history.back().fit)));
}

/// The equations' inverse has the size of 1 / Π I_n there, far below what single precision holds.
void CpAlsTest::sizesOfManyModesAreHeld()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = test::sorted(test::randomTensor(std::vector<Index>(12, 20'000), 3'000, 3, true));
    RunConfig config = row.config();
    config.ranks = {2};
    test::fixIterations(config, 3);
    const RunResult result = test::runOn(config, tensor);
    QVERIFY2(result.history.front().fit > 1e-9, qPrintable(QString::number(result.history.front().fit)));
}

void CpAlsTest::theSizeOfValuesDoesNotMatter()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor plain = test::sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
    const auto fitAt = [&](double size) {
        SparseTensor tensor = plain;
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, size * plain.value(e));
        RunConfig config = row.config();
        config.ranks = {4};
        test::fixIterations(config, 15);
        return test::runOn(config, tensor).history.back().fit;
    };
    const double expected = fitAt(1);
    for (const double size : {1e-24, 1e-12, 1e-3, 1e6, 1e18})
        QVERIFY2(std::abs(fitAt(size) - expected) < 2e-3,
                 qPrintable(QString("%1: %2 in place of %3").arg(size).arg(fitAt(size)).arg(expected)));
}

void CpAlsTest::nothingToFitIsTold()
{
    SparseTensor tensor = test::sorted(test::randomTensor({3, 4, 5}, 20, 1));
    for (Count e = 0; e < tensor.entries(); ++e)
        tensor.setValue(e, 0);
    RunConfig config;
    config.algorithm = "cp-als";
    config.format = "runs";
    config.ranks = {2};
    try {
        test::runOn(config, tensor);
        QFAIL("fitted zeros");
    } catch (const Error& error) {
        QVERIFY(QString(error.what()).contains("nothing to fit"));
    }
}

void CpAlsTest::aRidgeShortensRows()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = test::sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
    const auto fitWith = [&](double ridge) {
        RunConfig config = row.config();
        config.ranks = {5};
        config.parameters["ridge"] = ridge;
        test::fixIterations(config, 20);
        return test::runOn(config, tensor).history.back().fit;
    };
    QVERIFY(fitWith(10.0) < fitWith(0.0));
}

void CpAlsTest::wideRanksAreTheTextbooks_data()
{
    QTest::addColumn<test::DeviceRow>("row");
    QTest::addColumn<unsigned>("rank");
    for (const test::DeviceRow& row : test::cpAlsRows())
        for (const unsigned rank : {64u, 100u, 1024u})
            if (rank <= 100 || row.format == "runs") // nothing that takes long there is the format's
                QTest::addRow("%s, rank %u", row.name().c_str(), rank) << row << rank;
}

/// Modes of more rows than the rank, so that the equations can be solved: fp32 and tf32, whose products have 22 bits, then lose
/// what the equations' condition costs, some hundreds. 1024 terms are more than the equations bear: the fit must be there.
void CpAlsTest::wideRanksAreTheTextbooks()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(unsigned, rank);
    const bool solvable = rank <= 100;
    const SparseTensor tensor =
        test::sorted(test::randomTensor(solvable ? std::vector<Index>{130, 120, 110} : std::vector<Index>{40, 1100, 3}, 4000, rank, true));
    RunConfig config = row.config();
    config.ranks = {rank};
    config = resolve(config, tensor.dims());
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    if (!solvable) {
        solver->iterate(0, control);
        const double fit = solver->evaluate(control).fit;
        QVERIFY2(fit > 0.5, qPrintable(QString::number(fit)));
        return;
    }
    std::vector<double> fits;
    for (unsigned t = 0; t < 3; ++t) {
        solver->iterate(t, control);
        fits.push_back(solver->evaluate(control).fit);
    }
    RunConfig plain = config;
    plain.precision = Precision::Fp64;
    plain.format = "coo";
    plain.devices = {DeviceId{}};
    const auto reference = algorithm("cp-als").makeSolver({plain, tensor, nullptr});
    reference->prepare(control);
    for (unsigned t = 0; t < 3; ++t) {
        reference->iterate(t, control);
        const double expected = reference->evaluate(control).fit;
        QVERIFY2(std::abs(fits[t] - expected) < (row.doubles() ? 1e-8 : 1e-3),
                 qPrintable(QString("sweep %1: %2 in place of %3").arg(t + 1).arg(fits[t], 0, 'g', 12).arg(expected, 0, 'g', 12)));
    }
}

/// Squares that no precision holds: the run ends with a sentence that says what may help.
void CpAlsTest::valuesThatGrowBeyondAllBoundsAreTold()
{
    QFETCH(test::DeviceRow, row);
    SparseTensor tensor = test::sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
    tensor.setValue(7, std::numeric_limits<double>::infinity());
    RunConfig config = row.config();
    config.ranks = {4};
    try {
        test::runOn(config, tensor);
        QFAIL("fitted what is not finite");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("finite"), error.what());
    }
}

void CpAlsTest::aFitThatStaysEndsTheRun()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = test::sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
    RunConfig config = row.config();
    config.ranks = {3};
    config.stopping.iterations = 500;
    config.stopping.tolerance = 1e-3;
    const RunResult result = test::runOn(config, tensor);
    QVERIFY(result.reason == StopReason::Converged);
    QVERIFY(result.history.size() < 200);
}

QTEST_GUILESS_MAIN(CpAlsTest)
#include "tst_cp_als.moc"
