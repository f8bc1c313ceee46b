// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/nvecs.h"
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/formats/csf.h"
#include "kernels/operations/evaluate.h"
#include "kernels/operations/mttkrp/plan.h"
#include "kernels/tensor/sort.h"
#include "support/device_rows.h"
#include "support/random_tensor.h"
#include "support/runs.h"
#include "support/stopping.h"

#include <Eigen/Dense>
#include <QtTest>

#include <cmath>
#include <limits>
#include <map>

using namespace kernels;

namespace {

using Dense = Eigen::MatrixXd;

/// CP-ALS as a textbook has it, on the dense tensor: unfolded, Khatri-Rao products written out, equations solved by QR.
class Textbook {
public:
    Textbook(const SparseTensor& tensor, const Model& start)
        : m_dims(tensor.dims())
        , m_rank(start.ranks.front())
        , m_weights(Eigen::VectorXd::Ones(m_rank))
    {
        Count cells = 1;
        for (const Index size : m_dims)
            cells *= size;
        m_cells.assign(cells, 0);
        for (Count e = 0; e < tensor.entries(); ++e)
            m_cells[cellOf(test::indexOf(tensor, e))] += tensor.value(e);
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            m_factors.emplace_back(m_dims[n], m_rank);
            for (Index i = 0; i < m_dims[n]; ++i)
                for (unsigned r = 0; r < m_rank; ++r)
                    m_factors[n](i, r) = start.factors[n].at(i, r);
        }
    }

    void sweep(bool first)
    {
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            Dense products = Dense::Zero(m_dims[n], m_rank), v = Dense::Ones(m_rank, m_rank);
            test::forEachCell(m_dims, [&](const std::vector<Index>& index) {
                for (unsigned r = 0; r < m_rank; ++r) {
                    double term = m_cells[cellOf(index)];
                    for (unsigned k = 0; k < m_dims.size(); ++k)
                        term *= k == n ? 1 : m_factors[k](index[k], r);
                    products(index[n], r) += term;
                }
            });
            for (unsigned k = 0; k < m_dims.size(); ++k)
                if (k != n)
                    v = v.cwiseProduct(m_factors[k].transpose() * m_factors[k]);
            m_factors[n] = v.colPivHouseholderQr().solve(products.transpose()).transpose();
            for (unsigned r = 0; r < m_rank; ++r) {
                m_weights[r] = first ? m_factors[n].col(r).norm() : std::max(1.0, m_factors[n].col(r).cwiseAbs().maxCoeff());
                m_factors[n].col(r) /= m_weights[r];
            }
        }
    }

    /// From the residual, cell by cell.
    double fit() const
    {
        double residual = 0, whole = 0;
        test::forEachCell(m_dims, [&](const std::vector<Index>& index) {
            double predicted = 0;
            for (unsigned r = 0; r < m_rank; ++r) {
                double term = m_weights[r];
                for (unsigned k = 0; k < m_dims.size(); ++k)
                    term *= m_factors[k](index[k], r);
                predicted += term;
            }
            const double x = m_cells[cellOf(index)];
            residual += (x - predicted) * (x - predicted);
            whole += x * x;
        });
        return 1 - std::sqrt(residual / whole);
    }

private:
    std::size_t cellOf(const std::vector<Index>& index) const
    {
        std::size_t cell = 0;
        for (unsigned n = 0; n < m_dims.size(); ++n)
            cell = cell * m_dims[n] + index[n];
        return cell;
    }

    std::vector<Index> m_dims;
    unsigned m_rank;
    std::vector<double> m_cells;
    std::vector<Dense> m_factors;
    Eigen::VectorXd m_weights;
};

std::vector<test::DeviceRow> ownRows()
{
    std::vector<test::DeviceRow> rows;
    for (const test::DeviceRow& row : test::deviceRows())
        if (row.algorithm == "cp-als")
            rows.push_back(row);
    return rows;
}

