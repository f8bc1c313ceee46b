// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/thinning.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ui;

namespace {

std::vector<QPointF> wave(int count)
{
    std::vector<QPointF> points;
    for (int i = 0; i < count; ++i)
        points.emplace_back(i, std::sin(i * 0.37) + 2);
    return points;
}

} // namespace

class tst_thinning : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neverMoreThanTwoThousandPoints()
    {
        const auto points = wave(1'000'000);
        for (int columns : {10, 400, 5000}) {
            const auto thinned = thin(points, {0, 1e6, columns, false, false});
            QVERIFY(thinned.points.size() <= maximumPointsPerSeries);
            QVERIFY(!thinned.points.empty());
        }
    }

    void spikesSurvive()
    {
        auto points = wave(100'000);
        points[54'321].setY(77);
        points[12'345].setY(-5);
        const auto thinned = thin(points, {0, 1e5, 300, false, false});
        const auto has = [&](double y) {
            return std::any_of(thinned.points.begin(), thinned.points.end(), [y](const QPointF& p) { return p.y() == y; });
        };
        QVERIFY(has(77));
        QVERIFY(has(-5));
    }

    void xStillAscends()
    {
        const auto thinned = thin(wave(50'000), {0, 5e4, 250, false, false});
        QVERIFY(
            std::is_sorted(thinned.points.begin(), thinned.points.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); }));
    }

    void firstAndLastPointAreKept()
    {
        const auto points = wave(12'345);
        const auto thinned = thin(points, {0, 12345, 100, false, false});
        QCOMPARE(thinned.points.front(), points.front());
        QCOMPARE(thinned.points.back(), points.back());
    }

    void fewPointsStayAsTheyAre()
    {
        const std::vector<QPointF> points{{0, 1}, {10, 3}, {20, 2}};
        QCOMPARE(thin(points, {0, 20, 400, false, false}).points, points);
    }

    void oneNeighbourBeyondEachEdgeLeadsTheLineOut()
    {
        const auto thinned = thin(wave(100), {40, 60, 400, false, false});
        QCOMPARE(thinned.points.front().x(), 39.0);
        QCOMPARE(thinned.points.back().x(), 61.0);
    }

    void badPointsNeverHideASeries()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const std::vector<QPointF> points{{1, 1}, {2, 0}, {3, -4}, {4, nan}, {5, std::numeric_limits<double>::infinity()}, {6, 100}};
        const auto logarithmic = thin(points, {1, 6, 400, false, true});
        QCOMPARE(logarithmic.points, (std::vector<QPointF>{{1, 0}, {6, 2}}));
        QCOMPARE(logarithmic.leftOut, std::size_t{4});
        const auto linear = thin(points, {1, 6, 400, false, false});
        QCOMPARE(linear.points.size(), std::size_t{4});
        QCOMPARE(linear.leftOut, std::size_t{2});
    }

    void rangesLookOnlyAtWhatIsVisible()
    {
        const std::vector<QPointF> points{{0, 100}, {1, 5}, {2, 3}, {3, -50}};
        const auto [low, high] = visibleRange(points, {0.5, 2.5, 100, false, false});
        QCOMPARE(low, 3.0);
        QCOMPARE(high, 5.0);
        const auto none = visibleRange({}, {0, 1, 100, false, false});
        QVERIFY(none.first > none.second);
    }
};

QTEST_GUILESS_MAIN(tst_thinning)
#include "tst_thinning.moc"
