// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/inverse_permutation.h"
#include "kernels/base/golden_stride.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using kernels::goldenStride;
using namespace kernels::fasttucker_plus;

class VisitingOrderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loadOrderVisitsEveryEntryOnce();
    void theInverseFindsEveryPlace();
    void iterationVisitsEveryPositionOnce();
    void spreadStretchesAreFarApart();
    void seedsAndIterationsDiffer();
    void neighboursAreTornApart();
};

namespace {

template <class Order> bool isBijection(const Order& order, std::uint64_t size)
{
    std::vector<char> seen(size, 0);
    for (std::uint64_t i = 0; i < size; ++i) {
        const std::uint64_t position = order.at(i);
        if (position >= size || seen[position])
            return false;
        seen[position] = 1;
    }
    return true;
}

} // namespace

void VisitingOrderTest::loadOrderVisitsEveryEntryOnce()
{
    for (std::uint64_t size = 1; size < 300; ++size)
        for (std::uint64_t seed = 0; seed < 5; ++seed)
            QVERIFY(isBijection(loadOrder(size, seed), size));
    QVERIFY(isBijection(loadOrder(1000003, 42), 1000003));
    QVERIFY(isBijection(loadOrder(1 << 20, 42), 1 << 20));
}

void VisitingOrderTest::theInverseFindsEveryPlace()
{
    const auto check = [](std::uint64_t size, std::uint64_t seed) {
        const Permutation order = loadOrder(size, seed);
        const InversePermutation inverse(order);
        for (std::uint64_t i = 0; i < size; ++i)
            if (inverse.of(order.at(i)) != i)
                return false;
        return true;
    };
    for (std::uint64_t size = 1; size < 300; ++size)
        for (std::uint64_t seed = 0; seed < 5; ++seed)
            QVERIFY(check(size, seed));
    QVERIFY(check(1000003, 42));
    QVERIFY(check(1 << 20, 42));
}

void VisitingOrderTest::iterationVisitsEveryPositionOnce()
{
    for (std::uint64_t size : {1ULL, 2ULL, 127ULL, 128ULL, 129ULL, 255ULL, 256ULL, 1000ULL, 99999ULL, 131072ULL})
        for (std::uint64_t t = 0; t < 4; ++t)
            QVERIFY(isBijection(visitingOrder(size, 7, t), size));
}

/// Stretches of neighbours: each once, and those of any part as many as its share of any hundred visits, but for two.
void VisitingOrderTest::spreadStretchesAreFarApart()
{
    for (std::uint64_t size : {1ULL, 15ULL, 16ULL, 17ULL, 32ULL, 1000ULL, 99999ULL, 131072ULL})
        for (std::uint64_t t = 0; t < 4; ++t)
            QVERIFY(isBijection(spreadOrder(size, 7, t, 4, goldenStride(std::max<std::uint64_t>(size >> 4, 1))), size));
    constexpr std::uint64_t stretches = 10000, window = 100;
    for (std::uint64_t t = 0; t < 4; ++t) {
        const VisitingOrder order = spreadOrder(stretches << 5, 7, t, 5, goldenStride(stretches));
        for (std::uint64_t begin = 0; begin < stretches; begin += window)
            for (std::uint64_t part = 0; part < 10; ++part) {
                unsigned met = 0;
                for (std::uint64_t s = begin; s < begin + window; ++s) {
                    QCOMPARE(order.at(s << 5 | 31), order.at(s << 5) + 31);
                    met += (order.at(s << 5) >> 5) * 10 / stretches == part;
                }
                QVERIFY(met >= 8 && met <= 12);
            }
    }
    QVERIFY(spreadOrder(stretches << 5, 7, 0, 5, 1).at(0) != spreadOrder(stretches << 5, 7, 1, 5, 1).at(0));
}

void VisitingOrderTest::seedsAndIterationsDiffer()
{
    const std::uint64_t size = 100000;
    unsigned sameSeed = 0;
    unsigned sameIteration = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
        sameSeed += loadOrder(size, 1).at(i) == loadOrder(size, 2).at(i);
        sameIteration += visitingOrder(size, 1, 0).at(i) == visitingOrder(size, 1, 1).at(i);
    }
    // Two independent permutations agree in one place on average (in one of 781 blocks, and in the tail of
    // 32); 3 blocks more happen with probability 0.02.
    QVERIFY(sameSeed <= 10);
    QVERIFY(sameIteration <= 4 * visitingBlock + 32);
}

void VisitingOrderTest::neighboursAreTornApart()
{
    const std::uint64_t size = 65536;
    const Permutation order = loadOrder(size, 3);
    double distance = 0;
    for (std::uint64_t i = 0; i + 1 < size; ++i)
        distance += std::fabs(double(order.at(i + 1)) - double(order.at(i)));
    // |X - Y| of two uniform places is size/3 on average, its standard error here 0.1 % of size.
    QVERIFY(std::fabs(distance / double(size - 1) / double(size) - 1.0 / 3.0) < 0.1);
}

QTEST_GUILESS_MAIN(VisitingOrderTest)
#include "tst_visiting_order.moc"
