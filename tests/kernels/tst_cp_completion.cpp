// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/back_end.h"
#include "kernels/algorithms/cp_completion_als/start.h"
#include "kernels/operations/evaluate.h"
#include "kernels/operations/model_match.h"
#include "kernels/operations/observed_rows/row_parts.h"
#include "support/cp_completion_runs.h"
#include "support/far_values.h"
#include "support/stopping.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace kernels;
using namespace test::cp;
using test::runOn;

namespace {

/// What the penalty draws rows to by default, of values as they are.
Penalty toMean(const Model& model, const SparseTensor& tensor, double lambda, bool weighted)
{
    double mean = 0;
    for (Count e = 0; e < tensor.entries(); ++e)
        mean += tensor.value(e) / double(tensor.entries());
    Penalty penalty = toZero(model, lambda, weighted);
    for (unsigned n = 0; n < model.order(); ++n) {
        const std::vector<double> row = cp_completion_als::meanRow({model.dims, model.coreRank, true, false, mean, 0}, n);
        penalty.centres[n] = Eigen::Map<const Eigen::VectorXd>(row.data(), model.coreRank);
    }
    return penalty;
}

} // namespace

class CpCompletionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSweepOfAlsIsTheFormulas_data() { addProblems(problems()); }
    void aSweepOfAlsIsTheFormulas()
    {
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(bool, weighted);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        for (const bool mean : {false, true}) {
            RunConfig config = plainConfig("cp-completion-als", problem, doubles, weighted, DeviceKind::Cpu);
            config.parameters["shrink-to"] = std::string(mean ? "mean" : "zero");
            Begun begun(config, tensor);
            const double lambda = penaltyFor(weighted);
            const Penalty penalty = mean ? toMean(begun.model, tensor, lambda, weighted) : toZero(begun.model, lambda, weighted);
            const QString difference = differenceOfAls(begun, tensor, penalty, doubles);
            QVERIFY2(difference.isEmpty(), qPrintable(difference));
        }
    }

    void anIterationOfCcdIsTheFormulas_data() { addProblems(problems()); }
    void anIterationOfCcdIsTheFormulas()
    {
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(bool, weighted);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        for (const unsigned columns : {1u, 3u, 8u})
            for (const unsigned sweeps : {1u, 2u}) {
                RunConfig config = plainConfig("cp-ccd", problem, doubles, weighted, DeviceKind::Cpu);
                config.parameters["columns"] = std::int64_t{columns};
                config.parameters["inner-sweeps"] = std::int64_t{sweeps};
                Begun begun(config, tensor);
                const Penalty penalty = toMean(begun.model, tensor, penaltyFor(weighted), weighted);
                const QString difference = differenceOfCcd(begun, tensor, penalty, columns, sweeps, doubles);
                QVERIFY2(difference.isEmpty(), qPrintable(difference));
            }
    }

    /// With as many columns as there are both solve the same equations.
    void allColumnsTogetherAreAls()
    {
        const SparseTensor tensor = test::plantedProblem({40, 30, 20}, 3000, 3, 0.1).train;
        RunConfig config;
        config.algorithm = "cp-completion-als";
        config.precision = Precision::Fp64;
        config.ranks = {6};
        test::fixIterations(config, 5);
        const RunResult als = runOn(config, tensor);
        config.algorithm = "cp-ccd";
        config.parameters["columns"] = std::int64_t{6};
        const RunResult ccd = runOn(config, tensor);
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY(std::abs(als.history[i].objective - ccd.history[i].objective) < 1e-8 * als.history[i].objective);
    }

    void theObjectiveNeverRises_data() { addPenalties(); }
    void theObjectiveNeverRises()
    {
        QFETCH(QString, algorithm);
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(bool, weighted);
        QFETCH(double, penalty);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        RunConfig config = plainConfig(algorithm, problem, doubles, weighted, DeviceKind::Cpu);
        config.parameters = {{"penalty", penalty}, {"regularisation", std::string(weighted ? "weighted" : "plain")}};
        test::fixIterations(config, 25);
        const RunResult result = runOn(config, tensor);
        const QString rise = riseOfObjective(result, tensor, doubles);
        QVERIFY2(rise.isEmpty(), qPrintable(rise));
        if (penalty < 1)
            QVERIFY(result.history.back().trainRmse * result.history.back().trainRmse * double(tensor.entries()) < sumOfSquares(tensor));
    }

    /// Its pieces' sums are added in their order, by however many threads, and are the row's.
    void aGiantRowIsOneRow_data() { addAlgorithms(); }
    void aGiantRowIsOneRow()
    {
        QFETCH(QString, algorithm);
        const SparseTensor tensor = giantTensor();
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.precision = Precision::Fp64;
        config.ranks = {96};
        config.parameters = {{"relative-penalty", false}, {"shrink-to", std::string("zero")}, {"penalty", 5.0}};
        Array<Count> begins(3, 0);
        for (const Index row : tensor.indices[0])
            ++begins[row + 1];
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        const unsigned together = algorithm == QStringLiteral("cp-ccd") ? 64 : 96;
        if (together == 64)
            config.parameters["columns"] = std::int64_t{64};
        QCOMPARE(observed_rows::splitRows(begins, cp_completion_als::flopsOfEntry(3, together), together).giants.size(), std::size_t{2});
        test::fixIterations(config, 2);
        config.threads = 1;
        const RunResult one = runOn(config, tensor);
        config.threads = 0;
        const RunResult all = runOn(config, tensor);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(one.best.factors[n].data == all.best.factors[n].data);
        if (algorithm != QStringLiteral("cp-completion-als"))
            return; // columns together are no rows of formulas
        Begun begun(config, tensor);
        begun.solver->iterate(0, begun.control);
        Eigen::MatrixXd normal = 5 * Eigen::MatrixXd::Identity(96, 96);
        Eigen::VectorXd right = Eigen::VectorXd::Zero(96);
        for (Count e = 0; e < tensor.entries(); ++e)
            if (tensor.indices[0][e] == 1) {
                const Eigen::VectorXd s = productsOf(begun.model, tensor, e, 0);
                normal.selfadjointView<Eigen::Lower>().rankUpdate(s);
                right += tensor.value(e) * s;
            }
        const Eigen::VectorXd expected = normal.selfadjointView<Eigen::Lower>().ldlt().solve(right);
        const Matrix first = begun.solver->model(Snapshot::Latest).factors[0];
        for (unsigned r = 0; r < 96; ++r)
            QVERIFY(std::abs(first.at(1, r) - expected[r]) < 1e-7 * expected.norm());
    }

    /// Ranks to the largest, of which equations and rows are a matter of a tenth of a second: a stop comes between them.
    void aStopIsHonouredAtTheLargestRanks_data()
    {
        QTest::addColumn<QString>("algorithm");
        for (const char* id : {"cp-completion-als", "cp-ccd", "cp-sgd"})
            QTest::addRow("%s", id) << id;
    }
    void aStopIsHonouredAtTheLargestRanks()
    {
        QFETCH(QString, algorithm);
        const SparseTensor tensor = test::skewedTensor(std::vector<Index>(10, 20), 30000, 0, 8);
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.precision = Precision::Fp64;
        config.ranks = {kernels::algorithm(config.algorithm).maxRank};
        if (algorithm == QStringLiteral("cp-ccd"))
            config.parameters["columns"] = std::int64_t{128};
        config = resolve(config, tensor.dims());
        const auto solver = kernels::algorithm(config.algorithm).makeSolver({config, tensor, nullptr});
        RunControl control;
        solver->prepare(control);
        const double most = test::onAllProcessors(test::longestStop);
        const test::Stopped stopped = test::bestStopAfter(0.2, most, [&](RunControl& own) {
            for (std::uint64_t t = 0; t < 1000; ++t) // one may be through before the stop
                solver->iterate(t, own);
        });
        QVERIFY2(stopped.early && stopped.processorSeconds < most, qPrintable(QString::number(stopped.processorSeconds)));
        for (const Matrix& factor : solver->model(Snapshot::Latest).factors) // usable still
            for (std::size_t i = 0; i < factor.rows; ++i)
                QVERIFY(std::isfinite(factor.at(i, 0)));
    }

    /// Squares of the products overflow in single precision: rows stay as they are, and the run ends.
    void sumsThatOverflowEndTheRun_data() { addAlgorithms(); }
    void sumsThatOverflowEndTheRun()
    {
        QFETCH(QString, algorithm);
        const QString problem = problemOfOverflow(plainConfig(algorithm, {{}, 4, 0, 0}, false, false, DeviceKind::Cpu));
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    /// What single precision cannot hold is no row, though its equations are finite: here numbers of about 10⁴⁰.
    void rowsThatOverflowStay_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<unsigned>("rank");
        for (const char* id : ridgeAlgorithms())
            for (const unsigned rank : {1U, 5U})
                QTest::addRow("%s, rank %u", id, rank) << id << rank;
    }
    void rowsThatOverflowStay()
    {
        QFETCH(QString, algorithm);
        QFETCH(unsigned, rank);
        SparseTensor tensor = test::skewedTensor({17, 12}, 90, 0, 3);
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, 1e30 * (1 + random::uniform(1, 0, e)));
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.precision = Precision::Fp32;
        config.ranks = {rank};
        config.parameters = {{"penalty", 0.0}, {"relative-penalty", false}, {"shrink-to", std::string("zero")}};
        if (algorithm == QStringLiteral("cp-ccd"))
            config.parameters["columns"] = std::int64_t{rank};
        Begun begun(config, tensor);
        SolverState state = begun.solver->saveState();
        for (unsigned n = 0; n < 2; ++n) {
            Matrix& factor = state.at("factor_" + std::to_string(n));
            for (std::size_t i = 0; i < factor.rows; ++i)
                for (unsigned j = 0; j < rank; ++j)
                    factor.set(i, j, 1e-10 * (1 + random::uniform(2, n, i * rank + j)));
        }
        begun.solver->restoreState(std::move(state), begun.control);
        begun.solver->iterate(0, begun.control);
        for (const Matrix& factor : begun.solver->model(Snapshot::Latest).factors)
            for (std::size_t i = 0; i < factor.rows; ++i)
                for (unsigned j = 0; j < rank; ++j)
                    QVERIFY(std::isfinite(factor.at(i, j)));
    }

    /// 1 % of noise on 20 entries for each unknown: components are found, whatever their order and sign.
    void findsAPlantedModel_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<bool>("doubles");
        QTest::addColumn<std::vector<Index>>("dims");
        for (const char* id : ridgeAlgorithms())
            for (const bool doubles : {false, true}) {
                QTest::addRow("%s, order 3, %s", id, doubles ? "fp64" : "fp32") << id << doubles << std::vector<Index>{60, 50, 40};
                QTest::addRow("%s, order 4, %s", id, doubles ? "fp64" : "fp32") << id << doubles << std::vector<Index>{30, 28, 26, 24};
            }
    }
    void findsAPlantedModel()
    {
        QFETCH(QString, algorithm);
        QFETCH(bool, doubles);
        QFETCH(std::vector<Index>, dims);
        SyntheticSpec spec;
        spec.dims = dims;
        spec.entries = 20000;
        spec.testEntries = 2000;
        spec.model = ModelKind::Cp;
        spec.rank = spec.coreRank = 4;
        spec.noise = 0.01;
        const SyntheticProblem problem = generate(spec);
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
        config.ranks = {4};
        config.parameters["penalty"] = 0.001; // there is next to no noise
        test::fixIterations(config, 150);
        const RunResult result = runOn(config, problem.train, &problem.test);
        const double noise = evaluateModel(*problem.truth, problem.test).rmse(), reached = evaluateModel(result.best, problem.test).rmse();
        QVERIFY2(reached < 1.1 * noise, qPrintable(QStringLiteral("reached %1, noise %2").arg(reached).arg(noise)));
        RunControl control;
        const ModelMatch match = matchModels(*problem.truth, result.best, control);
        QVERIFY(match.ofComponents);
        QVERIFY2(match.score > 0.95, qPrintable(QString::number(match.score)));
    }

    /// Values in another unit are the same problem: bit for bit where it is a power of two.
    void valuesOfAnySizeAreLearntAlike_data() { addAlgorithms(); }
    void valuesOfAnySizeAreLearntAlike()
    {
        QFETCH(QString, algorithm);
        const SyntheticProblem problem = test::plantedProblem({60, 50, 40}, 8000, 3, 0.1);
        const auto rmse = [&](double scale, double offset) {
            SparseTensor train = problem.train;
            for (Count e = 0; e < train.entries(); ++e)
                train.setValue(e, scale * (train.value(e) + offset));
            RunConfig config;
            config.algorithm = algorithm.toStdString();
            config.ranks = {4};
            test::fixIterations(config, 15);
            return runOn(config, train).history.back().trainRmse / std::abs(scale);
        };
        for (const double offset : {-0.8, 0.0, 4.0}) {
            const double plain = rmse(1, offset);
            QCOMPARE(rmse(std::ldexp(1.0, 20), offset), plain);
            QCOMPARE(rmse(std::ldexp(1.0, -20), offset), plain);
            for (const double scale : {1e-6, 1e6, -1.0})
                QVERIFY2(
                    std::abs(rmse(scale, offset) - plain) < 0.05 * plain,
                    qPrintable(QStringLiteral("%1 * (x + %2): %3, not %4").arg(scale).arg(offset).arg(rmse(scale, offset)).arg(plain)));
        }
    }

    void valuesThatFloatsDoNotHold_data() { addAlgorithms(); }
    void valuesThatFloatsDoNotHold()
    {
        QFETCH(QString, algorithm);
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.ranks = {4};
        const QString difference = test::differenceOfFarValues(config, 0);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void rowsWithoutEntriesPredictTheMean_data() { addAlgorithms(); }
    void rowsWithoutEntriesPredictTheMean()
    {
        QFETCH(QString, algorithm);
        SparseTensor tensor({30, 20, 10}, 2000);
        for (Count e = 0; e < tensor.entries(); ++e) {
            tensor.indices[0][e] = static_cast<Index>(random::uniform(1, 0, e) * 29); // the last has none
            tensor.indices[1][e] = static_cast<Index>(random::uniform(1, 1, e) * 20);
            tensor.indices[2][e] = static_cast<Index>(random::uniform(1, 2, e) * 10);
            tensor.setValue(e, 3.5 + 0.5 * random::normal(1, 3, e));
        }
        for (const char* regularisation : {"plain", "weighted"}) {
            RunConfig config;
            config.algorithm = algorithm.toStdString();
            config.ranks = {3};
            config.parameters["regularisation"] = std::string(regularisation);
            if (std::string(regularisation) == "weighted")
                config.parameters["penalty"] = 0.05;
            config.stopping.iterations = 10;
            const RunResult result = runOn(config, tensor);
            const Predictor predictor(result.best);
            for (Index i = 0; i < 20; ++i) {
                const Index index[] = {29, i, i / 2};
                QVERIFY2(std::abs(predictor(index) - 3.5) < 0.5, qPrintable(QString::number(predictor(index))));
            }
        }
    }
};

QTEST_GUILESS_MAIN(CpCompletionTest)
#include "tst_cp_completion.moc"
