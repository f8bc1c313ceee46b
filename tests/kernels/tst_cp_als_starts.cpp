// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/nvecs.h"
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/formats/csf.h"
#include "support/cp_als_textbook.h"
#include "support/runs.h"

#include <QtTest>

#include <cmath>
#include <map>

using namespace kernels;

namespace {

using test::Dense;

/// All cells, of terms each half as strong as the one before: eigenvalues lie apart, so that eigenvectors are certain.
SparseTensor withGaps(const std::vector<Index>& dims)
{
    const unsigned terms = 6;
    Model truth = test::randomModel(ModelKind::Cp, dims, terms, terms, 5, true);
    for (unsigned r = 0; r < terms; ++r)
        truth.weights[r] = std::pow(0.5, r);
    return test::cellsOf(truth);
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

/// Starts of eigenvectors, and of a model.
class CpAlsStartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void leadingVectorsLookUpBetweenEntries();
    void leadingEigenvectorsAreTheStart_data();
    void leadingEigenvectorsAreTheStart();
    void aStartOfEigenvectorsIsTheSameForAnyThreads();
    void memoryOfAStartOfEigenvectorsIsPromised();
    void aModelIsTheStart_data() { test::addCpAlsRows(); }
    void aModelIsTheStart();
    void anotherModelIsNoStart();
};

/// Few tasks with many entries each: somebody who wants to pause is heard before all of them are done. What rows take is the same
/// whatever the entries.
void CpAlsStartsTest::leadingVectorsLookUpBetweenEntries()
{
    const auto looks = [](Count entries) {
        const SparseTensor tensor = test::sorted(test::randomTensor({200, 3000, 400}, entries, 3));
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

void CpAlsStartsTest::leadingEigenvectorsAreTheStart_data()
{
    QTest::addColumn<test::DeviceRow>("row");
    QTest::addColumn<std::vector<Index>>("dims");
    for (const test::DeviceRow& row : test::cpAlsRows()) {
        QTest::addRow("%s, order 3", row.name().c_str()) << row << std::vector<Index>{30, 20, 12};
        QTest::addRow("%s, order 4", row.name().c_str()) << row << std::vector<Index>{14, 12, 10, 8};
        QTest::addRow("%s, a mode smaller than the rank", row.name().c_str()) << row << std::vector<Index>{30, 20, 3};
    }
}

/// Against those of the dense matrix, and then the textbook's fit after every sweep.
void CpAlsStartsTest::leadingEigenvectorsAreTheStart()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(std::vector<Index>, dims);
    const unsigned rank = 4;
    const SparseTensor tensor = test::sorted(withGaps(dims));
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
    test::Textbook textbook(tensor, start);
    for (unsigned t = 0; t < 5; ++t) {
        solver->iterate(t, control);
        textbook.sweep(t == 0);
        const double fit = solver->evaluate(control).fit, expected = textbook.fit();
        QVERIFY2(std::abs(fit - expected) < (row.doubles() ? 1e-6 : 2e-3),
                 qPrintable(QString("sweep %1: %2 in place of %3").arg(t + 1).arg(fit, 0, 'g', 12).arg(expected, 0, 'g', 12)));
    }
}

void CpAlsStartsTest::aStartOfEigenvectorsIsTheSameForAnyThreads()
{
    const SparseTensor tensor = test::sorted(test::randomTensor({3000, 500, 7}, 20'000, 3));
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

void CpAlsStartsTest::memoryOfAStartOfEigenvectorsIsPromised()
{
    const SparseTensor tensor = test::sorted(test::randomTensor({60'000, 20'000, 5000}, 100'000, 3));
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
void CpAlsStartsTest::aModelIsTheStart()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = test::sorted(test::randomTensor({9, 8, 7}, 150, 3, true));
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
    test::Textbook textbook(tensor, start);
    for (unsigned t = 0; t < 4; ++t) {
        textbook.sweep(t == 0);
        QVERIFY2(std::abs(result.history[t].fit - textbook.fit()) < (row.doubles() ? 1e-6 : 2e-3),
                 qPrintable(QString("%1 in place of %2").arg(result.history[t].fit).arg(textbook.fit())));
    }
}

void CpAlsStartsTest::anotherModelIsNoStart()
{
    const SparseTensor tensor = test::sorted(test::randomTensor({9, 8, 7}, 150, 3, true));
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

QTEST_GUILESS_MAIN(CpAlsStartsTest)
#include "tst_cp_als_starts.moc"
