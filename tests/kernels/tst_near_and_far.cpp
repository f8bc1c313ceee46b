// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/near_and_far.h"

#include <QtTest>

#include <random>

using namespace kernels;

class TestNearAndFar : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sidesAreFound();
    void whoAgreesWithNobodyHasNone();
    void oneSideIsNone();
    void nothingToTellIsNone();
};

namespace {

constexpr unsigned observers = 20, places = 64;

/// Near 280 cycles and far 480, give or take `spread`, and an observer's own distance; sides and homes in no simple order.
std::vector<unsigned> timesOf(unsigned sides, unsigned spread)
{
    std::mt19937 random(7);
    std::vector<unsigned> times;
    for (unsigned o = 0; o < observers; ++o)
        for (unsigned p = 0; p < places; ++p) {
            const bool far = sides == 2 ? (o / 3 % 2 == 0) != (p * 5 % 7 < 3) : p * 5 % 7 < 3;
            times.push_back((far ? 480 : 280) + 2 * o + random() % (2 * spread + 1) - spread);
        }
    return times;
}

} // namespace

void TestNearAndFar::sidesAreFound()
{
    const NearAndFar found = nearAndFar(timesOf(2, 30), places);
    QVERIFY(found.found);
    QCOMPARE(found.side.size(), std::size_t{observers});
    for (unsigned o = 0; o < observers; ++o) {
        QCOMPARE(found.side[o] == found.side[0], o / 3 % 2 == 0);
        QVERIFY(found.mean[o] > 330 && found.mean[o] < 450);
    }
}

/// One observer's times follow neither side: a processor that cannot be told is worse than none told.
void TestNearAndFar::whoAgreesWithNobodyHasNone()
{
    std::vector<unsigned> times = timesOf(2, 30);
    std::mt19937 random(3);
    for (unsigned p = 0; p < places; ++p)
        times[5 * places + p] = 280 + random() % 200;
    QVERIFY(!nearAndFar(times, places).found);
}

void TestNearAndFar::oneSideIsNone() { QVERIFY(!nearAndFar(timesOf(1, 30), places).found); }

void TestNearAndFar::nothingToTellIsNone()
{
    QVERIFY(!nearAndFar(std::vector<unsigned>(observers * places, 300), places).found);
    QVERIFY(!nearAndFar({}, places).found);
    QVERIFY(!nearAndFar({1, 2, 3}, 0).found);
    QVERIFY(!nearAndFar(std::vector<unsigned>(places, 300), places).found); // one observer
}

QTEST_APPLESS_MAIN(TestNearAndFar)
#include "tst_near_and_far.moc"
