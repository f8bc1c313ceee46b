// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/split.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <cmath>

using namespace kernels;

class TestSplit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEntryIsOnOneSide_data()
    {
        QTest::addColumn<unsigned>("order");
        for (unsigned order = 2; order <= 10; ++order)
            QTest::addRow("order %u", order) << order;
    }

    void everyEntryIsOnOneSide()
    {
        QFETCH(unsigned, order);
        SparseTensor tensor = test::randomTensor(test::dimsOfOrder(order), 3001, order, order % 2 == 1);
        const Split split = splitRandom(tensor, 0.3, 5);
        sortLexicographically(tensor);
        QCOMPARE(split.train.entries() + split.test.entries(), tensor.entries());
        QCOMPARE(split.testPositions.size(), split.test.entries());
        Count inTrain = 0;
        Count inTest = 0;
        for (Count p = 0; p < tensor.entries(); ++p) {
            const bool tested = inTest < split.testPositions.size() && split.testPositions[inTest] == p;
            const SparseTensor& side = tested ? split.test : split.train;
            const Count at = tested ? inTest++ : inTrain++;
            QCOMPARE(test::indexOf(side, at), test::indexOf(tensor, p));
            QCOMPARE(side.value(at), tensor.value(p));
        }
        QVERIFY(split.train.sorted && split.test.sorted);

        SparseTensor given = tensor; // nobody needs it afterwards
        const Split same = splitRandom(std::move(given), 0.3, 5);
        QVERIFY(test::same(same.train, split.train) && test::same(same.test, split.test));
        QVERIFY(same.testPositions == split.testPositions);
        QCOMPARE(given.dims(), tensor.dims());
        QCOMPARE(given.bytes(), std::uint64_t{0});
    }

    void orderOfTheEntriesDoesNotMatter()
    {
        // Repeats are few among so many cells, and the stable order keeps them apart too.
        SparseTensor tensor = test::randomTensor({1000, 1000, 1000}, 100003, 8);
        const Split fromUnsorted = splitRandom(tensor, 0.1, 77);
        sortLexicographically(tensor);
        const Split fromSorted = splitRandom(tensor, 0.1, 77);
        QVERIFY(test::same(fromUnsorted.train, fromSorted.train));
        QVERIFY(test::same(fromUnsorted.test, fromSorted.test));
    }

    void fractionAndSeedDecide()
    {
        const SparseTensor tensor = test::randomTensor({1000, 1000}, 200000, 8);
        const Split split = splitRandom(tensor, 0.1, 1);
        // Binomial: 20000 expected, s.d. sqrt(200000 · 0.1 · 0.9) = 134; six of them.
        QVERIFY(std::abs(static_cast<double>(split.test.entries()) - 20000) < 6 * 134);
        QVERIFY(splitRandom(tensor, 0.1, 1).testPositions == split.testPositions);
        QVERIFY(splitRandom(tensor, 0.1, 2).testPositions != split.testPositions);
    }

    void resultDoesNotDependOnThreads()
    {
        const SparseTensor tensor = test::randomTensor({1000, 1000}, 200000, 8);
        const Split one = test::withThreads(1, [&] { return splitRandom(tensor, 0.2, 1); });
        const Split four = test::withThreads(4, [&] { return splitRandom(tensor, 0.2, 1); });
        QVERIFY(one.testPositions == four.testPositions);
        QVERIFY(test::same(one.train, four.train));
        QVERIFY(test::same(one.test, four.test));
    }

    void storedPositionsGiveTheSameSplit()
    {
        const SparseTensor tensor = test::randomTensor({50, 60, 70}, 80000, 4);
        const Split split = splitRandom(tensor, 0.25, 9);
        const Split again = splitAt(tensor, split.testPositions);
        QVERIFY(test::same(split.train, again.train));
        QVERIFY(test::same(split.test, again.test));
        const Split none = splitAt(tensor, {});
        QCOMPARE(none.train.entries(), tensor.entries());
        QCOMPARE(none.test.entries(), Count{0});
    }

    void neitherSideIsEmpty()
    {
        for (Count entries = 2; entries < 8; ++entries) {
            for (std::uint64_t seed = 0; seed < 20; ++seed) {
                const SparseTensor tensor = test::randomTensor({100, 100}, entries, seed);
                for (const double fraction : {1e-9, 0.5, 0.999999}) {
                    const Split split = splitRandom(tensor, fraction, seed);
                    QVERIFY(split.train.entries() >= 1);
                    QVERIFY(split.test.entries() >= 1);
                }
            }
        }
    }

    void oneEntryIsLearntFrom()
    {
        const SparseTensor tensor = test::randomTensor({100, 100}, 1, 1);
        const Split split = splitRandom(tensor, 0.9, 1);
        QCOMPARE(split.train.entries(), Count{1});
        QCOMPARE(split.test.entries(), Count{0});
        QCOMPARE(splitRandom(test::randomTensor({3, 3}, 0, 1), 0.5, 1).train.entries(), Count{0});
        QCOMPARE(splitRandom(test::randomTensor({3, 3}, 9, 1), 0, 1).test.entries(), Count{0});
    }

    void namesAndLabelsStay()
    {
        SparseTensor tensor = test::randomTensor({3, 4}, 50, 1);
        tensor.modes[0].name = "users";
        tensor.modes[1].labels = {"a", "b", "c", "d"};
        const Split split = splitRandom(tensor, 0.5, 1);
        for (const SparseTensor* side : {&split.train, &split.test}) {
            QCOMPARE(side->modes[0].name, std::string("users"));
            QCOMPARE(side->modes[1].labels, tensor.modes[1].labels);
        }
    }

    void impossibleRequestsAreRefused()
    {
        const SparseTensor tensor = test::randomTensor({3, 4}, 50, 1);
        for (const double fraction : {-0.1, 1.0, 2.0, std::nan("")})
            QVERIFY_EXCEPTION_THROWN(splitRandom(tensor, fraction, 1), Error);
        QVERIFY_EXCEPTION_THROWN(splitAt(tensor, {50}), Error);
        QVERIFY_EXCEPTION_THROWN(splitAt(tensor, {4, 4}), Error);
        QVERIFY_EXCEPTION_THROWN(splitAt(tensor, {4, 3}), Error);
    }

    void cancelIsHonoured()
    {
        Progress progress;
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(splitRandom(test::randomTensor({3, 4}, 50, 1), 0.5, 1, &progress), Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestSplit)
#include "tst_split.moc"
