// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/evaluate.h"
#include "kernels/operations/model_match.h"
#include "support/cp_sgd_runs.h"
#include "support/far_values.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using namespace test::cp;
using test::runOn;

class CpSgdTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void iterationsAreTheFormulas_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("doubles");
        for (std::size_t i = 0; i < problems().size(); ++i)
            for (const bool doubles : {true, false})
                QTest::addRow("%s, %s", problems()[i].first, doubles ? "fp64" : "fp32") << int(i) << doubles;
    }
    void iterationsAreTheFormulas()
    {
        QFETCH(int, number);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        // An entry's step loses some bits of its rows; up to 600 follow one another.
        const QString difference =
            differenceOfSgd(sgdConfig(problem.rank, doubles, DeviceKind::Cpu), tensorOf(problem), doubles ? 1e-11 : 1e-4);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    /// Rows that half of the entries have each, with more workers than processors: whoever writes last wins, and they learn as
    /// well as one alone.
    void manyWorkersLearnAsWellAsOne_data() { addPrecisions(); }
    void manyWorkersLearnAsWellAsOne()
    {
        QFETCH(bool, doubles);
        const SparseTensor tensor = giantTensor();
        RunConfig config = sgdConfig(20, doubles, DeviceKind::Cpu);
        test::fixIterations(config, 6);
        const auto errors = [&](unsigned workers) {
            config.threads = workers;
            return runOn(config, tensor).history.back().trainRmse;
        };
        const double one = errors(1), many = errors(8);
        QVERIFY2(many < 1.15 * one, qPrintable(QStringLiteral("%1 of many, %2 of one").arg(many).arg(one)));
        const Count entries = tensor.entries();
        double squares = 0, sum = 0;
        for (Count e = 0; e < entries; ++e) {
            squares += tensor.value(e) * tensor.value(e) / double(entries);
            sum += tensor.value(e) / double(entries);
        }
        QVERIFY(one < 0.5 * std::sqrt(squares - sum * sum)); // of the values' spread
    }

    void aThousandTermsAreLearnt_data() { addPrecisions(); }
    void aThousandTermsAreLearnt()
    {
        QFETCH(bool, doubles);
        const SyntheticProblem problem = test::plantedProblem({60, 50, 40}, 6000, 3, 0.1);
        RunConfig config = sgdConfig(1024, doubles, DeviceKind::Cpu);
        config.deterministic = true;
        test::fixIterations(config, 6);
        const RunResult result = runOn(config, problem.train);
        QVERIFY(result.history.back().trainRmse < result.history.front().trainRmse);
        QVERIFY(std::abs(evaluateModel(result.best, problem.train).rmse() - result.history[result.bestIteration - 1].trainRmse)
                < 1e-4 * result.history.back().trainRmse);
    }

    /// 1 % of noise on 20 entries for each unknown.
    void findsAPlantedModel_data() { addPrecisions(); }
    void findsAPlantedModel()
    {
        QFETCH(bool, doubles);
        SyntheticSpec spec;
        spec.dims = {60, 50, 40};
        spec.entries = 20000;
        spec.testEntries = 2000;
        spec.model = ModelKind::Cp;
        spec.rank = spec.coreRank = 3;
        spec.noise = 0.01;
        const SyntheticProblem problem = generate(spec);
        RunConfig config = sgdConfig(3, doubles, DeviceKind::Cpu);
        config.deterministic = true;
        config.parameters = {{"lambda-a", 0.0}, {"decay", 0.0}}; // there is next to no noise
        test::fixIterations(config, 200);
        const RunResult result = runOn(config, problem.train, &problem.test);
        const double noise = evaluateModel(*problem.truth, problem.test).rmse(), reached = evaluateModel(result.best, problem.test).rmse();
        QVERIFY2(reached < 1.3 * noise, qPrintable(QStringLiteral("reached %1, noise %2").arg(reached).arg(noise)));
        RunControl control;
        const ModelMatch match = matchModels(*problem.truth, result.best, control);
        QVERIFY2(match.score > 0.95, qPrintable(QString::number(match.score)));
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
        config.algorithm = "cp-sgd";
        config.ranks = {4};
        config.deterministic = true;
        config.parameters = {{"relative-rates", false}, {"step-cap", 0.0}, {"learning-rate-a", 3.0}};
        test::fixIterations(config, 12);
        RunControl control;
        const RunResult result = kernels::run(config, problem.train, nullptr, remarks, control);
        QVERIFY(!remarks.all.empty());
        QVERIFY2(remarks.all.front().find("back to the best factors so far") != std::string::npos, remarks.all.front().c_str());
        QVERIFY(result.bestIteration > 0);
        QVERIFY(std::isfinite(result.history.back().trainRmse));
    }

    void valuesThatFloatsDoNotHold()
    {
        RunConfig config = sgdConfig(4, false, DeviceKind::Cpu);
        config.deterministic = true;
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
            config.algorithm = "cp-sgd";
            config.ranks = {4};
            config.deterministic = true;
            test::fixIterations(config, 10);
            return runOn(config, train).history.back().trainRmse / std::abs(scale);
        };
        const double plain = rmse(1);
        QCOMPARE(rmse(std::ldexp(1.0, 20)), plain);
        QCOMPARE(rmse(std::ldexp(1.0, -20)), plain);
        for (const double scale : {1e-6, 1e6, -1.0})
            QVERIFY(std::abs(rmse(scale) - plain) < 0.05 * plain);
    }
};

QTEST_GUILESS_MAIN(CpSgdTest)
#include "tst_cp_sgd.moc"
