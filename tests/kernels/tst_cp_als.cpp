// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/sort.h"
#include "support/device_rows.h"
#include "support/random_tensor.h"
#include "support/runs.h"

#include <Eigen/Dense>
#include <QtTest>

#include <cmath>

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

} // namespace

class CpAlsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fitsAreTheTextbooksAfterEverySweep_data();
    void fitsAreTheTextbooksAfterEverySweep();
    void aPlantedModelIsFound_data();
    void aPlantedModelIsFound();
    void equalColumnsAreNoTrouble_data() { addRows(); }
    void equalColumnsAreNoTrouble();
    void sizesOfManyModesAreHeld_data() { addRows(); }
    void sizesOfManyModesAreHeld();
    void theSizeOfValuesDoesNotMatter_data() { addRows(); }
    void theSizeOfValuesDoesNotMatter();
    void nothingToFitIsTold();
    void aRidgeShortensRows_data() { addRows(); }
    void aRidgeShortensRows();

private:
    static void addRows()
    {
        QTest::addColumn<test::DeviceRow>("row");
        for (const test::DeviceRow& row : ownRows())
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

void CpAlsTest::aPlantedModelIsFound_data() { addRows(); }

/// All cells are entries and the model has their rank: nothing is left.
void CpAlsTest::aPlantedModelIsFound()
{
    QFETCH(test::DeviceRow, row);
    const std::vector<Index> dims{20, 15, 12};
    const Model truth = test::randomModel(ModelKind::Cp, dims, 3, 3, 5, true);
    SparseTensor tensor(dims, 20 * 15 * 12, true);
    Count e = 0;
    test::forEachCell(dims, [&](const std::vector<Index>& index) {
        for (unsigned n = 0; n < 3; ++n)
            tensor.indices[n][e] = index[n];
        tensor.setValue(e++, test::predictPlainly(truth, index));
    });
    tensor.sorted = true;
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

QTEST_GUILESS_MAIN(CpAlsTest)
#include "tst_cp_als.moc"