SparseTensor sorted(SparseTensor tensor)
{
    sortLexicographically(tensor);
    return tensor;
}

/// All of them, none left out.
SparseTensor cellsOf(const Model& truth)
{
    Count cells = 1;
    for (const Index size : truth.dims)
        cells *= size;
    SparseTensor tensor(truth.dims, cells, true);
    Count e = 0;
    test::forEachCell(truth.dims, [&](const std::vector<Index>& index) {
        for (unsigned n = 0; n < truth.dims.size(); ++n)
            tensor.indices[n][e] = index[n];
        tensor.setValue(e++, test::predictPlainly(truth, index));
    });
    return tensor;
}

/// All cells, of terms each half as strong as the one before: eigenvalues lie apart, so that eigenvectors are certain.
SparseTensor withGaps(const std::vector<Index>& dims)
{
    const unsigned terms = 6;
    Model truth = test::randomModel(ModelKind::Cp, dims, terms, terms, 5, true);
    for (unsigned r = 0; r < terms; ++r)
        truth.weights[r] = std::pow(0.5, r);
    return cellsOf(truth);
}

/// X_(n) X_(n)ᵀ
Dense gramOfUnfolded(const SparseTensor& tensor, unsigned mode)
{
    std::map<std::vector<Index>, Eigen::VectorXd> columns;
    for (Count e = 0; e < tensor.entries(); ++e) {
        std::vector<Index> others = test::indexOf(tensor, e);
        const Index row = others[mode];
        others[mode] = 0;
        auto [column, isNew] = columns.try_emplace(others, Eigen::VectorXd::Zero(tensor.modes[mode].size));
        column->second[row] += tensor.value(e);
    }
    Dense gram = Dense::Zero(tensor.modes[mode].size, tensor.modes[mode].size);
    for (const auto& [others, column] : columns)
        gram += column * column.transpose();
    return gram;
}

} // namespace

class CpAlsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fitsAreTheTextbooksAfterEverySweep_data();
    void fitsAreTheTextbooksAfterEverySweep();
    void fitsOfProductsAreThoseOfEntries_data() { fitsAreTheTextbooksAfterEverySweep_data(); }
    void fitsOfProductsAreThoseOfEntries();
    void entriesAreJudgedEverySoOftenAndAtTheEnd_data() { addRows("runs"); }
    void entriesAreJudgedEverySoOftenAndAtTheEnd();
    void aPlantedModelIsFound_data();
    void aPlantedModelIsFound();
    void nearSingularEquationsKeepTheFit_data() { addRows("runs"); }
    void nearSingularEquationsKeepTheFit();
    void equalColumnsAreNoTrouble_data() { addRows(); }
    void equalColumnsAreNoTrouble();
    void sizesOfManyModesAreHeld_data() { addRows(); }
    void sizesOfManyModesAreHeld();
    void theSizeOfValuesDoesNotMatter_data() { addRows(); }
    void theSizeOfValuesDoesNotMatter();
    void nothingToFitIsTold();
    void aRidgeShortensRows_data() { addRows(); }
    void aRidgeShortensRows();
    void wideRanksAreTheTextbooks_data();
    void wideRanksAreTheTextbooks();
    void aStopIsHonouredWhileEquationsAreSolved_data() { addRows("runs"); }
    void aStopIsHonouredWhileEquationsAreSolved();
    void leadingVectorsLookUpBetweenEntries();
    void memoryOnTheDeviceIsPromisedWithinATenth_data() { addRows(); }
    void memoryOnTheDeviceIsPromisedWithinATenth();
    void theLimitOnTheDeviceIsKept_data() { addRows(); }
    void theLimitOnTheDeviceIsKept();
    void whatHasOtherBitsEveryTimeIsNoDeterministicRun_data() { addRows(); }
    void whatHasOtherBitsEveryTimeIsNoDeterministicRun();
    void tensorCoresAreRefusedToTheCpu();
    void valuesThatGrowBeyondAllBoundsAreTold_data() { addRows(); }
    void valuesThatGrowBeyondAllBoundsAreTold();
    void leadingEigenvectorsAreTheStart_data();
    void leadingEigenvectorsAreTheStart();
    void aStartOfEigenvectorsIsTheSameForAnyThreads();
    void memoryOfAStartOfEigenvectorsIsPromised();
    void aModelIsTheStart_data() { addRows(); }
    void aModelIsTheStart();
    void anotherModelIsNoStart();
    void aFitThatStaysEndsTheRun_data() { addRows(); }
    void aFitThatStaysEndsTheRun();

    void automaticTakesWhatTheLimitAllows_data() { addRows("auto"); }
    void automaticTakesWhatTheLimitAllows();
    void whatDoesNotFitTheGpuIsStreamed_data();
    void whatDoesNotFitTheGpuIsStreamed();

