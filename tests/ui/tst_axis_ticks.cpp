// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/axis_ticks.h"

#include <QTest>

#include <cmath>

using namespace ui;

class tst_axis_ticks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsAreOneTwoOrFive()
    {
        QCOMPARE(niceStepAbove(0.7), 1.0);
        QCOMPARE(niceStepAbove(1.0), 1.0);
        QCOMPARE(niceStepAbove(1.1), 2.0);
        QCOMPARE(niceStepAbove(230), 500.0);
        QCOMPARE(niceStepAbove(510), 1000.0);
        QVERIFY(std::abs(niceStepAbove(0.0031) - 0.005) < 1e-12);
    }

    void ticksAreMultiplesOfTheStepInsideTheRange()
    {
        const AxisTicks ticks = linearTicks(0.873, 1.149, 6);
        QCOMPARE(ticks.step, 0.05);
        QCOMPARE(ticks.values.size(), std::size_t{5}); // 0.90 0.95 1.00 1.05 1.10
        QVERIFY(std::abs(ticks.values.front() - 0.90) < 1e-12);
        QVERIFY(std::abs(ticks.values.back() - 1.10) < 1e-12);
    }

    void endsThatAreTicksAreKept()
    {
        const AxisTicks ticks = linearTicks(0, 50, 5);
        QCOMPARE(ticks.values, (std::vector<double>{0, 10, 20, 30, 40, 50}));
    }

    void wholeNumbersHaveNoTicksBetween()
    {
        QCOMPARE(linearTicks(0, 2, 6, 1).values, (std::vector<double>{0, 1, 2}));
        QCOMPARE(linearTicks(0, 50, 5, 1).values, (std::vector<double>{0, 10, 20, 30, 40, 50}));
    }

    void emptyRangesHaveNoTicks()
    {
        QVERIFY(linearTicks(1, 1, 5).values.empty());
        QVERIFY(linearTicks(std::nan(""), 1, 5).values.empty());
        QVERIFY(logTicks(2, 2, 5).values.empty());
    }

    void logTicksAreWholeDecades()
    {
        QCOMPARE(logTicks(0, 5, 6).values, (std::vector<double>{0, 1, 2, 3, 4, 5}));
        QVERIFY(logTicks(0, 12, 4).values.size() <= 5);
    }

    void narrowLogRangesGetDigitsBetween()
    {
        const AxisTicks ticks = logTicks(std::log10(0.8), std::log10(3.5), 6); // 1, 2 and 3 lie inside
        QCOMPARE(ticks.values.size(), std::size_t{3});
        QVERIFY(std::abs(ticks.values[1] - std::log10(2.0)) < 1e-12);
    }

    void paddedRangesHoldTheDataWithAir()
    {
        const auto [low, high] = paddedRange(0.90, 1.10, 6);
        QVERIFY(low < 0.90 && low > 0.80);
        QVERIFY(high > 1.10 && high < 1.20);
    }

    void flatDataStillSpansOnePercent()
    {
        const auto [low, high] = paddedRange(0.9, 0.9, 6);
        QVERIFY(high - low >= 0.009 - 1e-12);
        QVERIFY(low < 0.9 && high > 0.9);
    }

    void rangesOfErrorsNeverGoBelowZero() { QVERIFY(paddedRange(0.0, 1.0, 6).first >= 0); }

    void nonsenseGivesARangeThatCanBeDrawn()
    {
        const auto [low, high] = paddedRange(1, -1, 6);
        QVERIFY(low < high);
    }

    void aGrowingAxisMovesSeldom()
    {
        int moves = 0;
        double end = 0;
        for (int i = 1; i <= 1000; ++i)
            if (growingEnd(i) != end) {
                end = growingEnd(i);
                ++moves;
            }
        QCOMPARE(end, 1000.0);
        QCOMPARE(moves, 10); // 1 2 5 10 20 50 100 200 500 1000
    }
};

QTEST_GUILESS_MAIN(tst_axis_ticks)
#include "tst_axis_ticks.moc"
