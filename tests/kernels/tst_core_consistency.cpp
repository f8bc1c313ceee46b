// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/core_consistency.h"
#include "support/random_tensor.h"
#include "support/runs.h"

#include <Eigen/Dense>
#include <QtTest>

#include <cmath>

using namespace kernels;

namespace {

/// Every cell of a model, plus noise.
SparseTensor cellsOf(const Model& model, double noise)
{
    Count cells = 1;
    for (const Index size : model.dims)
        cells *= size;
    SparseTensor tensor(model.dims, cells, true);
    Count e = 0;
    test::forEachCell(model.dims, [&](const std::vector<Index>& index) {
        for (unsigned n = 0; n < index.size(); ++n)
            tensor.indices[n][e] = index[n];
        tensor.setValue(e, test::predictPlainly(model, index) + noise * (2 * random::uniform(77, 0, e) - 1));
        ++e;
    });
    tensor.sorted = true;
    return tensor;
}

/// The definition, cell by cell: residuals of all cells or of the entries alone, times the pseudo-inverses element by element.
double plainConsistency(const Model& cp, const SparseTensor& tensor, Objective objective, const std::vector<Count>& leftOut = {})
{
    std::vector<Eigen::MatrixXd> inverses;
    for (unsigned n = 0; n < cp.order(); ++n) {
        Eigen::MatrixXd a(cp.dims[n], cp.coreRank);
        for (Eigen::Index i = 0; i < a.rows(); ++i)
            for (Eigen::Index r = 0; r < a.cols(); ++r)
                a(i, r) = cp.factors[n].at(static_cast<std::size_t>(i), static_cast<std::size_t>(r))
                    * (n == 0 ? cp.weights[static_cast<std::size_t>(r)] : 1);
        inverses.emplace_back(a.completeOrthogonalDecomposition().pseudoInverse());
    }
    std::vector<Index> ranks(cp.order(), cp.coreRank);
    std::size_t size = 1;
    for (const Index rank : ranks)
        size *= rank;
    std::vector<double> difference(size, 0.0); // G − I
    const auto add = [&](const std::vector<Index>& index, double e) {
        std::size_t at = 0;
        test::forEachCell(ranks, [&](const std::vector<Index>& r) {
            double product = e;
            for (unsigned n = 0; n < cp.order(); ++n)
                product *= inverses[n](r[n], index[n]);
            difference[at++] += product;
        });
    };
    for (Count e = 0; e < tensor.entries(); ++e) {
        if (std::find(leftOut.begin(), leftOut.end(), e) != leftOut.end())
            continue;
        const auto index = test::indexOf(tensor, e);
        add(index, tensor.value(e) - (objective == Objective::Observed ? test::predictPlainly(cp, index) : 0));
    }
    if (objective == Objective::All)
        test::forEachCell(cp.dims, [&](const std::vector<Index>& index) { add(index, -test::predictPlainly(cp, index)); });
    double squares = 0;
    for (const double d : difference)
        squares += d * d;
    return 100 * (1 - squares / cp.coreRank);
}

/// Of its columns' own size.
void disturb(Model& model, double relative, std::uint64_t seed)
{
    for (unsigned n = 0; n < model.order(); ++n)
        for (std::size_t i = 0; i < model.factors[n].rows; ++i)
            for (std::size_t r = 0; r < model.coreRank; ++r) {
                const double value = model.factors[n].at(i, r);
                const double noise = random::normal(seed, n, i * model.coreRank + r);
                model.factors[n].set(i, r, value + relative * noise);
            }
}

/// The second column of these modes is the first, turned by this angle.
Model withCollinear(Model model, unsigned modes, double angle)
{
    for (unsigned n = 0; n < modes; ++n)
        for (std::size_t i = 0; i < model.factors[n].rows; ++i)
            model.factors[n].set(i, 1, model.factors[n].at(i, 0) + angle * model.factors[n].at(i, 1));
    return model;
}

} // namespace