private:
    static MemoryUse estimateOf(const RunConfig& config, const ProblemShape& shape)
    {
        return algorithm("cp-als").estimateMemory(config, shape);
    }

    /// Of one format, or of all.
    static void addRows(const std::string& format = {})
    {
        QTest::addColumn<test::DeviceRow>("row");
        for (const test::DeviceRow& row : ownRows())
            if (format.empty() || row.format == format)
                QTest::addRow("%s", row.name().c_str()) << row;
    }
};

void CpAlsTest::fitsAreTheTextbooksAfterEverySweep_data()
{
    QTest::addColumn<test::DeviceRow>("row");
    QTest::addColumn<unsigned>("order");
    for (const test::DeviceRow& row : ownRows())
        for (unsigned order = 2; order <= 6; ++order)
            QTest::addRow("%s, order %u", row.name().c_str(), order) << row << order;
}

/// From the same start, duplicates among the entries: fit to 1e-6 in fp64.
void CpAlsTest::fitsAreTheTextbooksAfterEverySweep()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(unsigned, order);
    const SparseTensor tensor = sorted(test::randomTensor(test::dimsOfOrder(order), order == 2 ? 30 : 150, order, true));
    RunConfig config = row.config();
    config.ranks = {order == 2 ? 2U : 3U};
    config = resolve(config, tensor.dims());
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    Textbook textbook(tensor, solver->model(Snapshot::Latest));
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
    const SparseTensor tensor = sorted(test::randomTensor(test::dimsOfOrder(order), order == 2 ? 30 : 150, order, true));
    RunConfig config = row.config();
    config.ranks = {order == 2 ? 2U : 3U};
    config.parameters["evaluate-every"] = std::int64_t{100};
    config = resolve(config, tensor.dims());
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    Textbook textbook(tensor, solver->model(Snapshot::Latest));
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
    const SparseTensor tensor = sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
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

    const SparseTensor planted = sorted(cellsOf(test::randomModel(ModelKind::Cp, {20, 15, 12}, 3, 3, 5, true)));
    test::fixIterations(config, 200);
    std::vector<IterationRecord> history = test::runOn(config, planted).history;
    history.pop_back(); // measured in any case
    QVERIFY(history.front().fit < 0.95 && history.back().fit > 0.999);
    for (const IterationRecord& record : history)
        if (record.fit < 0.95 || (record.fit > 0.999 && !row.doubles()))
            QCOMPARE(judged(record), record.fit > 0.95);
}

void CpAlsTest::aPlantedModelIsFound_data() { addRows(); }

