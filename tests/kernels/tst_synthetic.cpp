// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/statistics.h"
#include "kernels/tensor/synthetic.h"
#include "kernels/tensor/synthetic_draws.h"
#include "kernels/tensor/value_draws.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

using namespace kernels;

Q_DECLARE_METATYPE(kernels::ModelKind)
Q_DECLARE_METATYPE(kernels::ValueDraw)

namespace {

SyntheticSpec smallSpec()
{
    SyntheticSpec spec;
    spec.dims = {60, 50, 41};
    spec.entries = 20000;
    spec.testEntries = 1001;
    spec.rank = 4;
    spec.coreRank = 5;
    return spec;
}

bool same(const SyntheticProblem& a, const SyntheticProblem& b) { return test::same(a.train, b.train) && test::same(a.test, b.test); }

/// Σ (found − expected)² / expected for the index counts of one mode drawn by spec's skew.
double chiSquare(const SparseTensor& tensor, unsigned mode, const Skew& skew, std::uint64_t seed)
{
    const Index size = tensor.modes[mode].size;
    const synthetic::Shuffle shuffle = synthetic::shuffleOfMode(seed, mode, size);
    const Array<Count> counts = sliceCounts(tensor, mode);
    const auto primitive = [&](double t) {
        return std::abs(skew.exponent - 1) < 1e-9 ? std::log(t) : std::pow(t, 1 - skew.exponent) / (1 - skew.exponent);
    };
    const double whole = primitive(size + skew.offset) - primitive(skew.offset);
    double sum = 0;
    for (Index rank = 0; rank < size; ++rank) {
        const double share = (primitive(rank + 1 + skew.offset) - primitive(rank + skew.offset)) / whole;
        const double expected = share * static_cast<double>(tensor.entries());
        const double difference = static_cast<double>(counts[synthetic::shuffled(shuffle, rank)]) - expected;
        sum += difference * difference / expected;
    }
    return sum;
}

} // namespace