class TestCoreConsistency : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anExactModelHasAHundred()
    {
        for (const unsigned order : {2U, 3U, 4U}) {
            Model model = test::randomModel(ModelKind::Cp, test::dimsOfOrder(order), 2, 0, 11, true);
            model.weights = {-2, 0.25};
            const SparseTensor tensor = cellsOf(model, 0);
            for (const Objective objective : {Objective::Observed, Objective::All}) {
                const CoreConsistency found = coreConsistency(model, tensor, objective);
                QVERIFY2(std::abs(found.percent - 100) < 1e-8, qPrintable(QString::number(found.percent, 'g', 17)));
                // G is ones on the super-diagonal.
                std::size_t step = 0;
                for (unsigned n = 0; n < order; ++n)
                    step = 2 * step + 1;
                for (std::size_t i = 0; i < found.core.size(); ++i)
                    QVERIFY(std::abs(found.core[i] - (i % step == 0 ? 1 : 0)) < 1e-6);
            }
        }
    }

    void agreesWithTheDefinition_data()
    {
        QTest::addColumn<unsigned>("order");
        QTest::addColumn<bool>("sorted");
        for (const unsigned order : {2U, 3U, 4U})
            for (const bool sorted : {true, false})
                QTest::addRow("order %u%s", order, sorted ? "" : ", in no order") << order << sorted;
    }

    void agreesWithTheDefinition()
    {
        QFETCH(unsigned, order);
        QFETCH(bool, sorted);
        // Taller than wide, so that columns are far from parallel and the answer is no matter of rounding.
        std::vector<Index> dims{11, 9, 8, 7};
        dims.resize(order);
        Model model = test::randomModel(ModelKind::Cp, dims, 3, 0, 3, false);
        model.weights = {3, -1, 0.5};
        const SparseTensor tensor = sorted ? cellsOf(model, 0.2) : test::randomTensor(dims, 60, 5, true);
        const std::vector<Count> leftOut{3, 17, 18, 59};
        for (const Objective objective : {Objective::Observed, Objective::All})
            for (const auto& skipped : {std::vector<Count>{}, leftOut}) {
                const double expected = plainConsistency(model, tensor, objective, skipped);
                const double found = coreConsistency(model, tensor, objective, skipped).percent;
                // fp64; the inverses square the factors' condition, some 10.
                QVERIFY2(std::abs(found - expected) <= 1e-9 * (100 + std::abs(expected)),
                         qPrintable(QStringLiteral("%1, expected %2").arg(found, 0, 'g', 17).arg(expected, 0, 'g', 17)));
            }
    }

    /// What it is for: rank 2 data under noise, fitted with two and with three components.
    void tooManyComponentsAreSeen()
    {
        const Model planted = test::randomModel(ModelKind::Cp, {20, 16, 12}, 2, 0, 21, true);
        const SparseTensor tensor = cellsOf(planted, 0.15);
        double percent[2] = {};
        for (const unsigned rank : {2U, 3U}) {
            RunConfig config;
            config.algorithm = "cp-als";
            config.precision = Precision::Fp64;
            config.ranks = {rank};
            config.split.kind = SplitKind::None;
            test::fixIterations(config, 300);
            percent[rank - 2] = coreConsistency(test::runOn(config, tensor).best, tensor, Objective::All).percent;
        }
        QVERIFY2(percent[0] > 99, qPrintable(QString::number(percent[0])));
        QVERIFY2(percent[1] < 60, qPrintable(QString::number(percent[1])));
    }

    /// What a change of a thousandth does: a stable value hardly moves, others by tens of percent.
    void nearlyCollinearColumnsAreUnstable()
    {
        Model plain = test::randomModel(ModelKind::Cp, {20, 16, 12}, 3, 0, 21, true);
        const auto moved = [](const Model& model) {
            const SparseTensor tensor = cellsOf(model, 0.01);
            double most = 0;
            const double before = coreConsistency(model, tensor, Objective::All).percent;
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                Model other = model;
                disturb(other, 1e-3, seed);
                most = std::max(most, std::abs(coreConsistency(other, tensor, Objective::All).percent - before));
            }
            return std::pair(coreConsistency(model, tensor, Objective::All), most);
        };
        const auto [stable, little] = moved(plain);
        QVERIFY2(stable.isStable() && little < 5, qPrintable(QStringLiteral("%1 %2").arg(stable.condition).arg(little)));
        const auto [unstable, much] = moved(withCollinear(plain, 3, 0.02));
        QVERIFY2(!unstable.isStable() && much > 20, qPrintable(QStringLiteral("%1 %2").arg(unstable.condition).arg(much)));
        // One mode whose columns are alike is no harm while the others tell the components apart.
        const auto [one, some] = moved(withCollinear(plain, 1, 0.2));
        QVERIFY2(one.isStable() && some < 20, qPrintable(QStringLiteral("%1 %2").arg(one.condition).arg(some)));
    }

    void theConditionIsThatOfTheFactors()
    {
        const Model model = test::randomModel(ModelKind::Cp, {11, 9, 8}, 3, 0, 3, false);
        double expected = 1;
        for (unsigned n = 0; n < 3; ++n) {
            Eigen::MatrixXd a(model.dims[n], 3);
            for (Eigen::Index i = 0; i < a.rows(); ++i)
                for (Eigen::Index r = 0; r < 3; ++r)
                    a(i, r) = model.factors[n].at(static_cast<std::size_t>(i), static_cast<std::size_t>(r));
            a.colwise().normalize();
            const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
            expected *= values[0] / values[2];
        }
        const SparseTensor tensor = cellsOf(model, 0);
        QVERIFY(std::abs(coreConsistency(model, tensor, Objective::All).condition / expected - 1) < 1e-6);
        // More columns than rows depend on each other.
        const Model wide = test::randomModel(ModelKind::Cp, {11, 9, 2}, 3, 0, 3, false);
        const CoreConsistency found = coreConsistency(wide, cellsOf(wide, 0), Objective::All);
        QVERIFY(std::isinf(found.condition) && !found.isStable());
    }

    void theSameBitsWithOneThreadAsWithAll()
    {
        const Model model = test::randomModel(ModelKind::Cp, {30, 20, 25}, 4, 0, 3, false);
        const SparseTensor tensor = test::randomTensor(model.dims, 20'000, 6);
        const double all = coreConsistency(model, tensor, Objective::Observed).percent;
        const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
        QCOMPARE(coreConsistency(model, tensor, Objective::Observed).percent, all);
    }

    void whatCannotBeIsRefused()
    {
        const SparseTensor tensor = test::randomTensor({5, 7, 4}, 30, 5);
        QVERIFY_EXCEPTION_THROWN(coreConsistency(test::randomModel(ModelKind::Tucker, {5, 7, 4}, 2, 0, 1, true), tensor, Objective::All),
                                 Error);
        QVERIFY_EXCEPTION_THROWN(coreConsistency(test::randomModel(ModelKind::Cp, {5, 7, 3}, 2, 0, 1, true), tensor, Objective::All),
                                 Error);
        QVERIFY_EXCEPTION_THROWN(coreConsistency(test::randomModel(ModelKind::Cp, {5, 7, 4}, 300, 0, 1, true), tensor, Objective::All),
                                 Error);
        Progress progress;
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(
            coreConsistency(test::randomModel(ModelKind::Cp, {5, 7, 4}, 2, 0, 1, true), tensor, Objective::Observed, {}, &progress),
            Cancelled);
    }

    void progressCountsTheEntries()
    {
        const SparseTensor tensor = test::randomTensor({5, 7, 4}, 5000, 5);
        Progress progress;
        coreConsistency(test::randomModel(ModelKind::Cp, {5, 7, 4}, 2, 0, 1, true), tensor, Objective::All, {}, &progress);
        QCOMPARE(progress.done(), std::uint64_t{5000});
    }
};

QTEST_GUILESS_MAIN(TestCoreConsistency)
#include "tst_core_consistency.moc"
