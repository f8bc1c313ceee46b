// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_ccd/back_end.h"
#include "kernels/algorithms/tucker_ccd/pruning.h"
#include "kernels/base/registry.h"
#include "kernels/operations/evaluate.h"
#include "kernels/operations/model_match.h"
#include "support/checkpoints.h"
#include "support/far_values.h"
#include "support/runs.h"
#include "support/tucker_oracle.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace kernels;
using namespace test::tucker;
using test::runOn;
using tucker_ccd::Pruning;
using tucker_ccd::PruningSettings;

namespace {

constexpr double lambda = 0.7;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers as they are, so that they can be compared with the formulas.
RunConfig plainConfig(const Problem& problem, const QString& variant, bool doubles, unsigned sweeps)
{
    RunConfig config;
    config.algorithm = "tucker-ccd";
    config.threads = 1; // threads have little to share here, and wait long for each other where the machine is busy
    config.variant = variant.toStdString();
    config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
    config.ranks = problem.ranks;
    config.parameters = {{"penalty", lambda},
                         {"relative-penalty", false},
                         {"shrink-to", std::string("zero")},
                         {"row-sweeps", std::int64_t{sweeps}},
                         {"pruning", std::string("off")}};
    test::fixIterations(config, 1);
    return config;
}

unsigned coreModeOf(const SparseTensor& tensor, const std::vector<unsigned>& ranks)
{
    return tucker_ccd::coreMode({tensor.dims(), ranks, tensor.entries()});
}

Count zerosOf(const Matrix& matrix)
{
    return std::visit([](const auto& data) { return Count(std::count(data.begin(), data.end(), 0)); }, matrix.data);
}

/// Of the core and of every factor, the least.
double leastSparsity(const Model& model)
{
    double least = double(std::count(model.core.begin(), model.core.end(), 0.0)) / double(model.core.size());
    for (const Matrix& factor : model.factors)
        least = std::min(least, double(zerosOf(factor)) / double(factor.rows * factor.columns));
    return least;
}

/// Which is how many zeros an array of so many numbers has at least.
Count wantedZeros(double sparsity, Count numbers) { return std::min(Count(std::ceil(sparsity * double(numbers) - 1e-6)), numbers - 1); }

RunConfig pruningConfig(const char* pruning, std::uint64_t iterations)
{
    RunConfig config;
    config.algorithm = "tucker-ccd";
    config.threads = 1; // threads have little to share here, and wait long for each other where the machine is busy
    config.ranks = {5, 4, 3};
    config.parameters = {{"pruning", std::string(pruning)}};
    test::fixIterations(config, iterations);
    return config;
}

} // namespace

class TuckerCcdTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sweepsAreTheFormulas_data() { addProblems(); }
    void sweepsAreTheFormulas()
    {
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        sweepsAreTheFormulasOf("squares", number, variant, doubles, 2);
    }

    /// Without pruning: a number that became 0 is asked again in the next sweep.
    void sweepsOnSizesAreTheFormulas_data() { addProblems(); }
    void sweepsOnSizesAreTheFormulas()
    {
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        sweepsAreTheFormulasOf("sizes", number, variant, doubles, doubles ? 4 : 2);
    }

    /// Numbers that a penalty on sizes made 0 come back where they are missed, but not once pruning has begun.
    void zerosComeBackUntilPruningBegins()
    {
        const SyntheticProblem& problem = test::smallProblem();
        RunConfig config = pruningConfig("to-sparsity", 40);
        config.parameters["penalty-form"] = std::string("sizes");
        config.parameters["penalty"] = 0.1;
        config.parameters["sparsity"] = 0.1;
        config.parameters["prune-after"] = std::int64_t{12};
        Begun begun(config, problem.train);
        const auto zerosNow = [&] {
            std::vector<bool> zeros;
            const Model model = begun.solver->model(Snapshot::Latest);
            for (const Matrix& factor : model.factors)
                for (std::size_t i = 0; i < factor.rows; ++i)
                    for (std::size_t j = 0; j < factor.columns; ++j)
                        zeros.push_back(factor.at(i, j) == 0);
            for (const double number : model.core)
                zeros.push_back(number == 0);
            return zeros;
        };
        unsigned cameBack = 0;
        std::vector<bool> before = zerosNow();
        for (std::uint64_t t = 0; t < 40; ++t) {
            begun.solver->iterate(t, begun.control);
            begun.solver->evaluate(begun.control);
            const std::vector<bool> now = zerosNow();
            for (std::size_t i = 0; i < now.size(); ++i) {
                cameBack += before[i] && !now[i];
                QVERIFY(t < 12 || !before[i] || now[i]);
            }
            before = now;
        }
        QVERIFY(cameBack > 0);
        QVERIFY(std::count(before.begin(), before.end(), true) > 0);
    }

    /// Where the penalty outweighs all there is to learn, nothing but what it draws to is left.
    void aHeavyPenaltyOnSizesLeavesTheMean()
    {
        const SyntheticProblem& problem = test::smallProblem();
        SparseTensor tensor = problem.train;
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, tensor.value(e) + 10);
        RunConfig config = pruningConfig("off", 3);
        config.parameters["penalty-form"] = std::string("sizes");
        config.parameters["penalty"] = 1e9;
        const Model model = runOn(config, tensor).best;
        QCOMPARE(Count(std::count(model.core.begin(), model.core.end(), 0.0)), model.core.size() - 1);
        for (const Matrix& factor : model.factors)
            for (std::size_t i = 0; i < factor.rows; ++i)
                for (std::size_t j = 0; j < factor.columns; ++j)
                    QCOMPARE(factor.at(i, j), j == 0 ? 1.0 : 0.0);
    }
    /// Those without which the loss rises least, by its own formula: rows at their end, elements of the core at their turn.
    void whatIsPrunedIsLeastMissed_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("sizes");
        for (const int number : {0, 1, 4, 5, 6})
            for (const bool sizes : {false, true})
                QTest::addRow("%s%s", problems()[std::size_t(number)].first, sizes ? ", sizes" : "") << number << sizes;
    }
    void whatIsPrunedIsLeastMissed()
    {
        QFETCH(int, number);
        QFETCH(bool, sizes);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        RunConfig config = plainConfig(problem, "direct", true, 2);
        config.parameters["pruning"] = std::string("to-sparsity");
        config.parameters["penalty-form"] = std::string(sizes ? "sizes" : "squares");
        config.parameters["sparsity"] = 0.4;
        config.parameters["prune-rate"] = 0.5; // one round
        const CoordinateRule rule{lambda, sizes};
        Begun begun(config, tensor);
        begun.solver->iterate(0, begun.control);
        Model& model = begun.model;
        const auto prune = [](const std::vector<double>& rises, Count count, const auto& remove) {
            std::vector<std::size_t> order(rises.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rises[a] < rises[b]; });
            for (Count i = 0; i < count; ++i)
                remove(order[i]);
        };
        for (unsigned n = 0; n < tensor.order(); ++n) {
            stepRowsByCoordinates(model, tensor, n, rule, 2);
            const double now = loss(model, tensor, {lambda, lambda, sizes});
            std::vector<double> rises;
            Matrix& factor = model.factors[n];
            for (std::size_t i = 0; i < factor.rows; ++i)
                for (std::size_t j = 0; j < factor.columns; ++j) {
                    const double kept = factor.at(i, j);
                    factor.set(i, j, 0);
                    rises.push_back(kept == 0 ? -infinity : loss(model, tensor, {lambda, lambda, sizes}) - now); // zeros are counted first
                    factor.set(i, j, kept);
                }
            prune(rises, wantedZeros(0.4, rises.size()), [&](std::size_t at) { factor.set(at / factor.columns, at % factor.columns, 0); });
        }
        std::vector<double> rises = stepCoreByCoordinates(model, tensor, coreModeOf(tensor, problem.ranks), rule);
        for (std::size_t i = 0; i < rises.size(); ++i)
            if (model.core[i] == 0)
                rises[i] = -infinity;
        prune(rises, wantedZeros(0.4, rises.size()), [&](std::size_t at) { model.core[at] = 0; });
        const Model pruned = begun.solver->model(Snapshot::Latest);
        for (unsigned n = 0; n < tensor.order(); ++n) {
            QVERIFY(zerosOf(pruned.factors[n]) >= wantedZeros(0.4, pruned.factors[n].rows * pruned.factors[n].columns));
            QVERIFY2(largestDifference(pruned.factors[n], model.factors[n]) < 1e-9, qPrintable(QString::number(n)));
        }
        for (std::size_t i = 0; i < rises.size(); ++i)
            QVERIFY(std::abs(pruned.core[i] - model.core[i]) < 1e-9);
    }

    void theLeastAreFound()
    {
        for (const Count count : {Count{0}, Count{1}, Count{7}, Count{40}}) {
            Array<double> numbers(50, 1.0);
            Array<float> missed(50);
            for (std::size_t i = 0; i < 50; ++i) {
                numbers[i] = i % 5 == 0 ? 0 : 1; // ten are gone already
                missed[i] = static_cast<float>(i % 3 == 0 ? 0.25 : 1e-3 * random::uniform(3, 0, i) - 2e-4); // many are equal, some below 0
            }
            std::vector<std::pair<float, std::size_t>> order;
            for (std::size_t i = 0; i < 50; ++i)
                if (numbers[i] != 0)
                    order.emplace_back(missed[i], i);
            std::sort(order.begin(), order.end());
            Array<double> expected = numbers;
            for (Count i = 0; i < count; ++i)
                expected[order[i].second] = 0;
            tucker_ccd::pruneLeast(numbers, missed, count);
            QVERIFY(numbers == expected);
        }
    }

    void theObjectiveNeverRisesUnlessPruned_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("sizes");
        QTest::addColumn<bool>("doubles");
        for (std::size_t i = 0; i < problems().size(); ++i)
            for (const bool sizes : {false, true})
                for (const bool doubles : {true, false})
                    QTest::addRow("%s, %s%s", problems()[i].first, doubles ? "fp64" : "fp32", sizes ? ", sizes" : "")
                        << int(i) << sizes << doubles;
    }
    void theObjectiveNeverRisesUnlessPruned()
    {
        QFETCH(int, number);
        QFETCH(bool, sizes);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        RunConfig config = plainConfig(problem, "cached", doubles, 3);
        config.parameters = {{"penalty", 0.01},
                             {"penalty-form", std::string(sizes ? "sizes" : "squares")},
                             {"pruning", std::string("to-sparsity")},
                             {"sparsity", 0.3},
                             {"prune-after", std::int64_t{6}},
                             {"prune-every", std::int64_t{8}},
                             {"prune-rate", 0.3}};
        test::fixIterations(config, 25);
        const RunResult result = runOn(config, tensor);
        double squares = 0;
        for (Count e = 0; e < tensor.entries(); ++e)
            squares += tensor.value(e) * tensor.value(e);
        const double rounding = (doubles ? 1e-12 : 4e-6) * squares; // of the residuals, which are carried through a pass
        for (std::size_t i = 1; i < result.history.size(); ++i) {
            if (i == 6)
                continue; // the one round there is
            const double before = result.history[i - 1].objective, after = result.history[i].objective;
            QVERIFY2(after <= before + rounding,
                     qPrintable(QStringLiteral("%1: %2 after %3").arg(i).arg(after, 0, 'g', 12).arg(before, 0, 'g', 12)));
        }
        QVERIFY(result.history.back().objective < squares);
    }

    void aSparsityIsReached_data()
    {
        QTest::addColumn<double>("sparsity");
        QTest::addColumn<int>("iterations");
        for (const double sparsity : {0.5, 0.9})
            for (const int iterations : {1, 2, 3, 11, 60})
                QTest::addRow("%g in %d", sparsity, iterations) << sparsity << iterations;
    }
    /// However few iterations there are; and it is that model that comes out, whatever the error.
    void aSparsityIsReached()
    {
        QFETCH(double, sparsity);
        QFETCH(int, iterations);
        const SyntheticProblem& problem = test::smallProblem();
        RunConfig config = pruningConfig("to-sparsity", std::uint64_t(iterations));
        config.parameters["sparsity"] = sparsity;
        const RunResult result = runOn(config, problem.train, &problem.test);
        QVERIFY(result.bestIteration > 0);
        const auto holds = [&](Count zeros, Count numbers) {
            QVERIFY2(zeros >= wantedZeros(sparsity, numbers), qPrintable(QStringLiteral("%1 of %2").arg(zeros).arg(numbers)));
            QVERIFY(zeros < numbers);
        };
        for (const Matrix& factor : result.best.factors)
            holds(zerosOf(factor), factor.rows * factor.columns);
        holds(Count(std::count(result.best.core.begin(), result.best.core.end(), 0.0)), result.best.core.size());
        const double reached = evaluateModel(result.best, problem.test).rmse();
        QVERIFY(std::abs(reached - result.history[result.bestIteration - 1].testRmse) < 1e-4 * reached);
    }

    void automaticPruningKeepsItsBound_data()
    {
        QTest::addColumn<double>("rise");
        QTest::addColumn<bool>("doubles");
        for (const double rise : {0.0, 0.01, 0.1, 1.0})
            for (const bool doubles : {false, true})
                QTest::addRow("%g, %s", rise, doubles ? "fp64" : "fp32") << rise << doubles;
    }
    void automaticPruningKeepsItsBound()
    {
        QFETCH(double, rise);
        QFETCH(bool, doubles);
        const SyntheticProblem& problem = test::smallProblem();
        RunConfig config = pruningConfig("automatic", 120);
        config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
        config.parameters["error-rise"] = rise;
        const RunResult result = runOn(config, problem.train);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < 10; ++i) // while nothing was pruned
            least = std::min(least, result.history[i].trainRmse);
        const double reached = evaluateModel(result.best, problem.train).rmse();
        QVERIFY2(reached <= (1 + rise) * least * (1 + 1e-5), qPrintable(QStringLiteral("%1 of %2").arg(reached).arg(least)));
        QVERIFY(result.bestIteration > 10);
        if (rise >= 0.1)
            QVERIFY2(leastSparsity(result.best) > 0.1, qPrintable(QString::number(leastSparsity(result.best))));
    }

    /// It ends by itself, and then the run converges.
    void automaticPruningEnds()
    {
        const SyntheticProblem& problem = test::smallProblem();
        RunConfig config = pruningConfig("automatic", 500);
        config.stopping.tolerance = 1e-4;
        config.stopping.patience = 3;
        const RunResult result = runOn(config, problem.train);
        QVERIFY(result.reason == StopReason::Converged);
        QVERIFY(result.history.size() > 13);
        QVERIFY(leastSparsity(result.best) > 0);
    }

    void roundsFitTheIterations()
    {
        for (const std::uint64_t iterations : {1u, 2u, 5u, 20u, 100u}) {
            PruningSettings settings;
            settings.kind = PruningSettings::Kind::ToSparsity;
            settings.sparsity = 0.9;
            settings.iterations = iterations;
            Pruning pruning(settings);
            Count zeros = 0;
            for (std::uint64_t t = 0; t < iterations; ++t) {
                const Count due = pruning.due(t, 1000, zeros);
                QVERIFY(due == 0 || pruning.prunesAt(t));
                if (iterations >= 64) // 22 rounds of two after ten
                    QVERIFY(due <= (1000 - zeros) / 10 + 1);
                zeros += due;
                const bool before = pruning.ended();
                const Pruning::Verdict verdict = pruning.judge(t, 1.0);
                QVERIFY(!before || verdict == Pruning::Verdict::Compared);
            }
            QCOMPARE(zeros, Count{900});
            QVERIFY(pruning.ended());
        }
    }

    void variantsAreEqual()
    {
        const SparseTensor tensor = test::skewedTensor({60, 50, 40, 5}, 5000, 0.3, 3);
        RunConfig config = pruningConfig("to-sparsity", 8);
        config.precision = Precision::Fp64;
        config.ranks = {6, 5, 4, 3};
        config.parameters["sparsity"] = 0.5;
        config.variant = "direct";
        const RunResult direct = runOn(config, tensor);
        config.variant = "cached";
        const RunResult cached = runOn(config, tensor);
        QVERIFY(cached.variantNote.empty()); // has tables
        for (std::size_t i = 0; i < direct.history.size(); ++i)
            QVERIFY(std::abs(direct.history[i].objective - cached.history[i].objective) <= 1e-9 * direct.history[i].objective);
    }

    /// Parts of a row, and of the sums for the core, are added in their order.
    void threadsDoNotChangeBits()
    {
        SparseTensor tensor = test::skewedTensor({3, 400, 300}, 60000, 0.5, 5);
        RunConfig config = pruningConfig("to-sparsity", 4);
        config.ranks = {16, 20, 24};
        config.parameters["sparsity"] = 0.5;
        config.threads = 1;
        const RunResult one = runOn(config, tensor);
        config.threads = 0;
        const RunResult all = runOn(config, tensor);
        QCOMPARE(test::difference(one, all), std::string());
    }

    /// 1 % of noise on 20 entries for each unknown: the factors' spaces are found to a degree or so. Number by number that takes far more
    /// sweeps than row by row.
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
        RunConfig config = pruningConfig("off", 1000);
        config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
        config.ranks = {3};
        config.parameters["penalty"] = 0.001; // there is next to no noise
        const RunResult result = runOn(config, problem.train, &problem.test);
        const double noise = evaluateModel(*problem.truth, problem.test).rmse(), reached = evaluateModel(result.best, problem.test).rmse();
        QVERIFY2(reached < 1.1 * noise, qPrintable(QStringLiteral("reached %1, noise %2").arg(reached).arg(noise)));
        RunControl control;
        const ModelMatch match = matchModels(*problem.truth, result.best, control);
        for (const auto& cosines : match.cosines)
            QVERIFY2(cosines.back() > 0.9995, qPrintable(QString::number(cosines.back(), 'g', 8))); // 1.8 degrees
    }

    /// From every iteration: before pruning, in the middle of a round, after a rejected one, after the end.
    void aRunGoesOnFromAnyIteration_data()
    {
        QTest::addColumn<QString>("pruning");
        QTest::addColumn<QString>("form");
        QTest::addColumn<bool>("tested");
        for (const char* pruning : {"automatic", "to-sparsity", "off"})
            for (const bool tested : {false, true})
                for (const char* form : {"squares", "sizes"})
                    QTest::addRow("%s, %s%s", pruning, form, tested ? ", test set" : "") << pruning << QString(form) << tested;
    }
    void aRunGoesOnFromAnyIteration()
    {
        QFETCH(QString, pruning);
        QFETCH(QString, form);
        QFETCH(bool, tested);
        const SyntheticProblem& problem = test::smallProblem();
        RunConfig config = pruningConfig(qPrintable(pruning), 26);
        config.parameters["penalty-form"] = form.toStdString();
        config.parameters["prune-after"] = std::int64_t{3};
        config.parameters["prune-rate"] = 0.3;
        if (pruning == "to-sparsity")
            config.parameters["sparsity"] = 0.7;
        test::Keeper keeper;
        const RunResult whole = runOn(config, problem.train, tested ? &problem.test : nullptr, &keeper);
        QVERIFY(pruning == "off" || leastSparsity(whole.best) > 0.1);
        for (const std::uint64_t from : {1, 2, 3, 4, 5, 6, 9, 15, 16, 25}) {
            test::Keeper rest;
            const RunResult result = runOn(config, problem.train, tested ? &problem.test : nullptr, &rest, &keeper.kept.at(from));
            const std::string apart = test::difference(result, whole);
            QVERIFY2(apart.empty(), ("from " + std::to_string(from) + ": " + apart).c_str());
            QCOMPARE(test::difference(rest.kept.at(26).solver, keeper.kept.at(26).solver), std::string());
        }
    }

    /// With more iterations pruning would begin later than it ended; numbers that are gone stay so all the same.
    void whatIsPrunedStaysSoInALongerRun_data()
    {
        QTest::addColumn<QString>("form");
        QTest::newRow("squares") << QStringLiteral("squares");
        QTest::newRow("sizes") << QStringLiteral("sizes");
    }
    void whatIsPrunedStaysSoInALongerRun()
    {
        QFETCH(QString, form);
        RunConfig config = pruningConfig("to-sparsity", 6);
        config.parameters["penalty-form"] = form.toStdString();
        config.parameters["penalty"] = 0.01; // which alone makes few numbers 0
        config.parameters["sparsity"] = 0.6;
        test::Keeper keeper;
        runOn(config, test::smallProblem().train, nullptr, &keeper);
        config.stopping.iterations = 30;
        const RunResult longer = runOn(config, test::smallProblem().train, nullptr, nullptr, &keeper.kept.at(6));
        QCOMPARE(longer.history.size(), std::size_t{30});
        QVERIFY2(leastSparsity(longer.best) > 0.55, qPrintable(QString::number(leastSparsity(longer.best))));
    }

    void valuesThatFloatsDoNotHold()
    {
        RunConfig config;
        config.algorithm = "tucker-ccd";
        config.ranks = {4};
        const QString difference = test::differenceOfFarValues(config, 0);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
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
        RunConfig config = pruningConfig("to-sparsity", 20);
        config.ranks = {3};
        config.parameters["sparsity"] = 0.5;
        const RunResult result = runOn(config, tensor);
        const Predictor predictor(result.best);
        for (Index i = 0; i < 20; ++i) {
            const Index index[] = {29, i, i / 2};
            QVERIFY(std::abs(predictor(index) - 3.5) < 0.25);
        }
    }