class TestSynthetic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void coordinatesAreDistinctAndTestIsApart_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        QTest::addColumn<double>("exponent");
        QTest::newRow("half of all cells") << std::vector<Index>{20, 30, 10} << Count{2900} << 0.0;
        QTest::newRow("half of all cells, skewed") << std::vector<Index>{20, 30, 10} << Count{2900} << 0.7;
        QTest::newRow("strong skew") << std::vector<Index>{300, 300} << Count{3000} << 1.5;
        QTest::newRow("wide keys") << std::vector<Index>{4294967295U, 4294967295U, 99} << Count{5000} << 1.0;
        QTest::newRow("two cells") << std::vector<Index>{2, 2} << Count{1} << 0.0;
        for (unsigned order = 2; order <= 10; ++order)
            QTest::addRow("order %u", order) << std::vector<Index>(order, 101) << Count{3000} << 0.5;
    }

    void coordinatesAreDistinctAndTestIsApart()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        QFETCH(double, exponent);
        SyntheticSpec spec;
        spec.dims = dims;
        spec.entries = entries;
        spec.testEntries = entries == 1 ? 1 : 100;
        spec.uniformValues = true; // factors of the widest modes would not fit
        spec.skew = {{exponent, 3}};
        const SyntheticProblem problem = generate(spec);
        QCOMPARE(problem.train.entries(), entries);
        QCOMPARE(problem.test.entries(), spec.testEntries);
        problem.train.check();
        problem.test.check();
        std::set<std::vector<Index>> seen;
        for (const SparseTensor* part : {&problem.train, &problem.test}) {
            QVERIFY(part->sorted);
            for (Count e = 0; e < part->entries(); ++e)
                QVERIFY(seen.insert(test::indexOf(*part, e)).second);
        }
    }

    void keptDuplicatesAreKept()
    {
        SyntheticSpec spec;
        spec.dims = {4, 5};
        spec.entries = 1000;
        spec.testEntries = 50;
        spec.keepDuplicates = true;
        const SyntheticProblem problem = generate(spec);
        QCOMPARE(problem.train.entries(), Count{1000});
        QCOMPARE(problem.test.entries(), Count{50});
        SparseTensor sorted = problem.train;
        sortLexicographically(sorted);
        QVERIFY(mergeDuplicates(sorted, Duplicates::Keep) >= 980); // 20 cells
    }

    void sameSeedSameData()
    {
        SyntheticSpec spec = smallSpec();
        spec.noise = 0.2;
        spec.skew = {{1, 10}, {0.5, 1}, {0, 1}};
        for (const bool keep : {false, true}) {
            spec.keepDuplicates = keep;
            spec.seed = 5;
            const SyntheticProblem first = generate(spec);
            const SyntheticProblem one = test::withThreads(1, [&] { return generate(spec); });
            const SyntheticProblem four = test::withThreads(4, [&] { return generate(spec); });
            QVERIFY(same(first, one));
            QVERIFY(same(first, four));
            spec.seed = 6;
            QVERIFY(!same(first, generate(spec)));
        }
    }

    void valuesAreTheModelsWithoutNoise_data()
    {
        QTest::addColumn<ModelKind>("kind");
        for (const ModelKind kind : {ModelKind::Cp, ModelKind::Tucker, ModelKind::FastTucker})
            QTest::newRow(toString(kind).data()) << kind;
    }

    void valuesAreTheModelsWithoutNoise()
    {
        QFETCH(ModelKind, kind);
        SyntheticSpec spec = smallSpec();
        spec.model = kind;
        const SyntheticProblem problem = generate(spec);
        QVERIFY(problem.truth.has_value());
        QVERIFY(problem.truth->kind == kind);
        for (const SparseTensor* part : {&problem.train, &problem.test}) {
            // Stored as fp32: half a unit in the last place of values around 1, at most around 8.
            QVERIFY(evaluateModel(*problem.truth, *part).rmse() < 3e-7);
            const TensorStatistics s = computeStatistics(*part);
            QVERIFY(s.valueMin >= 0);
            // The factors' own means vary (s.d. 0.29/√41 relative 0.09 in the shortest mode), so the mean is 1 only roughly.
            QVERIFY(std::abs(s.valueMean - 1) < 0.5);
            QVERIFY(s.valueDeviation > 0.05); // there is something to learn
        }
    }

    void noiseIsRelativeToThePlantedDeviation()
    {
        SyntheticSpec spec = smallSpec();
        const double planted = computeStatistics(generate(spec).train).valueDeviation;
        spec.noise = 0.5;
        const SyntheticProblem problem = generate(spec);
        const double rmse = evaluateModel(*problem.truth, problem.train).rmse();
        // s.d. of a sample deviation of 20000 normals: 1/√40000 = 0.5 %; six of them, and train alone is not all.
        QVERIFY(std::abs(rmse / (0.5 * planted) - 1) < 0.04);
        const double testRmse = evaluateModel(*problem.truth, problem.test).rmse();
        QVERIFY(std::abs(testRmse / rmse - 1) < 6 * 0.023); // 1001 of them: 2.2 %, against 0.5 %
    }

    void valuesAreDrawnAroundThePlantedOnes_data()
    {
        QTest::addColumn<ValueDraw>("draw");
        QTest::addColumn<ModelKind>("kind");
        QTest::addColumn<double>("mean");
        QTest::newRow("counts") << ValueDraw::Poisson << ModelKind::Cp << 4.0;
        QTest::newRow("large counts") << ValueDraw::Poisson << ModelKind::FastTucker << 3000.0;
        QTest::newRow("intensities") << ValueDraw::Exponential << ModelKind::Cp << 0.02;
    }

    /// Mean and variance in quarters of the entries, by their planted values m. A Poisson count deviates by m on the square average, whose
    /// own variance is m + 2 m²; an exponential value by m², of variance 8 m⁴.
    void valuesAreDrawnAroundThePlantedOnes()
    {
        QFETCH(ValueDraw, draw);
        QFETCH(ModelKind, kind);
        QFETCH(double, mean);
        SyntheticSpec spec = smallSpec();
        spec.model = kind;
        spec.mean = mean;
        spec.draw = draw;
        const SyntheticProblem problem = generate(spec);
        QVERIFY(same(problem, test::withThreads(4, [&] { return generate(spec); })));
        const bool counts = draw == ValueDraw::Poisson;
        const TensorStatistics s = computeStatistics(problem.train);
        QVERIFY(counts ? s.valuesAreWhole && s.valueMin >= 0 : s.valueMin > 0);
        QVERIFY(std::abs(s.valueMean / mean - 1) < 0.5); // as of planted values
        const Predictor planted(*problem.truth);
        std::vector<std::pair<double, double>> drawn; // by planted value
        for (Count e = 0; e < problem.train.entries(); ++e)
            drawn.emplace_back(planted(test::indexOf(problem.train, e)), problem.train.value(e));
        std::sort(drawn.begin(), drawn.end());
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
            double sum = 0, sumVariance = 0, squares = 0, squaresVariance = 0;
            for (std::size_t i = quarter * drawn.size() / 4; i < (quarter + 1) * drawn.size() / 4; ++i) {
                const auto [m, x] = drawn[i];
                const double variance = counts ? m : m * m;
                sum += x - m;
                sumVariance += variance;
                squares += (x - m) * (x - m) - variance;
                squaresVariance += counts ? m + 2 * m * m : 8 * variance * variance;
            }
            QVERIFY(std::abs(sum) < 6 * std::sqrt(sumVariance));
            QVERIFY(std::abs(squares) < 6 * std::sqrt(squaresVariance));
        }
    }

    /// Of n equally spaced u, each count takes the part that its probability says, up to one at either end.
    void countsTakeTheirProbabilities()
    {
        constexpr int n = 20000;
        for (const double rate : {1e-3, 0.7, 3.0, 30.0, 1000.5}) {
            std::map<double, int> found;
            for (int i = 0; i < n; ++i)
                ++found[synthetic::poissonCount(rate, (i + 0.5) / n)];
            for (const auto& [count, times] : found) {
                const double probability = std::exp(count * std::log(rate) - rate - std::lgamma(count + 1));
                QVERIFY2(std::abs(times - n * probability) < 1 + 1e-6, qPrintable(QString::number(count)));
            }
        }
        QCOMPARE(synthetic::poissonCount(0, 0.5), 0.0);
        QVERIFY(std::abs(synthetic::poissonCount(1e10, 0.99) / 1e10 - 1) < 1e-4); // an s.d. is 1e-5 of it; found in a moment
        QVERIFY(synthetic::poissonCount(2, 1.0) >= 0); // what rounding leaves of u ends, too
        QVERIFY(static_cast<float>(synthetic::exponentialValue(1e-6, 1.0)) > 0);
    }

    void rangeHoldsMeanAndTwoDeviations()
    {
        SyntheticSpec spec = smallSpec();
        spec.noise = 1;
        spec.valueRange = {{1, 5}};
        SyntheticProblem problem = generate(spec);
        TensorStatistics s = computeStatistics(problem.train);
        QVERIFY(s.valueMin >= 1 && s.valueMax <= 5);
        QVERIFY(std::abs(s.valueMean - 3) < 0.1); // clipping is nearly even
        QVERIFY(std::abs(s.valueDeviation - 1) < 0.1); // (5 − 1)/4, less what clipping takes
        spec.roundValues = true;
        problem = generate(spec);
        s = computeStatistics(problem.train);
        QVERIFY(s.valuesAreWhole);
        QCOMPARE(s.histogram.size(), std::size_t{5});
        spec.valueRange = {{0.4, 4.6}}; // 0 and 5 would lie outside
        s = computeStatistics(generate(spec).train);
        QVERIFY(s.valueMin >= 1 && s.valueMax <= 4);
    }

    void frequenciesFollowTheFormula_data()
    {
        QTest::addColumn<double>("exponent");
        QTest::addColumn<double>("offset");
        QTest::newRow("uniform") << 0.0 << 1.0;
        QTest::newRow("zipf 1") << 1.0 << 1.0;
        QTest::newRow("zipf 1, offset 32") << 1.0 << 32.0;
        QTest::newRow("zipf 0.9, offset 10") << 0.9 << 10.0;
        QTest::newRow("zipf 1.5, offset 20") << 1.5 << 20.0;
    }

    void frequenciesFollowTheFormula()
    {
        QFETCH(double, exponent);
        QFETCH(double, offset);
        SyntheticSpec spec;
        spec.dims = {101, 90};
        spec.entries = 300000;
        spec.keepDuplicates = true;
        spec.uniformValues = true;
        spec.skew = {{exponent, offset}};
        const SparseTensor tensor = generate(spec).train;
        for (unsigned n = 0; n < 2; ++n) {
            // Chi-square of I − 1 degrees of freedom: mean I − 1, s.d. √(2(I − 1)). Six s.d. above is a
            // chance below 1e-6 (the tail is a little heavier than the normal's), six below is too good.
            const double freedom = tensor.modes[n].size - 1.0;
            const double found = chiSquare(tensor, n, spec.skew[0], spec.seed);
            QVERIFY2(std::abs(found - freedom) < 6 * std::sqrt(2 * freedom), qPrintable(QString::number(found)));
        }
    }

    void impossibleSpecsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("what");
        for (const char* what :
             {"no modes", "17 modes",  "size 0",         "no entries", "2^41 entries",    "more than half", "out of reach",
              "rank 0",   "rank 1025", "core too large", "noise",      "noise nan",       "two skews",      "skew offset",
              "range",    "range nan", "mean 0",         "mean nan",   "noise of counts", "range of counts"})
            QTest::newRow(what) << QByteArray(what);
    }

    void impossibleSpecsAreRefused()
    {
        QFETCH(QByteArray, what);
        SyntheticSpec spec = smallSpec();
        if (what == "no modes")
            spec.dims.clear();
        else if (what == "17 modes")
            spec.dims.assign(17, 3);
        else if (what == "size 0")
            spec.dims[1] = 0;
        else if (what == "no entries")
            spec.entries = 0;
        else if (what == "2^41 entries")
            spec.entries = Count{1} << 41;
        else if (what == "more than half")
            spec.entries = 60 * 50 * 41 / 2 + 1;
        else if (what == "out of reach") // nearly all draws hit one cell
            spec.skew = {{20, 0.5}};
        else if (what == "rank 0")
            spec.rank = 0;
        else if (what == "rank 1025")
            spec.rank = 1025;
        else if (what == "core too large") {
            spec.model = ModelKind::Tucker;
            spec.rank = 1000;
        } else if (what == "noise")
            spec.noise = -1;
        else if (what == "noise nan")
            spec.noise = std::nan("");
        else if (what == "two skews")
            spec.skew.resize(2);
        else if (what == "skew offset")
            spec.skew = {{1, 0}};
        else if (what == "range")
            spec.valueRange = {{5, 1}};
        else if (what == "range nan")
            spec.valueRange = {{1, std::nan("")}};
        else if (what == "mean 0")
            spec.mean = 0;
        else if (what == "mean nan")
            spec.mean = std::nan("");
        else if (what == "noise of counts") {
            spec.draw = ValueDraw::Poisson;
            spec.noise = 0.1;
        } else if (what == "range of counts") {
            spec.draw = ValueDraw::Poisson;
            spec.valueRange = {{1, 5}};
        }
        try {
            generate(spec);
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(error.kind() == ErrorKind::BadArgument, error.what());
        }
    }

    void tooLargeForMemoryIsAnAnswer()
    {
        SyntheticSpec spec = smallSpec();
        spec.dims.assign(10, 1000000);
        spec.entries = Count{1} << 39; // 24 TiB
        spec.keepDuplicates = true;
        try {
            generate(spec);
            QFAIL("there cannot be so much memory");
        } catch (const OutOfMemory& error) {
            QVERIFY(error.bytesNeeded() >= (Count{1} << 39) * 44);
            QVERIFY(error.bytesFree() < error.bytesNeeded());
        }
    }

    void cancelStopsGenerating()
    {
        SyntheticSpec spec = smallSpec();
        spec.dims = {10000, 10000, 10000};
        spec.entries = 3000000;
        Progress progress;
        std::thread person([&] {
            while (progress.done() == 0)
                std::this_thread::yield();
            progress.cancel();
        });
        QVERIFY_EXCEPTION_THROWN(generate(spec, &progress), Cancelled);
        person.join();
    }
};

QTEST_GUILESS_MAIN(TestSynthetic)
#include "tst_synthetic.moc"
