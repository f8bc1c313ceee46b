// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/algorithms/tucker_als/cpu_parts.h"
#include "kernels/algorithms/tucker_als/start.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/device/make_back_end.h"
#include "kernels/operations/evaluate.h"
#include "kernels/operations/model_match.h"
#include "kernels/tensor/sort.h"
#include "support/far_values.h"
#include "support/known_tensors.h"
#include "support/runs.h"
#include "support/tucker_oracle.h"

#include <QtTest>

#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <thread>

using namespace kernels;
using test::runOn;
using namespace test::tucker;

namespace {

/// Numbers as they are, so that they can be compared with the formulas.
RunConfig plainConfig(const Problem& problem, const QString& variant, bool doubles)
{
    RunConfig config;
    config.algorithm = "tucker-als";
    config.variant = variant.toStdString();
    config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
    config.ranks = problem.ranks;
    config.parameters = {{"penalty", 0.7}, {"relative-penalty", false}, {"core", std::string("kept")}, {"shrink-to", std::string("zero")}};
    test::fixIterations(config, 1);
    return config;
}

} // namespace

class TuckerAlsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Fp32: equations are added up in single precision, and a row of them loses up to their condition (below 10⁴ here).
    void aSweepIsTheFormulas_data() { addProblems(); }
    void aSweepIsTheFormulas()
    {
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        Begun begun(plainConfig(problem, variant, doubles), tensor);
        begun.solver->iterate(0, begun.control);
        for (unsigned n = 0; n < tensor.order(); ++n)
            renewRows(begun.model, tensor, n, 0.7, Eigen::VectorXd::Zero(problem.ranks[n]));
        const Model swept = begun.solver->model(Snapshot::Latest);
        for (unsigned n = 0; n < tensor.order(); ++n) {
            const double apart = largestDifference(swept.factors[n], begun.model.factors[n]);
            QVERIFY2(apart < (doubles ? 1e-9 : 2e-3), qPrintable(QStringLiteral("mode %1: %2").arg(n + 1).arg(apart)));
        }
        QVERIFY(swept.core == begun.model.core);
    }

    /// So many steps of conjugate gradients as the core has numbers reach the minimum, whatever they are preconditioned by.
    void theFittedCoreIsTheBest_data() { addProblems(200); } // the oracle's matrix is of so many rows
    void theFittedCoreIsTheBest()
    {
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        RunConfig config = plainConfig(problem, variant, doubles);
        config.parameters["core"] = std::string("fitted");
        config.parameters["core-steps"] = std::int64_t{60};
        Begun begun(config, tensor);
        begun.solver->iterate(0, begun.control);
        const Model fitted = begun.solver->model(Snapshot::Latest);
        const Eigen::VectorXd best = bestCore(fitted, tensor, 0.7, 0);
        const Eigen::Map<const Eigen::VectorXd> core(fitted.core.data(), best.size());
        QVERIFY2((core - best).norm() < (doubles ? 1e-6 : 5e-3) * best.norm(),
                 qPrintable(QStringLiteral("%1 of %2").arg((core - best).norm()).arg(best.norm())));
    }

    void theObjectiveNeverRises_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("doubles");
        QTest::addColumn<bool>("fitted");
        QTest::addColumn<double>("penalty");
        for (std::size_t i = 0; i < problems().size(); ++i)
            for (const bool doubles : {true, false})
                for (const bool fitted : {true, false})
                    for (const double penalty : {0.0, 0.01})
                        QTest::addRow("%s, %s, core %s, penalty %g", problems()[i].first, doubles ? "fp64" : "fp32",
                                      fitted ? "fitted" : "kept", penalty)
                            << int(i) << doubles << fitted << penalty;
    }
    void theObjectiveNeverRises()
    {
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(bool, fitted);
        QFETCH(double, penalty);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        RunConfig config = plainConfig(problem, "cached", doubles);
        config.parameters = {{"penalty", penalty}, {"core", std::string(fitted ? "fitted" : "kept")}};
        test::fixIterations(config, 25);
        const RunResult result = runOn(config, tensor);
        // Rows are rounded after they are solved for, the objective when it is added up; what is fitted to nothing is rounding alone.
        double squares = 0;
        for (Count e = 0; e < tensor.entries(); ++e)
            squares += tensor.value(e) * tensor.value(e);
        const double rounding = (doubles ? 1e-12 : 2e-6) * squares;
        for (std::size_t i = 1; i < result.history.size(); ++i) {
            const double before = result.history[i - 1].objective, after = result.history[i].objective;
            QVERIFY2(after <= before + rounding,
                     qPrintable(QStringLiteral("%1: %2 after %3").arg(i).arg(after, 0, 'g', 12).arg(before, 0, 'g', 12)));
        }
        QVERIFY(result.history.back().objective < squares);
    }

    void variantsAreEqual()
    {
        const SparseTensor tensor = test::skewedTensor({60, 50, 40, 5}, 5000, 0.3, 3);
        RunConfig config;
        config.algorithm = "tucker-als";
        config.precision = Precision::Fp64;
        config.ranks = {6, 5, 4, 3};
        test::fixIterations(config, 5);
        config.variant = "direct";
        const RunResult direct = runOn(config, tensor);
        config.variant = "cached";
        const RunResult cached = runOn(config, tensor);
        QVERIFY(cached.variantNote.empty()); // has tables
        for (std::size_t i = 0; i < direct.history.size(); ++i)
            QVERIFY(std::abs(direct.history[i].objective - cached.history[i].objective) <= 1e-9 * direct.history[i].objective);
    }

    /// A row's pieces are added in their order, by however many threads.
    void aGiantRowHasTheSameBits()
    {
        const SparseTensor tensor = giantTensor();
        RunConfig config = giantConfig("tucker-als");
        QCOMPARE(giantsOf(config, tensor, tucker_als::needs(true)).size(), std::size_t{2});
        config.parameters["core-steps"] = std::int64_t{1};
        test::fixIterations(config, 2);
        config.threads = 1;
        const RunResult one = runOn(config, tensor);
        config.threads = 0;
        const RunResult all = runOn(config, tensor);
        QVERIFY(one.best.core == all.best.core);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(one.best.factors[n].data == all.best.factors[n].data);
    }

    /// Every part is seen in order and in pieces, as a pause must not wait for a whole one.
    void partsAreSeenInOrderAndInPieces()
    {
        for (const Count total : {Count{1}, Count{999}, Count{1000}, Count{1001}, Count{4096}})
            for (const Count atOnce : {Count{1}, Count{7}, Count{250}, Count{5000}}) {
                constexpr Count share = 250;
                std::vector<Count> next(chunkCount(total, share));
                for (Count part = 0; part < next.size(); ++part)
                    next[part] = part * share;
                std::atomic<unsigned> wrong = 0; // QVERIFY is for the test's own thread
                RunControl control;
                tucker_als::forEachPart(total, share, atOnce, control, [&](Count part, Count begin, Count end) {
                    if (begin != next[part] || end <= begin || end - begin > atOnce)
                        ++wrong;
                    next[part] = end;
                });
                QCOMPARE(wrong.load(), 0U);
                for (Count part = 0; part < next.size(); ++part)
                    QCOMPARE(next[part], std::min((part + 1) * share, total));
            }
    }

    /// Where the core is as large as it may be, its sums are made in few parts, each of them long.
    void aSumForALargeCoreIsLeftAtOnce_data()
    {
        QTest::addColumn<bool>("stops");
        QTest::addRow("paused") << false;
        QTest::addRow("stopped") << true;
    }
    void aSumForALargeCoreIsLeftAtOnce()
    {
        QFETCH(bool, stops);
        SparseTensor tensor = test::skewedTensor({50000, 40000, 30000}, 40000, 0, 3); // few entries share a row
        sortLexicographically(tensor);
        RunConfig config;
        config.algorithm = "tucker-als";
        config.ranks = {100, 100, 100};
        config = resolve(config, tensor.dims());
        RunControl control;
        const tucker_als::RunPlan plan = tucker_als::planRun(config, {tensor.dims(), tensor.entries(), 0, 4U}, tucker_als::needs(true));
        const auto backEnd = makeBackEndOf<tucker_als::AlsBackEnd>("tucker-als", config.precision, config.devices.front());
        Model start = tucker_als::drawStart({tensor.dims(), config.ranks, false, false, 0, 1}, control);
        backEnd->load({tensor, nullptr, plan, 1, std::move(start.factors), 1}, control);
        auto summing = std::async(std::launch::async, [&] {
            try {
                backEnd->sumForCore(start.core, tucker_als::CoreWeights::Residuals, control);
                return false;
            } catch (const Cancelled&) {
                return true;
            }
        });
        const auto end = qScopeGuard([&] { control.stop(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        QVERIFY(summing.wait_for(std::chrono::seconds(0)) != std::future_status::ready);
        if (!stops) {
            control.pause();
            QTRY_VERIFY_WITH_TIMEOUT(control.isPaused(), 500);
        }
        control.stop();
        QVERIFY(summing.wait_for(std::chrono::milliseconds(500)) == std::future_status::ready);
        QVERIFY(summing.get());
    }

    /// Squares of δ overflow in single precision: rows stay as they are, and the run ends.
    void sumsThatOverflowEndTheRun_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addRow("tucker-als") << "tucker-als";
        QTest::addRow("tucker-ccd") << "tucker-ccd";
    }
    void sumsThatOverflowEndTheRun()
    {
        QFETCH(QString, algorithm);
        SparseTensor tensor = test::skewedTensor({10, 9, 8}, 300, 0, 3);
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, 1e22 * (1 + 8 * random::uniform(1, 0, e)));
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.precision = Precision::Fp32;
        config.ranks = {4};
        config.parameters = {{"start", std::string("paper")}, {"relative-penalty", false}, {"shrink-to", std::string("zero")}};
        test::fixIterations(config, 3);
        const RunResult result = runOn(config, tensor);
        QCOMPARE(result.history.size(), std::size_t{3});
        for (const IterationRecord& row : result.history)
            QVERIFY(std::isfinite(row.trainRmse));
        QVERIFY(result.history.front().trainRmse < 6e22); // of values of 5e22 on average
    }

    /// 1 % of noise on 20 entries for each unknown: the factors' spaces are found to a degree or so.
    void findsAPlantedModel_data()
    {
        QTest::addColumn<bool>("doubles");
        QTest::addColumn<std::vector<Index>>("dims");
        for (const bool doubles : {false, true}) {
            QTest::addRow("order 3, %s", doubles ? "fp64" : "fp32") << doubles << std::vector<Index>{60, 50, 40};
            QTest::addRow("order 4, %s", doubles ? "fp64" : "fp32") << doubles << std::vector<Index>{20, 18, 16, 14};
        }
    }
    void findsAPlantedModel()
    {
        QFETCH(bool, doubles);
        QFETCH(std::vector<Index>, dims);
        SyntheticSpec spec;
        spec.dims = dims;
        spec.entries = 20000;
        spec.testEntries = 2000;
        spec.model = ModelKind::Tucker;
        spec.rank = 3;
        spec.noise = 0.01;
        const SyntheticProblem problem = generate(spec);
        RunConfig config;
        config.algorithm = "tucker-als";
        config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
        config.ranks = {3};
        config.parameters["penalty"] = 0.001; // there is next to no noise
        test::fixIterations(config, 100);
        const RunResult result = runOn(config, problem.train, &problem.test);
        const double noise = evaluateModel(*problem.truth, problem.test).rmse(), reached = evaluateModel(result.best, problem.test).rmse();
        QVERIFY2(reached < 1.1 * noise, qPrintable(QStringLiteral("reached %1, noise %2").arg(reached).arg(noise)));
        RunControl control;
        const ModelMatch match = matchModels(*problem.truth, result.best, control);
        for (const auto& cosines : match.cosines)
            QVERIFY2(cosines.back() > 0.9995, qPrintable(QString::number(cosines.back(), 'g', 8))); // 1.8 degrees
    }

    /// Values in another unit are the same problem: bit for bit where it is a power of two.
    void valuesThatFloatsDoNotHold()
    {
        RunConfig config;
        config.algorithm = "tucker-als";
        config.ranks = {4};
        const QString difference = test::differenceOfFarValues(config, 0);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void valuesOfAnySizeAreLearntAlike()
    {
        const SyntheticProblem problem = test::plantedProblem({60, 50, 40}, 8000, 3, 0.1);
        const auto rmse = [&](double scale, double offset) {
            SparseTensor train = problem.train;
            for (Count e = 0; e < train.entries(); ++e)
                train.setValue(e, scale * (train.value(e) + offset));
            RunConfig config;
            config.algorithm = "tucker-als";
            config.ranks = {4};
            test::fixIterations(config, 15);
            return runOn(config, train).history.back().trainRmse / scale;
        };
        for (const double offset : {0.0, 4.0}) {
            const double plain = rmse(1, offset);
            QCOMPARE(rmse(std::ldexp(1.0, 20), offset), plain);
            QCOMPARE(rmse(std::ldexp(1.0, -20), offset), plain);
            for (const double scale : {1e-6, 1e6})
                QVERIFY(std::abs(rmse(scale, offset) - plain) < 0.05 * plain);
        }
    }

    void rowsWithoutEntriesPredictTheMean()
    {
        SparseTensor tensor({30, 20, 10}, 2000);
        for (Count e = 0; e < tensor.entries(); ++e) {
            tensor.indices[0][e] = static_cast<Index>(random::uniform(1, 0, e) * 29); // the last has none
            tensor.indices[1][e] = static_cast<Index>(random::uniform(1, 1, e) * 20);
            tensor.indices[2][e] = static_cast<Index>(random::uniform(1, 2, e) * 10);
            tensor.setValue(e, 3.5 + 0.5 * random::normal(1, 3, e));
        }
        RunConfig config;
        config.algorithm = "tucker-als";
        config.ranks = {3};
        config.stopping.iterations = 10;
        const RunResult result = runOn(config, tensor);
        const Predictor predictor(result.best);
        for (Index i = 0; i < 20; ++i) {
            const Index index[] = {29, i, i / 2};
            QVERIFY(std::abs(predictor(index) - 3.5) < 0.25);
        }
    }

    void aCoreThatIsTooLargeIsRefused()
    {
        RunConfig config;
        config.algorithm = "tucker-als";
        config.ranks = {32, 32, 32, 32};
        resolve(config, {50, 50, 50, 50}); // throws, and so fails
        config.ranks = {32, 33, 32, 32};
        try {
            resolve(config, {50, 50, 50, 50});
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(error.what(), "A core of 32 x 33 x 32 x 32 numbers is too large: at most 1048576 are kept. Choose smaller ranks.");
        }
    }
};

QTEST_GUILESS_MAIN(TuckerAlsTest)
#include "tst_tucker_als.moc"
