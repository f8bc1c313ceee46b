// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/tensor/statistics.h"
#include "kernels/tensor/synthetic.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <cmath>

using namespace kernels;

class TestSyntheticPresets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void presetsAreThePublishedData_data()
    {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<std::vector<std::vector<Index>>>("indices");
        QTest::addColumn<std::vector<float>>("values");
        QTest::addColumn<std::vector<Index>>("testIndex");
        QTest::addColumn<float>("testValue");
        using Rows = std::vector<std::vector<Index>>;
        // Worked out apart, in Python, from the formulas. Unrounded ratings: 2.078, 5.895, 3.735; test 4.423 …
        QTest::newRow("netflix-like") << QByteArray("netflix-like") << Rows{{82469, 15601, 1623}, {7589, 16647, 1657}, {107356, 6951, 133}}
                                      << std::vector<float>{2, 5, 4} << std::vector<Index>{247255, 7355, 669} << 4.0F;
        QTest::newRow("netflix-harsh") << QByteArray("netflix-harsh")
                                       << Rows{{104545, 16455, 858}, {317706, 12706, 888}, {109141, 1757, 954}}
                                       << std::vector<float>{3, 5, 5} << std::vector<Index>{436003, 12620, 1225} << 3.0F;
        QTest::newRow("yahoo-like") << QByteArray("yahoo-like")
                                    << Rows{{555456, 314772, 2271}, {523968, 167936, 1365}, {976734, 260231, 421}}
                                    << std::vector<float>{3, 4, 4} << std::vector<Index>{262737, 148182, 542} << 3.0F;
        QTest::newRow("movielens-like") << QByteArray("movielens-like") << Rows{{6983, 8982, 2}, {45032, 7081, 469}, {21284, 6105, 507}}
                                        << std::vector<float>{4, 5, 4} << std::vector<Index>{62228, 3957, 832} << 4.0F;
        QTest::newRow("movielens-4-like") << QByteArray("movielens-4-like")
                                          << Rows{{6983, 8982, 70, 7}, {45032, 7081, 104, 9}, {21284, 6105, 114, 20}}
                                          << std::vector<float>{4, 5, 4} << std::vector<Index>{62228, 3957, 160, 20} << 4.0F;
        const std::vector<float> uniform{1.3932413907F, 0.6038688516F, 0.9026796072F};
        QTest::newRow("nell2-like") << QByteArray("nell2-like") << Rows{{2002, 7735, 17128}, {866, 2906, 9734}, {11734, 445, 26442}}
                                    << uniform << std::vector<Index>{} << 0.0F;
        QTest::newRow("delicious-like") << QByteArray(
            "delicious-like") << Rows{{94094, 5915934, 221399, 1073}, {94120, 11338427, 1776508, 886}, {255516, 13986930, 1232128, 806}}
                                        << uniform << std::vector<Index>{} << 0.0F;
        QTest::newRow("vast-like") << QByteArray("vast-like")
                                   << Rows{{26098, 9845, 0, 75, 19}, {30411, 1523, 0, 96, 86}, {3926, 163, 1, 1, 18}} << uniform
                                   << std::vector<Index>{} << 0.0F;
        const Rows drawn{{589, 502, 47}, {837, 167, 5}, {586, 638, 56}}; // of rates 0.667, 2.162 and 0.178; test 0.279
        QTest::newRow("counts-like") << QByteArray("counts-like") << drawn << std::vector<float>{6, 10, 0}
                                     << std::vector<Index>{159, 716, 11} << 2.0F;
        QTest::newRow("intensities-like") << QByteArray("intensities-like") << drawn
                                          << std::vector<float>{0.0753454268F, 4.89572859F, 0.162336171F}
                                          << std::vector<Index>{159, 716, 11} << 0.203425258F;
    }

    void presetsAreThePublishedData()
    {
        QFETCH(QByteArray, id);
        QFETCH(std::vector<std::vector<Index>>, indices);
        QFETCH(std::vector<float>, values);
        QFETCH(std::vector<Index>, testIndex);
        QFETCH(float, testValue);
        const SyntheticProblem problem = generatePreset(id.constData(), 1e-4, 1);
        const auto isValue = [](double value, float expected) { // fp32 of numbers below 8; ratings and counts are exact
            return std::abs(value - static_cast<double>(expected)) < 6e-8 * std::max(2.0, static_cast<double>(expected));
        };
        for (Count e = 0; e < 3; ++e) {
            QCOMPARE(test::indexOf(problem.train, e), indices[e]);
            QVERIFY(isValue(problem.train.value(e), values[e]));
        }
        QCOMPARE(problem.test.entries() > 0, !testIndex.empty());
        if (!testIndex.empty()) {
            QCOMPARE(test::indexOf(problem.test, 0), testIndex);
            QVERIFY(isValue(problem.test.value(0), testValue));
        }
        QVERIFY(!problem.truth.has_value());
    }

    void netflixLikeHasItsRangeAndDeviation()
    {
        const SyntheticProblem problem = generatePreset("netflix-like", 0.005, 1);
        QCOMPARE(problem.train.entries(), Count{495361}); // 99072112 · 0.005, rounded
        QCOMPARE(problem.test.entries(), Count{7042});
        const TensorStatistics s = computeStatistics(problem.train);
        QCOMPARE(s.valueMin, 1.0);
        QCOMPARE(s.valueMax, 5.0);
        QCOMPARE(s.histogram.size(), std::size_t{5});
        // Documented: 1.07. The sample's own error is 0.001; the rest is the documented figure's rounding.
        QVERIFY(std::abs(s.valueDeviation - 1.07) < 0.01);
    }

    /// Of a mean of 5 and 1. Rates lie 1.17 of their mean apart, so 100,000 values have means within six of 0.37 % and 0.49 %: by Poisson
    /// (1.17² + 1 / 5)^½ / 316, by an exponential (2 · 1.17² + 1)^½ / 316; and 1,000 factor rows let the mean of all rates be some 3 % off.
    void countsAndIntensitiesHaveTheirMeans()
    {
        const TensorStatistics counts = computeStatistics(generatePreset("counts-like", 1, 1).train);
        QVERIFY(counts.valuesAreWhole && counts.valueMin == 0);
        QVERIFY2(std::abs(counts.valueMean / 5 - 1) < 0.06, qPrintable(QString::number(counts.valueMean)));
        const TensorStatistics intensities = computeStatistics(generatePreset("intensities-like", 1, 1).train);
        QVERIFY(intensities.valueMin > 0);
        QVERIFY2(std::abs(intensities.valueMean - 1) < 0.06, qPrintable(QString::number(intensities.valueMean)));
    }

    void aSmallerScaleIsABeginningOfALarger()
    {
        const SyntheticProblem small = generatePreset("nell2-like", 1e-4, 3);
        const SyntheticProblem large = generatePreset("nell2-like", 3e-4, 3);
        for (Count e = 0; e < small.train.entries(); ++e)
            QCOMPARE(test::indexOf(small.train, e), test::indexOf(large.train, e));
        QVERIFY(!test::same(small.train, generatePreset("nell2-like", 1e-4, 1).train));
        QVERIFY(test::same(small.train, test::withThreads(4, [] { return generatePreset("nell2-like", 1e-4, 3); }).train));
    }

    void cancelIsHonoured()
    {
        Progress progress;
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(generatePreset("nell2-like", 1e-3, 1, &progress), Cancelled);
    }

    void presetReferences()
    {
        QVERIFY(!parsePresetReference("netflix-like").has_value());
        QVERIFY(!parsePresetReference("data/preset.tns").has_value());
        QCOMPARE(parsePresetReference("preset:netflix-like")->id, std::string("netflix-like"));
        QCOMPARE(parsePresetReference("preset:netflix-like")->scale, 1.0);
        QCOMPARE(parsePresetReference("preset:vast-like:0.25")->id, std::string("vast-like"));
        QCOMPARE(parsePresetReference("preset:vast-like:0.25")->scale, 0.25);
        for (const char* text : {"preset:vast-like:", "preset:vast-like:x", "preset:vast-like:0", "preset:vast-like:-1",
                                 "preset:vast-like:1.5", "preset:vast-like:nan", "preset:vast-like:1:2"})
            QVERIFY_EXCEPTION_THROWN(parsePresetReference(text), Error);
        QVERIFY_EXCEPTION_THROWN(generatePreset("no-such", 1, 1), Error);
        QVERIFY_EXCEPTION_THROWN(generatePreset("vast-like", 0, 1), Error);
    }

    void skews()
    {
        QCOMPARE(parseSkew("uniform").exponent, 0.0);
        QCOMPARE(parseSkew("zipf:1.0:880").exponent, 1.0);
        QCOMPARE(parseSkew("zipf:1.0:880").offset, 880.0);
        QCOMPARE(parseSkew("zipf:0.9").exponent, 0.9);
        QCOMPARE(parseSkew("zipf:0.9").offset, 1.0);
        for (const char* text :
             {"", "zipf", "zipf:", "zipf:a", "zipf:1:", "zipf:1:0", "zipf:1:-2", "zipf:-1", "zipf:21", "zipf:inf", "zipf:1:2:3", "Uniform"})
            QVERIFY_EXCEPTION_THROWN(parseSkew(text), Error);
    }
};

QTEST_GUILESS_MAIN(TestSyntheticPresets)
#include "tst_synthetic_presets.moc"
