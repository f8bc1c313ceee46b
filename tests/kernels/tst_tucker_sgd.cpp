// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_sgd/back_end.h"
#include "kernels/formats/csf.h"
#include "kernels/operations/evaluate.h"
#include "support/far_values.h"
#include "support/runs.h"
#include "support/tucker_oracle.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using namespace test::tucker;
using test::runOn;

namespace {

constexpr double rateA = 0.02, rateB = 0.03, lambdaA = 0.4, lambdaB = 0.2;

/// Numbers as they are, so that they can be compared with the formulas.
RunConfig plainConfig(const Problem& problem, const QString& variant, bool doubles, double cap)
{
    RunConfig config;
    config.algorithm = "tucker-sgd";
    config.variant = variant.toStdString();
    config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
    config.ranks = problem.ranks;
    config.parameters = {{"relative-rates", false}, {"learning-rate-a", rateA},      {"learning-rate-b", rateB},
                         {"lambda-a", lambdaA},     {"lambda-b", lambdaB},           {"decay", 0.5},
                         {"mode-balance", 0.0},     {"start", std::string("paper")}, {"step-cap", cap}};
    return config;
}

void runsBack(const RunResult& result)
{
    QVERIFY(result.bestIteration > 0);
    for (const Matrix& factor : result.best.factors)
        for (std::size_t i = 0; i < factor.rows; ++i)
            for (std::size_t j = 0; j < factor.columns; ++j)
                QVERIFY(std::isfinite(factor.at(i, j)));
}

} // namespace

class TuckerSgdTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void iterationsAreTheFormulas_data() { addProblems(); }
    void iterationsAreTheFormulas()
    {
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        for (const double cap : {0.0, 0.05}) {
            Begun begun(plainConfig(problem, variant, doubles, cap), tensor);
            for (unsigned t = 0; t < 2; ++t) {
                begun.solver->iterate(t, begun.control);
                const double fading = 1 / (1 + 0.5 * t);
                for (unsigned n = 0; n < tensor.order(); ++n)
                    stepRows(begun.model, tensor, formats::rootedAt(problem.dims, n), rateA * fading, lambdaA, cap);
                stepCore(begun.model, tensor, rateB * fading, lambdaB);
            }
            const Model stepped = begun.solver->model(Snapshot::Latest);
            // An entry's step loses some bits of a row; up to 300 follow one another.
            const double tolerance = doubles ? 1e-11 : 1e-4;
            for (unsigned n = 0; n < tensor.order(); ++n) {
                const double apart = largestDifference(stepped.factors[n], begun.model.factors[n]);
                QVERIFY2(apart < tolerance, qPrintable(QStringLiteral("mode %1: %2").arg(n + 1).arg(apart)));
            }
            for (std::size_t i = 0; i < stepped.core.size(); ++i)
                QVERIFY(std::abs(stepped.core[i] - begun.model.core[i]) < tolerance * 2);
        }
    }

    /// Its pieces begin alike and are brought together in their order, by however many threads.
    void aGiantRowHasTheSameBitsAndLearns()
    {
        const SparseTensor tensor = giantTensor();
        RunConfig config = giantConfig("tucker-sgd");
        QCOMPARE(giantsOf(config, tensor, tucker_sgd::needs()).size(), std::size_t{2});
        test::fixIterations(config, 4);
        config.threads = 1;
        const RunResult one = runOn(config, tensor);
        config.threads = 0;
        const RunResult all = runOn(config, tensor);
        QVERIFY(one.best.core == all.best.core);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(one.best.factors[n].data == all.best.factors[n].data);
        QVERIFY2(all.history.back().trainRmse < 0.7 * all.history.front().trainRmse,
                 qPrintable(QStringLiteral("%1 of %2").arg(all.history.back().trainRmse).arg(all.history.front().trainRmse)));
    }

    void aGiantRowIsTheMeanOfItsPieces()
    {
        const SparseTensor tensor = giantTensor();
        constexpr double cap = 0.05;
        RunConfig config = giantConfig("tucker-sgd");
        config.precision = Precision::Fp64;
        config.parameters = {{"relative-rates", false}, {"learning-rate-a", rateA}, {"learning-rate-b", 0.0},
                             {"lambda-a", lambdaA},     {"mode-balance", 0.0},      {"step-cap", cap}};
        const auto giants = giantsOf(config, tensor, tucker_sgd::needs());
        QCOMPARE(giants.size(), std::size_t{2});
        const std::vector<Count> entries = orderOfRows(tensor, formats::rootedAt(tensor.dims(), 0));
        Begun begun(config, tensor);
        begun.solver->iterate(0, begun.control);
        const Model stepped = begun.solver->model(Snapshot::Latest);
        for (Index row = 0; row < 2; ++row) {
            QVERIFY(giants[row].size() > 4);
            const auto apart = [&](const std::vector<tucker_als::RowPart>& pieces) {
                const Eigen::VectorXd expected = stepRowByPieces(begun.model, tensor, entries, pieces, rateA, lambdaA, cap);
                Eigen::VectorXd found(expected.size());
                for (Eigen::Index j = 0; j < found.size(); ++j)
                    found[j] = stepped.factors[0].at(row, static_cast<std::size_t>(j));
                return (found - expected).norm() / expected.norm();
            };
            QVERIFY2(apart(giants[row]) < 1e-9, qPrintable(QString::number(apart(giants[row]))));
            const std::vector<tucker_als::RowPart> inOneGo{{row, row + 1, giants[row].front().begin, giants[row].back().end}};
            QVERIFY2(apart(inOneGo) > 1e-6, qPrintable(QString::number(apart(inOneGo)))); // which is another row
        }
    }

    /// With the rows kept as they are.
    void theCoreIsLearnt()
    {
        const SyntheticProblem problem = test::plantedProblem({60, 50, 40}, 20000, 4, 0.1);
        RunConfig config;
        config.algorithm = "tucker-sgd";
        config.ranks = {4, 5, 3};
        config.parameters = {{"learning-rate-a", 0.0}, {"lambda-b", 0.0}};
        test::fixIterations(config, 20);
        const RunResult result = runOn(config, problem.train);
        for (std::size_t i = 1; i < result.history.size(); ++i)
            QVERIFY2(result.history[i].trainRmse <= result.history[i - 1].trainRmse * (1 + 1e-7), qPrintable(QString::number(i)));
        QVERIFY(result.history.back().trainRmse < result.history.front().trainRmse);
    }

    /// Steps that are too large are taken back, with smaller ones from there on.
    void tooLargeStepsAreTakenBack()
    {
        struct Remarks : RunObserver {
            std::vector<std::string> all;
            void remarked(std::uint64_t, const std::string& sentence) override { all.push_back(sentence); }
        } remarks;
        const SyntheticProblem problem = test::plantedProblem({60, 50, 40}, 8000, 3, 0.1);
        RunConfig config;
        config.algorithm = "tucker-sgd";
        config.ranks = {4};
        config.parameters = {{"relative-rates", false}, {"step-cap", 0.0}, {"learning-rate-a", 3.0}};
        test::fixIterations(config, 12);
        RunControl control;
        const RunResult result = kernels::run(config, problem.train, nullptr, remarks, control);
        QVERIFY(!remarks.all.empty());
        QVERIFY2(remarks.all.front().find("back to the best factors so far") != std::string::npos, remarks.all.front().c_str());
        runsBack(result);
    }

    void valuesThatFloatsDoNotHold()
    {
        RunConfig config;
        config.algorithm = "tucker-sgd";
        config.ranks = {4};
        const QString difference = test::differenceOfFarValues(config, 0);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void valuesOfAnySizeAreLearntAlike()
    {
        const SyntheticProblem problem = test::plantedProblem({60, 50, 40}, 8000, 3, 0.1);
        const auto rmse = [&](double scale) {
            SparseTensor train = problem.train;
            for (Count e = 0; e < train.entries(); ++e)
                train.setValue(e, scale * (train.value(e) + 4));
            RunConfig config;
            config.algorithm = "tucker-sgd";
            config.ranks = {4};
            test::fixIterations(config, 10);
            return runOn(config, train).history.back().trainRmse / scale;
        };
        const double plain = rmse(1);
        QCOMPARE(rmse(std::ldexp(1.0, 20)), plain);
        QCOMPARE(rmse(std::ldexp(1.0, -20)), plain);
        for (const double scale : {1e-6, 1e6})
            QVERIFY(std::abs(rmse(scale) - plain) < 0.05 * plain);
    }
};

QTEST_GUILESS_MAIN(TuckerSgdTest)
#include "tst_tucker_sgd.moc"