/// All cells are entries and the model has their rank: nothing is left.
void CpAlsTest::aPlantedModelIsFound()
{
    QFETCH(test::DeviceRow, row);
    const std::vector<Index> dims{20, 15, 12};
    const SparseTensor tensor = sorted(cellsOf(test::randomModel(ModelKind::Cp, dims, 3, 3, 5, true)));
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
    const SparseTensor tensor = sorted(generate(spec).train);
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
    const SparseTensor tensor = sorted(test::randomTensor({6, 5, 4}, 60, 3, true));
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
    const SparseTensor tensor = sorted(test::randomTensor(std::vector<Index>(12, 20'000), 3'000, 3, true));
    RunConfig config = row.config();
    config.ranks = {2};
    test::fixIterations(config, 3);
    const RunResult result = test::runOn(config, tensor);
    QVERIFY2(result.history.front().fit > 1e-9, qPrintable(QString::number(result.history.front().fit)));
}

void CpAlsTest::theSizeOfValuesDoesNotMatter()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor plain = sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
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
    SparseTensor tensor = sorted(test::randomTensor({3, 4, 5}, 20, 1));
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
    const SparseTensor tensor = sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
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
    for (const test::DeviceRow& row : ownRows())
        for (const unsigned rank : {64u, 100u, 1024u})
            if (rank <= 100 || row.format == "runs") // nothing that takes long there is the format's
                QTest::addRow("%s, rank %u", row.name().c_str(), rank) << row << rank;
}

void CpAlsTest::leadingEigenvectorsAreTheStart_data()
{
    QTest::addColumn<test::DeviceRow>("row");
    QTest::addColumn<std::vector<Index>>("dims");
    for (const test::DeviceRow& row : ownRows()) {
        QTest::addRow("%s, order 3", row.name().c_str()) << row << std::vector<Index>{30, 20, 12};
        QTest::addRow("%s, order 4", row.name().c_str()) << row << std::vector<Index>{14, 12, 10, 8};
        QTest::addRow("%s, a mode smaller than the rank", row.name().c_str()) << row << std::vector<Index>{30, 20, 3};
    }
}

/// Against those of the dense matrix, and then the textbook's fit after every sweep.
void CpAlsTest::leadingEigenvectorsAreTheStart()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(std::vector<Index>, dims);
    const unsigned rank = 4;
    const SparseTensor tensor = sorted(withGaps(dims));
    RunConfig config = row.config();
    config.ranks = {rank};
    config.parameters["start"] = std::string("nvecs");
    config = resolve(config, tensor.dims());
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    const Model start = solver->model(Snapshot::Latest);
    for (unsigned n = 0; n < dims.size(); ++n) {
        const Eigen::SelfAdjointEigenSolver<Dense> known(gramOfUnfolded(tensor, n));
        for (unsigned r = 0; r < std::min<unsigned>(rank, dims[n]); ++r) {
            Eigen::VectorXd expected = known.eigenvectors().col(dims[n] - 1 - r), found(dims[n]);
            Eigen::Index largest = 0;
            expected.cwiseAbs().maxCoeff(&largest);
            expected *= expected[largest] < 0 ? -1 : 1;
            for (Index i = 0; i < dims[n]; ++i)
                found[i] = start.factors[n].at(i, r);
            const double apart = (found - expected).cwiseAbs().maxCoeff();
            QVERIFY2(apart < (row.doubles() ? 1e-5 : 1e-4), qPrintable(QString("mode %1, column %2: %3").arg(n + 1).arg(r + 1).arg(apart)));
        }
        for (unsigned r = dims[n]; r < rank; ++r) // drawn
            for (Index i = 0; i < dims[n]; ++i)
                QVERIFY(start.factors[n].at(i, r) > 0 && start.factors[n].at(i, r) < 1);
    }
    Textbook textbook(tensor, start);
    for (unsigned t = 0; t < 5; ++t) {
        solver->iterate(t, control);
        textbook.sweep(t == 0);
        const double fit = solver->evaluate(control).fit, expected = textbook.fit();
        QVERIFY2(std::abs(fit - expected) < (row.doubles() ? 1e-6 : 2e-3),
                 qPrintable(QString("sweep %1: %2 in place of %3").arg(t + 1).arg(fit, 0, 'g', 12).arg(expected, 0, 'g', 12)));
    }
}

