// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/operations/model_match.h"
#include "support/ntf_cases.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace kernels;
using namespace test::ntf;

namespace {

/// Σ loss of entries that were not learnt from; a prediction below a thousandth of the mean counts as that.
double heldOutLoss(const Model& model, const SparseTensor& held, Divergence divergence)
{
    const Predictor predict(model);
    const double least = 1e-3 * meanOf(held);
    double sum = 0;
    for (Count e = 0; e < held.entries(); ++e) {
        std::vector<Index> index;
        for (unsigned n = 0; n < held.order(); ++n)
            index.push_back(held.indices[n][e]);
        sum += lossOf(divergence, held.value(e), std::max(predict(index), least));
    }
    return sum;
}

SparseTensor scaled(SparseTensor tensor, double by)
{
    for (Count e = 0; e < tensor.entries(); ++e)
        tensor.setValue(e, tensor.value(e) * by);
    return tensor;
}

} // namespace

class NtfRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lossAndPenaltyNeverRise_data()
    {
        QTest::addColumn<Divergence>("divergence");
        QTest::addColumn<Precision>("precision");
        QTest::addColumn<unsigned>("order");
        for (const Divergence divergence : allDivergences)
            for (const Precision precision : {Precision::Fp64, Precision::Fp32})
                for (const unsigned order : {2U, 3U, 5U, 10U})
                    QTest::addRow("%s, %s, order %u", toString(divergence).data(), toString(precision).data(), order)
                        << divergence << precision << order;
    }
    void lossAndPenaltyNeverRise()
    {
        QFETCH(Divergence, divergence);
        QFETCH(Precision, precision);
        QFETCH(unsigned, order);
        const SparseTensor tensor =
            positiveTensor(std::vector<Index>(order, order > 5 ? 5 : 12), 500, order, divergence != Divergence::ItakuraSaito);
        // Rounding of a step's numbers moves the loss by about their relative error.
        const double rounding = precision == Precision::Fp64 ? 1e-12 : 2e-6;
        for (const double penalty : {0.0, 0.1, 10.0})
            for (const bool weighted : {false, true})
                for (const double size : {0.01, 1.0, 30.0}) {
                    RunConfig config = configOf(divergence, 4, 1, precision);
                    config.parameters["penalty"] = penalty;
                    config.parameters["regularisation"] = std::string(weighted ? "weighted" : "plain");
                    const double rise = largestRise(objectives(config, tensor, size, 25), double(tensor.entries()));
                    QVERIFY2(rise <= rounding,
                             qPrintable(QStringLiteral("penalty %1, weighted %2, start %3: rose by %4")
                                            .arg(penalty)
                                            .arg(weighted)
                                            .arg(size)
                                            .arg(rise)));
                }
    }

    /// Why there is a rule of our own: the paper's may raise the loss where there is a penalty.
    void thePapersRuleRises()
    {
        const SparseTensor tensor = positiveTensor({12, 12, 12}, 500, 3);
        for (const Divergence divergence : {Divergence::KullbackLeibler, Divergence::ItakuraSaito}) {
            double rise = 0;
            for (const double penalty : {0.1, 10.0})
                for (const double size : {0.01, 1.0, 30.0}) {
                    RunConfig config = configOf(divergence, 4, 1);
                    config.variant = "paper";
                    config.parameters["penalty"] = penalty;
                    rise = std::max(rise, largestRise(objectives(config, tensor, size, 25), double(tensor.entries())));
                }
            QVERIFY2(rise > 1e-3, toString(divergence).data());
        }
    }

    void aPlantedModelIsFound_data()
    {
        QTest::addColumn<Divergence>("divergence");
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Precision>("precision");
        for (const Divergence divergence : allDivergences) {
            QTest::addRow("%s, order 3, fp32", toString(divergence).data())
                << divergence << std::vector<Index>{40, 30, 25} << Precision::Fp32;
            QTest::addRow("%s, order 4, fp64", toString(divergence).data())
                << divergence << std::vector<Index>{20, 18, 15, 12} << Precision::Fp64;
        }
    }
    void aPlantedModelIsFound()
    {
        QFETCH(Divergence, divergence);
        QFETCH(std::vector<Index>, dims);
        QFETCH(Precision, precision);
        const Model truth = plantedParts(dims, 4, 11);
        RunConfig config = configOf(divergence, 4, 600, precision);
        config.parameters["row-steps"] = std::int64_t{3};
        const RunResult result = test::runOn(config, exactValues(truth, 15000, 12));
        RunControl control;
        const double score = matchModels(truth, result.best, control).score;
        QVERIFY2(score > 0.95, qPrintable(QString::number(score)));
    }

    /// Entries that were never seen: the model of the right noise knows them better.
    void countsAreKnownBetterByTheirDivergence()
    {
        const Model rates = plantedParts({60, 50, 40}, 5, 21, 1.2);
        const auto draw = [](std::uint64_t seed) {
            return [seed](double rate, Count e) { return poisson(rate, random::uniform(seed, 5, e)); };
        };
        const SparseTensor train = drawnFrom(rates, 12000, 22, draw(22)), held = drawnFrom(rates, 4000, 23, draw(23));
        const auto loss = [&](Divergence divergence) {
            return heldOutLoss(test::runOn(configOf(divergence, 5, 200), train).best, held, Divergence::KullbackLeibler);
        };
        const double best = heldOutLoss(rates, held, Divergence::KullbackLeibler), kl = loss(Divergence::KullbackLeibler),
                     euclidean = loss(Divergence::Euclidean);
        QVERIFY2(kl < euclidean && kl - best < 0.5 * (euclidean - best),
                 qPrintable(QStringLiteral("truth %1, kl %2, euclidean %3").arg(best).arg(kl).arg(euclidean)));
    }
    void intensitiesAreKnownBetterByTheirDivergence()
    {
        const Model means = plantedParts({40, 30, 25}, 3, 31, 2);
        const auto draw = [](std::uint64_t seed) {
            return [seed](double mean, Count e) { return -(mean + 1e-6) * std::log(random::uniform(seed, 6, e)); };
        };
        const SparseTensor train = drawnFrom(means, 15000, 32, draw(32)), held = drawnFrom(means, 4000, 33, draw(33));
        const auto loss = [&](Divergence divergence) {
            return heldOutLoss(test::runOn(configOf(divergence, 3, 200), train).best, held, Divergence::ItakuraSaito);
        };
        const double best = heldOutLoss(means, held, Divergence::ItakuraSaito), is = loss(Divergence::ItakuraSaito),
                     euclidean = loss(Divergence::Euclidean);
        QVERIFY2(is < euclidean && is - best < 0.5 * (euclidean - best),
                 qPrintable(QStringLiteral("truth %1, is %2, euclidean %3").arg(best).arg(is).arg(euclidean)));
    }

    void valuesThatCannotBeFollowedAreRefused()
    {
        SparseTensor tensor = positiveTensor({9, 8, 7}, 50, 5);
        tensor.setValue(17, -0.25);
        const std::string place = "entry (" + std::to_string(tensor.indices[0][17] + 1) + ", " + std::to_string(tensor.indices[1][17] + 1)
            + ", " + std::to_string(tensor.indices[2][17] + 1) + ")";
        const auto mentions = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
        for (const Divergence divergence : allDivergences) {
            const std::string text = refusalOf(configOf(divergence, 3, 2), tensor);
            QVERIFY2(mentions(text, place) && mentions(text, "-0.25") && mentions(text, "cp-als"), text.c_str());
        }
        tensor.setValue(17, 0);
        const std::string zero = refusalOf(configOf(Divergence::ItakuraSaito, 3, 2), tensor);
        QVERIFY2(mentions(zero, place) && mentions(zero, "divergence=kl"), zero.c_str());
        QVERIFY(refusalOf(configOf(Divergence::KullbackLeibler, 3, 2), tensor).empty());
        QVERIFY(refusalOf(configOf(Divergence::Euclidean, 3, 2), tensor).empty());
        tensor.modes[1].labels.assign(8, "dull");
        tensor.modes[1].labels[tensor.indices[1][17]] = "bright";
        QVERIFY(mentions(refusalOf(configOf(Divergence::ItakuraSaito, 3, 2), tensor), ", bright, "));
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e200}) {
            tensor.setValue(17, bad);
            QVERIFY(mentions(refusalOf(configOf(Divergence::Euclidean, 3, 2), tensor), "finite"));
        }
    }

    void whatIsRefusedTookNoMemory()
    {
        SparseTensor tensor = positiveTensor({900, 800, 700}, 50000, 5);
        tensor.setValue(49999, -1);
        const std::uint64_t before = ArrayMemory::now();
        ArrayMemory::restartPeak();
        QVERIFY(!refusalOf(configOf(Divergence::Euclidean, 32, 2), tensor).empty());
        QVERIFY(ArrayMemory::peak() - before < 4096);
    }

    void autoIsWhatItSays()
    {
        const SparseTensor counts = drawnFrom(plantedParts({20, 20, 20}, 3, 41), 3000, 42,
                                              [](double rate, Count e) { return poisson(rate, random::uniform(1, 5, e)); });
        RunConfig config = configOf(Divergence::KullbackLeibler, 3, 3);
        const RunResult named = test::runOn(config, counts);
        config.parameters["divergence"] = std::string("auto");
        const RunResult chosen = test::runOn(config, counts);
        QVERIFY(named.variantNote.empty());
        QVERIFY2(chosen.variantNote.find("divergence=kl") != std::string::npos && chosen.variantNote.find("counts") != std::string::npos,
                 chosen.variantNote.c_str());
        QCOMPARE(chosen.history.back().divergence, named.history.back().divergence);
    }

    /// Values of any size: only exponents change, and with them nothing of the way.
    void valuesOfAnySizeAreLearntAlike()
    {
        const SparseTensor tensor = positiveTensor({12, 11, 10}, 500, 6);
        for (const Divergence divergence : allDivergences) {
            const RunConfig config = configOf(divergence, 4, 10, Precision::Fp32);
            const double rmse = test::runOn(config, tensor).history.back().trainRmse;
            for (const int exponent : {-240, -60, 60, 240}) { // a multiple of the order: the unit of rows is a power of two, too
                const double by = std::ldexp(1.0, exponent);
                const RunResult result = test::runOn(config, scaled(tensor, by));
                QVERIFY(std::abs(result.history.back().trainRmse / by / rmse - 1) < 1e-6);
            }
        }
        QVERIFY(!refusalOf(configOf(Divergence::Euclidean, 4, 2, Precision::Fp32), scaled(tensor, 1e120)).empty());
        QVERIFY(refusalOf(configOf(Divergence::Euclidean, 4, 2, Precision::Fp64), scaled(tensor, 1e120)).empty());
    }

    void nothingButZerosIsLearnt()
    {
        const SparseTensor tensor = scaled(positiveTensor({6, 5, 4}, 50, 6), 0);
        for (const Divergence divergence : {Divergence::Euclidean, Divergence::KullbackLeibler})
            QCOMPARE(test::runOn(configOf(divergence, 2, 3), tensor).history.back().trainRmse, 0.0);
    }

    /// Without a test part a run is judged by what it minimises, else by the test error.
    void theBestIsTheOneThatIsWatched()
    {
        const SparseTensor train = drawnFrom(plantedParts({30, 25, 20}, 3, 51), 1500, 52,
                                             [](double rate, Count e) { return poisson(rate, random::uniform(2, 5, e)); });
        const SparseTensor held = drawnFrom(plantedParts({30, 25, 20}, 3, 51), 500, 53,
                                            [](double rate, Count e) { return poisson(rate, random::uniform(3, 5, e)); });
        const RunConfig config = configOf(Divergence::KullbackLeibler, 12, 150);
        const auto least = [](const RunResult& result, double IterationRecord::*number) {
            const auto best = std::min_element(result.history.begin(), result.history.end(),
                                               [&](const auto& a, const auto& b) { return a.*number < b.*number; });
            return best->iteration;
        };
        const RunResult alone = test::runOn(config, train), tested = test::runOn(config, train, &held);
        QCOMPARE(alone.bestIteration, least(alone, &IterationRecord::divergence));
        QCOMPARE(tested.bestIteration, least(tested, &IterationRecord::testRmse));
        QVERIFY(tested.bestIteration < alone.bestIteration); // twelve terms learn the noise of three
        RunConfig patient = config;
        patient.stopping = {1000, 1e-3, 3, 0};
        const RunResult stopped = test::runOn(patient, train);
        QVERIFY(stopped.reason == StopReason::Converged);
        const auto& history = stopped.history;
        for (std::size_t t = history.size() - 3; t < history.size(); ++t)
            QVERIFY(history[t - 1].divergence - history[t].divergence < 1e-3 * history[t - 1].divergence);
    }

    void aRunStartsFromAModel()
    {
        const SparseTensor tensor = positiveTensor({12, 11, 10}, 500, 6);
        RunConfig config = configOf(Divergence::Euclidean, 4, 5);
        const RunResult first = test::runOn(config, tensor);
        config.parameters["start"] = std::string("model");
        config.init = "model.h5";
        RunObserver silent;
        RunControl control;
        Model start = first.best;
        for (std::size_t i = 0; i < start.factors[0].rows; ++i)
            for (unsigned r = 0; r < 4; ++r)
                start.factors[0].set(i, r, start.factors[0].at(i, r) / 8);
        start.weights.assign(4, 8);
        const RunResult next = run(config, tensor, nullptr, silent, control, {nullptr, nullptr, &start});
        config.parameters.erase("start");
        config.init = "random";
        config.stopping.iterations = 6;
        const RunResult whole = test::runOn(config, tensor);
        QVERIFY(std::abs(next.history.front().divergence / whole.history.back().divergence - 1) < 1e-9);
        start.factors[1].set(3, 2, -0.5);
        config.parameters["start"] = std::string("model");
        config.init = "model.h5";
        QVERIFY_EXCEPTION_THROWN(run(config, tensor, nullptr, silent, control, {nullptr, nullptr, &start}), Error);
    }

    /// Numbers that overflow in single precision: the rows stay, and the run says that it went wrong.
    void anOverflowIsTheEnd()
    {
        const SparseTensor tensor = positiveTensor({12, 11, 10}, 500, 6);
        for (const Divergence divergence : allDivergences) {
            RunConfig config = configOf(divergence, 4, 5, Precision::Fp32);
            config.parameters["start"] = std::string("model");
            config.init = "model.h5";
            Model start = plantedParts({12, 11, 10}, 4, 61, 1e36);
            RunObserver silent;
            RunControl control;
            try {
                const RunResult result = run(config, tensor, nullptr, silent, control, {nullptr, nullptr, &start});
                QVERIFY(std::isfinite(result.history.back().trainRmse));
            } catch (const Error& error) {
                QVERIFY2(std::string(error.what()).find("diverged") != std::string::npos, error.what());
            }
        }
    }
};

QTEST_GUILESS_MAIN(NtfRunsTest)
#include "tst_ntf_runs.moc"
