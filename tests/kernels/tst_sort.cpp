// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/tensor/sort.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <limits>
#include <map>
#include <numeric>

using namespace kernels;

namespace {

/// The stable order by plain comparison of index vectors.
std::vector<Count> plainOrder(const SparseTensor& tensor)
{
    std::vector<Count> order(tensor.entries());
    std::iota(order.begin(), order.end(), Count{0});
    std::stable_sort(order.begin(), order.end(), [&](Count a, Count b) { return test::indexOf(tensor, a) < test::indexOf(tensor, b); });
    return order;
}

bool agrees(const Array<Count>& order, const std::vector<Count>& expected)
{
    return std::equal(order.begin(), order.end(), expected.begin(), expected.end());
}

SparseTensor sortedTensor(const std::vector<std::vector<Index>>& coordinates, const std::vector<double>& values)
{
    SparseTensor tensor({9, 9, 9}, coordinates.size());
    for (Count e = 0; e < coordinates.size(); ++e) {
        for (unsigned n = 0; n < 3; ++n)
            tensor.indices[n][e] = coordinates[e][n];
        tensor.setValue(e, values[e]);
    }
    tensor.sorted = true;
    return tensor;
}

} // namespace

class TestSort : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void orderAgreesWithStableSort_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        QTest::addColumn<bool>("doubles");
        for (unsigned order = 2; order <= 10; ++order)
            QTest::addRow("order %u", order) << test::dimsOfOrder(order) << Count{997} << (order % 2 == 0);
        const Index huge = std::numeric_limits<Index>::max();
        QTest::newRow("64-bit key") << std::vector<Index>{huge, huge} << Count{1001} << false;
        QTest::newRow("65 bits: two keys") << std::vector<Index>{2, huge, huge} << Count{1001} << false;
        QTest::newRow("512 bits: eight keys") << std::vector<Index>(16, huge) << Count{1001} << true;
        QTest::newRow("wide keys, equal leading indices") << std::vector<Index>{3, 2, 1U << 31, 1U << 31, 3} << Count{501} << true;
        QTest::newRow("modes of size 1") << std::vector<Index>{1, 5, 1} << Count{50} << false;
        QTest::newRow("all sizes 1") << std::vector<Index>{1, 1} << Count{5} << false;
        QTest::newRow("one giant slice") << std::vector<Index>{1, 1, 100000} << Count{70001} << false;
        QTest::newRow("several chunks") << std::vector<Index>{300, 20, 77} << Count{200003} << false;
        QTest::newRow("one entry") << std::vector<Index>{4, 4} << Count{1} << false;
        QTest::newRow("no entry") << std::vector<Index>{4, 4} << Count{0} << false;
    }

    void orderAgreesWithStableSort()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        QFETCH(bool, doubles);
        SparseTensor tensor = test::randomTensor(dims, entries, 7, doubles);
        const std::vector<Count> expected = plainOrder(tensor);
        QVERIFY(agrees(lexicographicOrder(tensor), expected));

        const SparseTensor before = tensor;
        sortLexicographically(tensor);
        QVERIFY(tensor.sorted);
        for (Count e = 0; e < entries; ++e) {
            QCOMPARE(test::indexOf(tensor, e), test::indexOf(before, expected[e]));
            QCOMPARE(tensor.value(e), before.value(expected[e])); // stable: equal coordinates keep their order
        }
    }

    void resultDoesNotDependOnThreads()
    {
        for (const auto& dims : {std::vector<Index>{300, 20, 77}, std::vector<Index>{1U << 31, 1U << 31, 9}}) {
            SparseTensor one = test::randomTensor(dims, 150001, 3);
            SparseTensor four = one;
            test::withThreads(1, [&] { sortLexicographically(one); });
            test::withThreads(4, [&] { sortLexicographically(four); });
            QVERIFY(test::same(one, four));
        }
    }

    void sortedEntriesAreRecognised()
    {
        SparseTensor tensor = test::randomTensor({40, 50}, 5000, 1);
        sortLexicographically(tensor);
        tensor.sorted = false; // as a reader leaves a file that happens to be in order
        const SparseTensor before = tensor;
        Progress progress;
        sortLexicographically(tensor, &progress);
        QVERIFY(tensor.sorted);
        QVERIFY(test::same(tensor, before));
        QCOMPARE(QByteArray(progress.stage()), QByteArray()); // no sorting stage was begun
    }

    void progressEndsAtItsTotal()
    {
        for (const auto& dims : {std::vector<Index>{300, 20, 77}, std::vector<Index>{1U << 31, 1U << 31, 9}}) {
            SparseTensor tensor = test::randomTensor(dims, 150001, 3);
            Progress progress;
            sortLexicographically(tensor, &progress);
            QVERIFY(progress.total() > 0);
            QCOMPARE(progress.done(), progress.total());
        }
    }

    void cancelLeavesTheTensorWhole()
    {
        for (const auto& dims : {std::vector<Index>{300, 20, 77}, std::vector<Index>{1U << 31, 1U << 31, 9}}) {
            SparseTensor tensor = test::randomTensor(dims, 100000, 3);
            const SparseTensor before = tensor;
            Progress progress;
            progress.cancel();
            QVERIFY_EXCEPTION_THROWN(sortLexicographically(tensor, &progress), Cancelled);
            QVERIFY(test::same(tensor, before));
            QVERIFY(!tensor.sorted);
            QVERIFY_EXCEPTION_THROWN(lexicographicOrder(tensor, &progress), Cancelled);
        }
    }

    void duplicatesAreMerged_data()
    {
        QTest::addColumn<int>("policy");
        QTest::addColumn<std::vector<double>>("expected");
        // Values 1 | 2, 4, 9 | 5 | 6, 8 of four coordinates.
        QTest::newRow("sum") << static_cast<int>(Duplicates::Sum) << std::vector<double>{1, 15, 5, 14};
        QTest::newRow("mean") << static_cast<int>(Duplicates::Mean) << std::vector<double>{1, 5, 5, 7};
        QTest::newRow("last") << static_cast<int>(Duplicates::Last) << std::vector<double>{1, 9, 5, 8};
        QTest::newRow("max") << static_cast<int>(Duplicates::Max) << std::vector<double>{1, 9, 5, 8};
        QTest::newRow("keep") << static_cast<int>(Duplicates::Keep) << std::vector<double>{1, 2, 4, 9, 5, 6, 8};
    }

    void duplicatesAreMerged()
    {
        QFETCH(int, policy);
        QFETCH(std::vector<double>, expected);
        SparseTensor tensor =
            sortedTensor({{0, 0, 1}, {0, 2, 2}, {0, 2, 2}, {0, 2, 2}, {3, 0, 0}, {8, 8, 8}, {8, 8, 8}}, {1, 2, 4, 9, 5, 6, 8});
        tensor.modes[1].name = "kept";
        QCOMPARE(mergeDuplicates(tensor, static_cast<Duplicates>(policy)), Count{3});
        QCOMPARE(tensor.entries(), Count{expected.size()});
        for (Count e = 0; e < expected.size(); ++e)
            QCOMPARE(tensor.value(e), expected[e]);
        QCOMPARE(test::indexOf(tensor, expected.size() - 1), (std::vector<Index>{8, 8, 8}));
        QCOMPARE(tensor.modes[1].name, std::string("kept"));
        QVERIFY(tensor.sorted);
    }

    void mergingAgreesWithAMap()
    {
        SparseTensor tensor = test::randomTensor({30, 40, 20}, 150001, 5, true); // six of every cell: runs cross chunks
        std::map<std::vector<Index>, double> sums;
        for (Count e = 0; e < tensor.entries(); ++e)
            sums[test::indexOf(tensor, e)] += tensor.value(e);
        sortLexicographically(tensor);
        SparseTensor other = tensor;
        const Count gone = test::withThreads(1, [&] { return mergeDuplicates(tensor, Duplicates::Sum); });
        test::withThreads(4, [&] { return mergeDuplicates(other, Duplicates::Sum); });
        QVERIFY(test::same(tensor, other));
        QCOMPARE(tensor.entries(), Count{sums.size()});
        QCOMPARE(gone, Count{150001} - sums.size());
        Count e = 0;
        for (const auto& [index, sum] : sums) {
            QCOMPARE(test::indexOf(tensor, e), index);
            QVERIFY(std::abs(tensor.value(e) - sum) < 1e-12); // the same few additions, perhaps in another order
            ++e;
        }
    }

    void oneCoordinateForAllEntriesBecomesOne()
    {
        SparseTensor tensor({5, 5}, 150000);
        for (auto& indices : tensor.indices)
            std::fill(indices.begin(), indices.end(), Index{4});
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, 1);
        QCOMPARE(mergeDuplicates(tensor, Duplicates::Sum), Count{149999});
        QCOMPARE(tensor.entries(), Count{1});
        QCOMPARE(tensor.value(0), 150000.0);
    }

    void errorNamesTheCoordinateFromOne()
    {
        SparseTensor tensor = sortedTensor({{0, 0, 1}, {0, 2, 6}, {0, 2, 6}, {8, 8, 8}, {8, 8, 8}}, {1, 2, 4, 9, 5});
        try {
            mergeDuplicates(tensor, Duplicates::Error);
            QFAIL("duplicates were accepted");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::BadInput);
            QVERIFY2(std::string(error.what()).find("(1, 3, 7)") != std::string::npos, error.what());
        }
        QCOMPARE(tensor.entries(), Count{5});
        SparseTensor clean = sortedTensor({{0, 0, 1}, {0, 2, 6}}, {1, 2});
        QCOMPARE(mergeDuplicates(clean, Duplicates::Error), Count{0});
    }

    void mergingRefusesUnsortedEntries()
    {
        SparseTensor tensor = sortedTensor({{5, 0, 1}, {0, 2, 6}}, {1, 2});
        tensor.sorted = false;
        QVERIFY_EXCEPTION_THROWN(mergeDuplicates(tensor, Duplicates::Sum), Error);
    }

    void gatherTakesPositionsInTheirOrder()
    {
        SparseTensor tensor = test::randomTensor({9, 9, 9}, 100, 2, true);
        tensor.modes[0].labels.assign(9, "x");
        const Array<Count> positions{99, 0, 0, 50};
        const SparseTensor result = gather(tensor, positions);
        QCOMPARE(result.entries(), Count{4});
        QCOMPARE(result.modes[0].labels.size(), std::size_t{9});
        for (Count i = 0; i < 4; ++i) {
            QCOMPARE(test::indexOf(result, i), test::indexOf(tensor, positions[i]));
            QCOMPARE(result.value(i), tensor.value(positions[i]));
        }
        QVERIFY(!result.sorted);
        sortLexicographically(tensor);
        QVERIFY(gather(tensor, {1, 4, 9}).sorted);
        QVERIFY(!gather(tensor, {4, 1}).sorted);
    }
};

QTEST_GUILESS_MAIN(TestSort)
#include "tst_sort.moc"