private:
    void sweepsAreTheFormulasOf(const char* form, int number, const QString& variant, bool doubles, unsigned iterations)
    {
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        const bool sizes = form == std::string("sizes");
        const CoordinateRule rule{lambda, sizes, !sizes};
        for (const unsigned sweeps : {1u, 3u}) {
            RunConfig config = plainConfig(problem, variant, doubles, sweeps);
            config.parameters["penalty-form"] = std::string(form);
            Begun begun(config, tensor);
            for (unsigned t = 0; t < iterations; ++t) {
                begun.solver->iterate(t, begun.control);
                for (unsigned n = 0; n < tensor.order(); ++n)
                    stepRowsByCoordinates(begun.model, tensor, n, rule, sweeps);
                stepCoreByCoordinates(begun.model, tensor, coreModeOf(tensor, problem.ranks), rule);
            }
            const Model stepped = begun.solver->model(Snapshot::Latest);
            // A step of a column follows all those before it: what fp32 loses of them (1e-7 each) is a few hundred times that in the end.
            const double tolerance = doubles ? 1e-10 : 2e-3;
            for (unsigned n = 0; n < tensor.order(); ++n) {
                QVERIFY(!doubles || zerosOf(stepped.factors[n]) == zerosOf(begun.model.factors[n]));
                const double apart = largestDifference(stepped.factors[n], begun.model.factors[n]);
                QVERIFY2(apart < tolerance, qPrintable(QStringLiteral("mode %1: %2").arg(n + 1).arg(apart)));
            }
            const Eigen::Map<const Eigen::VectorXd> core(stepped.core.data(), Eigen::Index(stepped.core.size()));
            const Eigen::Map<const Eigen::VectorXd> expected(begun.model.core.data(), Eigen::Index(stepped.core.size()));
            QVERIFY2((core - expected).norm() < tolerance * expected.norm(), qPrintable(QString::number((core - expected).norm())));
            QVERIFY(!doubles || (core.array() == 0).count() == (expected.array() == 0).count());
        }
    }
};

QTEST_GUILESS_MAIN(TuckerCcdTest)
#include "tst_tucker_ccd.moc"