void CpAlsTest::aStartOfEigenvectorsIsTheSameForAnyThreads()
{
    const SparseTensor tensor = sorted(test::randomTensor({3000, 500, 7}, 20'000, 3));
    RunConfig config;
    config.algorithm = "cp-als";
    config.format = "coo";
    config.ranks = {20};
    config.parameters["start"] = std::string("nvecs");
    const auto startWith = [&](unsigned threads, std::uint64_t seed) {
        config.threads = threads;
        config.seed = seed;
        const RunConfig resolved = resolve(config, tensor.dims());
        const auto solver = algorithm("cp-als").makeSolver({resolved, tensor, nullptr});
        RunControl control;
        solver->prepare(control);
        return solver->model(Snapshot::Latest).factors;
    };
    const std::vector<Matrix> one = startWith(1, 5), two = startWith(2, 5);
    for (unsigned n = 0; n < 3; ++n)
        QVERIFY(one[n].data == two[n].data);
    QVERIFY(one[2].data != startWith(2, 6)[2].data); // its columns past the size are drawn
}

void CpAlsTest::memoryOfAStartOfEigenvectorsIsPromised()
{
    const SparseTensor tensor = sorted(test::randomTensor({60'000, 20'000, 5000}, 100'000, 3));
    RunConfig config;
    config.algorithm = "cp-als";
    config.format = "coo";
    config.ranks = {16};
    config.parameters["start"] = std::string("nvecs");
    test::fixIterations(config, 1);
    config = resolve(config, tensor.dims());
    const double promised = double(algorithm("cp-als").estimateMemory(config, {tensor.dims(), tensor.entries(), 0}).hostBytes);
    const std::uint64_t before = ArrayMemory::now();
    ArrayMemory::restartPeak();
    test::runOn(config, tensor);
    const double taken = double(ArrayMemory::peak() - before);
    QVERIFY2(taken <= promised && promised <= 1.2 * taken, qPrintable(QString("took %1, promised %2").arg(taken).arg(promised)));
}

/// A run that starts from the model of another goes on as the textbook does from it.
void CpAlsTest::aModelIsTheStart()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = sorted(test::randomTensor({9, 8, 7}, 150, 3, true));
    RunConfig config = row.config();
    config.ranks = {3};
    test::fixIterations(config, 4);
    const Model start = test::randomModel(ModelKind::Cp, tensor.dims(), 3, 3, 5, true); // has weights, in double precision
    config.parameters["start"] = std::string("model");
    config.init = "model.h5";
    RunObserver silent;
    RunControl control;
    Continuity continuity;
    continuity.start = &start;
    const RunResult result = run(config, tensor, nullptr, silent, control, continuity);
    Textbook textbook(tensor, start);
    for (unsigned t = 0; t < 4; ++t) {
        textbook.sweep(t == 0);
        QVERIFY2(std::abs(result.history[t].fit - textbook.fit()) < (row.doubles() ? 1e-6 : 2e-3),
                 qPrintable(QString("%1 in place of %2").arg(result.history[t].fit).arg(textbook.fit())));
    }
}

void CpAlsTest::anotherModelIsNoStart()
{
    const SparseTensor tensor = sorted(test::randomTensor({9, 8, 7}, 150, 3, true));
    RunConfig config;
    config.algorithm = "cp-als";
    config.format = "coo";
    config.ranks = {3};
    config.parameters["start"] = std::string("model");
    const auto refusal = [&](const Model& start) {
        RunObserver silent;
        RunControl control;
        try {
            run(config, tensor, nullptr, silent, control, {nullptr, nullptr, &start});
        } catch (const Error& error) {
            return QString(error.what());
        }
        return QString();
    };
    const auto model = [&](ModelKind kind, std::vector<Index> dims, unsigned rank) {
        return test::randomModel(kind, dims, rank, rank, 5, true);
    };
    QVERIFY(refusal(model(ModelKind::Cp, {9, 8, 7}, 3)).contains("--init"));
    config.init = "model.h5";
    QVERIFY(refusal(model(ModelKind::Cp, {9, 8, 6}, 3)).contains("another tensor"));
    QVERIFY(refusal(model(ModelKind::Cp, {9, 8, 7}, 4)).contains("another rank"));
    QVERIFY(refusal(model(ModelKind::FastTucker, {9, 8, 7}, 3)).contains("kind"));
    config.parameters.erase("start");
    QVERIFY(refusal(model(ModelKind::Cp, {9, 8, 7}, 3)).contains("init"));
}

/// Modes of more rows than the rank, so that the equations can be solved: fp32 and tf32, whose products have 22 bits, then lose
/// what the equations' condition costs, some hundreds. 1024 terms are more than the equations bear: the fit must be there.
void CpAlsTest::wideRanksAreTheTextbooks()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(unsigned, rank);
    const bool solvable = rank <= 100;
    const SparseTensor tensor =
        sorted(test::randomTensor(solvable ? std::vector<Index>{130, 120, 110} : std::vector<Index>{40, 1100, 3}, 4000, rank, true));
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

/// 1000 terms of a tensor that has far fewer: eigenvectors of all of them, which take seconds.
void CpAlsTest::aStopIsHonouredWhileEquationsAreSolved()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = sorted(test::randomTensor({6, 5, 4}, 60, 3, true));
    RunConfig config = row.config();
    config.ranks = {1000};
    config = resolve(config, tensor.dims());
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    const double most = test::onAllProcessors(test::longestStop);
    const test::Stopped stopped = test::bestStopAfter(0.1, most, [&](RunControl& own) { solver->iterate(1, own); });
    QVERIFY2(stopped.early && stopped.processorSeconds < most, qPrintable(QString::number(stopped.processorSeconds)));
}

/// Few tasks with many entries each: somebody who wants to pause is heard before all of them are done. What rows take is the same
/// whatever the entries.
void CpAlsTest::leadingVectorsLookUpBetweenEntries()
{
    const auto looks = [](Count entries) {
        const SparseTensor tensor = sorted(test::randomTensor({200, 3000, 400}, entries, 3));
        RunControl tree, all;
        test::withThreads(1, [&] {
            formats::buildCsf(tensor, formats::leavesAt(tensor.dims(), 0), tree);
            cp_als::leadingVectors(tensor, 0, 4, 1, false, all);
        });
        return all.checkpoints() - tree.checkpoints();
    };
    const std::uint64_t few = looks(1000), many = looks(1'000'000);
    QVERIFY2(many > few + 100, qPrintable(QString("%1 and %2").arg(few).arg(many)));
}

/// Where bytes of entries, format and factors are far more than what a driver rounds up. How many nodes a tree has is not known
/// before it is built: the most there can be are an eighth more here, in trees of mixed modes half as many again.
void CpAlsTest::memoryOnTheDeviceIsPromisedWithinATenth()
{
    QFETCH(test::DeviceRow, row);
    if (row.device.kind == DeviceKind::Cpu)
        QSKIP("the CPU's is held by the contract");
    if (row.format == "auto")
        QSKIP("promises the most of what it may choose");
    const SparseTensor tensor = sorted(test::randomTensor({400'000, 200'000, 3000}, 3'000'000, 3, row.doubles()));
    for (const unsigned rank : {16u, 70u}) {
        RunConfig config = row.config();
        config.ranks = {rank};
        test::fixIterations(config, 1);
        config = resolve(config, tensor.dims());
        const double promised = double(algorithm("cp-als").estimateMemory(config, {tensor.dims(), tensor.entries(), 0}).deviceBytes);
        const double taken = double(test::runOn(config, tensor).memory.deviceBytes);
        const double most = (row.format == "mmcsf" ? 1.5 : QString::fromStdString(row.format).contains("csf") ? 1.25 : 1.1) * taken;
        QVERIFY2(taken <= promised && promised <= most, qPrintable(QString("took %1, promised %2").arg(taken).arg(promised)));
    }
}

void CpAlsTest::theLimitOnTheDeviceIsKept()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = sorted(test::randomTensor({600, 200, 50}, 4000, 10));
    RunConfig config = row.config();
    config.ranks = {16};
    test::fixIterations(config, 1);
    const MemoryUse promised = algorithm("cp-als").estimateMemory(resolve(config, tensor.dims()), {tensor.dims(), tensor.entries(), 0});
    const std::uint64_t bytes = row.device.kind == DeviceKind::Cpu ? promised.hostBytes : promised.deviceBytes;
    config.memoryLimit = bytes;
    QCOMPARE(test::runOn(config, tensor).history.size(), std::size_t{1});
    config.memoryLimit = bytes - 1;
    const bool canDoWithLess = row.format == "auto" || (row.device.kind == DeviceKind::Cuda && row.format == mttkrp::streamingId);
    if (canDoWithLess) {
        QVERIFY(test::runOn(config, tensor).memory.deviceBytes < bytes);
        config.memoryLimit = 60'000; // the factors alone take more
    }
    try {
        test::runOn(config, tensor);
        QFAIL("took more than it may");
    } catch (const OutOfMemory& error) {
        QVERIFY(canDoWithLess ? error.bytesNeeded() < bytes : error.bytesNeeded() == bytes);
        QCOMPARE(error.bytesFree(), config.memoryLimit);
        QVERIFY(QString(error.what()).contains("memory limit"));
    }
}

/// What coo takes is too little for the others.
void CpAlsTest::automaticTakesWhatTheLimitAllows()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = sorted(test::randomTensor({300, 200, 50}, 60'000, 10, row.doubles()));
    const ProblemShape shape{tensor.dims(), tensor.entries(), 0, row.doubles() ? 8U : 4U};
    RunConfig config = row.config();
    config.ranks = {16};
    test::fixIterations(config, 1);
    config.format = "coo";
    config = resolve(config, tensor.dims());
    const bool onCpu = row.device.kind == DeviceKind::Cpu;
    const MemoryUse coo = estimateOf(config, shape);
    config.memoryLimit = onCpu ? coo.hostBytes : coo.deviceBytes;
    config.format = "auto";
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    const std::uint64_t before = ArrayMemory::now();
    ArrayMemory::restartPeak();
    solver->prepare(control);
    solver->iterate(0, control);
    QVERIFY2(QString::fromStdString(solver->variantNote()).contains("in the format coo"), solver->variantNote().c_str());
    QVERIFY(onCpu ? ArrayMemory::peak() - before <= config.memoryLimit : solver->memoryUse().deviceBytes <= config.memoryLimit);
}

void CpAlsTest::whatDoesNotFitTheGpuIsStreamed_data()
{
    QTest::addColumn<test::DeviceRow>("row");
    QTest::addColumn<bool>("blocks");
    for (const test::DeviceRow& row : ownRows())
        for (const bool blocks : {false, true})
            if (row.format == mttkrp::streamingId || row.format == "auto")
                QTest::addRow("%s, %s", row.name().c_str(), blocks ? "blocks" : "one word") << row << blocks;
}

/// As a run does that has all of them there, test entries and what follows a stop included.
void CpAlsTest::whatDoesNotFitTheGpuIsStreamed()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(bool, blocks);
    if (row.device.kind == DeviceKind::Cpu)
        QSKIP("streams nothing");
    const std::vector<Index> dims = blocks ? std::vector<Index>{70'000, 2, 90'000, 100'000, 300'000} : std::vector<Index>{600, 50, 7000};
    const SparseTensor tensor = sorted(test::randomTensor(dims, 300'001, 5, row.doubles()));
    const SparseTensor held = sorted(test::randomTensor(dims, 50'000, 6, row.doubles()));
    const ProblemShape shape{dims, tensor.entries(), held.entries(), row.doubles() ? 8U : 4U};
    RunConfig config = row.config();
    config.ranks = {12};
    config = resolve(config, dims);
    RunControl control;
    const auto resident = algorithm("cp-als").makeSolver({config, tensor, &held});
    resident->prepare(control);
    QVERIFY(!QString::fromStdString(resident->variantNote()).contains("streamed"));
    RunConfig coo = config, limited = config;
    coo.format = "coo";
    const std::uint64_t entryBytes = (tensor.entries() + held.entries()) * (dims.size() * sizeof(Index) + (row.doubles() ? 8 : 4));
    limited.memoryLimit = estimateOf(coo, shape).deviceBytes - entryBytes / 2;
    const MemoryUse promised = estimateOf(limited, shape);
    QVERIFY(promised.deviceBytes <= limited.memoryLimit && promised.hostBytes > (tensor.entries() + held.entries()) * 12);
    const auto streamed = algorithm("cp-als").makeSolver({limited, tensor, &held});
    streamed->prepare(control);
    QVERIFY2(QString::fromStdString(streamed->variantNote()).contains("streamed through the GPU"), streamed->variantNote().c_str());
    const double tolerance = row.doubles() ? 1e-9 : 1e-4;
    for (unsigned t = 0; t < 3; ++t) {
        RunControl stopped;
        stopped.stop();
        QVERIFY_EXCEPTION_THROWN(streamed->evaluate(stopped), Cancelled);
        resident->iterate(t, control);
        streamed->iterate(t, control);
        const Quality expected = resident->evaluate(control), found = streamed->evaluate(control);
        QCOMPARE(found.train.count, tensor.entries());
        QCOMPARE(found.test.count, held.entries());
        QVERIFY2(std::abs(found.fit - expected.fit) < tolerance, qPrintable(QString("%1 in place of %2").arg(found.fit).arg(expected.fit)));
        QVERIFY(std::abs(found.train.rmse() - expected.train.rmse()) < tolerance * expected.train.rmse());
        QVERIFY(std::abs(found.test.rmse() - expected.test.rmse()) < tolerance * expected.test.rmse());
    }
    const MemoryUse taken = streamed->memoryUse();
    QVERIFY2(taken.deviceBytes <= promised.deviceBytes && taken.hostBytes <= promised.hostBytes && taken.hostBytes > 0,
             qPrintable(QString("took %1, promised %2").arg(taken.deviceBytes).arg(promised.deviceBytes)));
    RunControl stopped;
    const std::uint64_t asked = control.checkpoints();
    streamed->iterate(3, control);
    QVERIFY(control.checkpoints() - asked > 3 * dims.size()); // once a piece
    stopped.stop();
    QVERIFY_EXCEPTION_THROWN(streamed->iterate(4, stopped), Cancelled);
    QVERIFY(streamed->evaluate(control).train.rmse() > 0);
}

void CpAlsTest::whatHasOtherBitsEveryTimeIsNoDeterministicRun()
{
    QFETCH(test::DeviceRow, row);
    RunConfig config = row.config();
    config.deterministic = true;
    QString refusal;
    try {
        resolve(config, {5, 5, 5});
    } catch (const Error& error) {
        refusal = error.what();
    }
    QCOMPARE(refusal.isEmpty(), mttkrp::promisesBits(row.format, row.device.kind));
    QVERIFY2(refusal.isEmpty() || refusal.contains("runs"), qPrintable(refusal));
}

void CpAlsTest::tensorCoresAreRefusedToTheCpu()
{
    const Support support = algorithm("cp-als").supports({"als", "runs", Precision::Tf32, DeviceId{}});
    QVERIFY(QString::fromStdString(support.reason).contains("tensor cores"));
}

/// Squares that no precision holds: the run ends with a sentence that says what may help.
void CpAlsTest::valuesThatGrowBeyondAllBoundsAreTold()
{
    QFETCH(test::DeviceRow, row);
    SparseTensor tensor = sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
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
    const SparseTensor tensor = sorted(test::randomTensor({30, 20, 10}, 900, 3, true));
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
