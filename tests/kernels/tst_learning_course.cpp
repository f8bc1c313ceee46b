// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/learning_course.h"
#include "kernels/base/random.h"
#include "kernels/tensor/split.h"
#include "support/checkpoints.h"
#include "support/runs.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using fasttucker_plus::LearningCourse;
using fasttucker_plus::ValueScale;

namespace {

const ValueScale mixed{3, 5, 20}; ///< a deviation of 4

/// Sums of three products of normal rows around `mean`, with normal noise of `noise` on top.
SparseTensor planted(const std::vector<Index>& dims, Count entries, double mean, double deviation, double noise)
{
    constexpr unsigned terms = 3;
    SparseTensor tensor(dims, entries);
    for (Count e = 0; e < entries; ++e) {
        double products[terms] = {1, 1, 1};
        for (unsigned n = 0; n < dims.size(); ++n) {
            const auto index = static_cast<Index>(random::uniform(7, n, e) * dims[n]);
            tensor.indices[n][e] = index;
            for (unsigned r = 0; r < terms; ++r)
                products[r] *= mean + deviation * random::normal(8, n, std::uint64_t{index} * terms + r);
        }
        tensor.setValue(e, products[0] + products[1] + products[2] + noise * random::normal(9, 0, e));
    }
    return tensor;
}

} // namespace

class LearningCourseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timePassesAsErrorsFall()
    {
        LearningCourse course(mixed, 0.1);
        const auto passes = [&](double rmse) {
            const double before = course.time();
            course.remember(rmse);
            return course.time() - before;
        };
        QCOMPARE(passes(4), 1.0); // the first iteration says nothing
        QCOMPARE(passes(3), 0.0);
        QVERIFY(std::abs(passes(2.925) - 0.5) < 1e-9); // by 2.5 %
        QCOMPARE(passes(3.5), 1.0);
        QCOMPARE(passes(std::nan("")), 1.0);
        QCOMPARE(passes(2.0), 0.0);
    }

    void penaltiesAreForWhatIsLeft()
    {
        LearningCourse course(mixed, 0.1);
        QCOMPARE(course.penaltyShare(), 1.0);
        course.remember(3); // 9 of 16: more than half
        QCOMPARE(course.penaltyShare(), 1.0);
        course.remember(1);
        QCOMPARE(course.penaltyShare(), 0.125);
        course.remember(2); // what it was at best
        QCOMPARE(course.penaltyShare(), 0.125);
    }

    /// Sixty numbers for a hundred entries: their errors say nothing of others'.
    void whatIsLearntByHeartCountsForNothing()
    {
        LearningCourse course(mixed, 0.6);
        QVERIFY(course.learnsByHeart());
        course.remember(4);
        course.remember(0.1);
        QCOMPARE(course.time(), 2.0);
        QCOMPARE(course.penaltyShare(), 1.0);
    }

    void plateauIsTheMean()
    {
        LearningCourse course(mixed, 0.1);
        QVERIFY(course.onPlateau());
        course.remember(3.95);
        QVERIFY(course.onPlateau());
        course.remember(3.9);
        QVERIFY(!course.onPlateau() && course.cameFromPlateau()); // as long as it was there
        course.remember(3.8);
        QVERIFY(!course.cameFromPlateau());
        QVERIFY(!LearningCourse(ValueScale{2, 2, 2}, 0.1).onPlateau()); // values that are all the same
    }

    void goesOnFromWhatWasSaved()
    {
        LearningCourse course(mixed, 0.1), other(mixed, 0.1);
        for (const double rmse : {4.0, 3.9, 1.0})
            course.remember(rmse);
        other.restore(course.save());
        QCOMPARE(other.time(), course.time());
        QCOMPARE(other.penaltyShare(), course.penaltyShare());
        other.remember(0.9);
        QCOMPARE(other.time(), course.time());
    }

    /// A checkpoint of an earlier version says nothing of the course: its run goes on at the rates it had come to.
    void aLostCourseGoesOnWhereItWas()
    {
        const SparseTensor train = planted({60, 50, 40}, 30000, 0.7, 0.4, 0.1);
        RunConfig config;
        config.ranks = {3};
        test::fixIterations(config, 8);
        test::Keeper keeper;
        test::runOn(config, train, nullptr, &keeper);
        Checkpoint& from = keeper.kept.at(8);
        const double before = from.soFar.history.back().learningRateA;
        QCOMPARE(from.solver.erase("course"), std::size_t{1});
        test::fixIterations(config, 9);
        const RunResult more = test::runOn(config, train, nullptr, nullptr, &from);
        QVERIFY(more.history.back().learningRateA < before);
    }

    /// What was waited for on the plateau is not cut off by the iteration that leaves it, nor waited for ever after.
    void patienceOutlastsThePlateau()
    {
        const SparseTensor train = planted({150, 120, 80}, 60000, 0, 1, 1);
        double squares = 0, sum = 0;
        for (Count e = 0; e < train.entries(); ++e) {
            squares += train.value(e) * train.value(e);
            sum += train.value(e);
        }
        const double entries = static_cast<double>(train.entries());
        const double deviation = std::sqrt(squares / entries - std::pow(sum / entries, 2));
        RunConfig config;
        config.ranks = {3};
        test::fixIterations(config, 200);
        config.deterministic = true;
        config.parameters["learning-rate-a"] = 0.06; // rows of 400 entries learn 24 times an iteration: as much as elsewhere
        config = resolve(config, train.dims());
        const std::unique_ptr<Solver> solver = algorithm(config.algorithm).makeSolver({config, train, nullptr});
        RunControl control;
        solver->prepare(control);
        unsigned onPlateau = 0;
        double least = deviation;
        for (std::uint64_t t = 0; least > 0.98 * deviation && t < 200; ++t) {
            solver->iterate(t, control);
            least = std::min(least, solver->evaluate(control).train.rmse());
            onPlateau += least > 0.98 * deviation;
            QCOMPARE(solver->slowness(), onPlateau > 0 ? 8U : 1U);
        }
        QVERIFY(onPlateau > 0 && least <= 0.98 * deviation);
        for (unsigned after = 0; after <= onPlateau; ++after) {
            solver->iterate(200 + after, control);
            solver->evaluate(control);
        }
        QCOMPARE(solver->slowness(), 1U);
    }

    /// Rows whose steps are held back learn less often in an iteration.
    void heldBackRowsAreWaitedFor()
    {
        const SparseTensor train = planted({150, 120, 80}, 60000, 0.7, 0.4, 0.1);
        const auto slowness = [&](std::int64_t batch) {
            RunConfig config;
            config.ranks = {3};
            config.deterministic = true;
            config.parameters["batch"] = batch;
            config = resolve(config, train.dims());
            const std::unique_ptr<Solver> solver = algorithm(config.algorithm).makeSolver({config, train, nullptr});
            RunControl control;
            solver->prepare(control);
            for (std::uint64_t t = 0; t < 10; ++t) { // something is learnt
                solver->iterate(t, control);
                solver->evaluate(control);
            }
            return solver->slowness();
        };
        QCOMPARE(slowness(64), 1U); // a row has one of them
        const unsigned held = slowness(2000);
        QVERIFY2(held > 1 && held < 8, qPrintable(QString::number(held)));
    }

    void plantedModelsAreLearnt_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<int>("entries");
        QTest::addColumn<double>("mean");
        QTest::addColumn<double>("deviation");
        QTest::addColumn<double>("noise");
        QTest::addColumn<double>("most"); // beside the noise
        QTest::newRow("three modes") << std::vector<Index>{60, 50, 40} << 30000 << 0.7 << 0.4 << 0.1 << 1.05;
        QTest::newRow("two modes") << std::vector<Index>{300, 200} << 17000 << 0.7 << 0.4 << 0.1 << 1.12;
        QTest::newRow("four modes") << std::vector<Index>{40, 30, 20, 15} << 40000 << 0.7 << 0.4 << 0.1 << 1.03;
        QTest::newRow("a large mean, much noise") << std::vector<Index>{150, 120, 80} << 150000 << 1.0 << 0.2 << 0.3 << 1.04;
    }
    /// At default settings, to where runs end by themselves: to the noise, and what the numbers of the model cost. Where the decay
    /// counted all iterations and penalties stayed what they were, each of these was missed by one of the algorithms at least.
    void plantedModelsAreLearnt()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(int, entries);
        QFETCH(double, mean);
        QFETCH(double, deviation);
        QFETCH(double, noise);
        QFETCH(double, most);
        const Split split = splitRandom(planted(dims, static_cast<Count>(entries), mean, deviation, noise), 0.1, 1);
        for (const char* algorithm : {"fasttucker-plus", "fasttucker", "fastertucker"})
            for (const bool deterministic : {false, true}) {
                RunConfig config;
                config.algorithm = algorithm;
                config.deterministic = deterministic;
                config.ranks = {3};
                config.stopping.iterations = 300;
                const RunResult result = test::runOn(config, split.train, &split.test);
                const double rmse = result.history.at(result.bestIteration - 1).testRmse;
                QVERIFY2(rmse < most * noise,
                         qPrintable(QString("%1%2: %3 after %4 iterations")
                                        .arg(algorithm, deterministic ? " deterministic" : "")
                                        .arg(rmse)
                                        .arg(result.history.size())));
            }
    }
};

QTEST_GUILESS_MAIN(LearningCourseTest)
#include "tst_learning_course.moc"
