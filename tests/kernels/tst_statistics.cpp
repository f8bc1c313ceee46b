// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/statistics.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace kernels;

namespace {

std::vector<Count> plainCounts(const SparseTensor& tensor, unsigned mode)
{
    std::vector<Count> counts(tensor.modes[mode].size, 0);
    for (Count e = 0; e < tensor.entries(); ++e)
        ++counts[tensor.indices[mode][e]];
    return counts;
}

SparseTensor withValues(const std::vector<double>& values)
{
    SparseTensor tensor({static_cast<Index>(values.size()), 2}, values.size(), true);
    for (Count e = 0; e < values.size(); ++e) {
        tensor.indices[0][e] = static_cast<Index>(e);
        tensor.indices[1][e] = 0;
        tensor.setValue(e, values[e]);
    }
    return tensor;
}

} // namespace

class TestStatistics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slicesAgreeWithPlainCounts_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        for (unsigned order = 2; order <= 10; ++order)
            QTest::addRow("order %u", order) << test::dimsOfOrder(order) << Count{1009};
        QTest::newRow("mostly empty slices") << std::vector<Index>{50021, 3, 1000003} << Count{4001};
        QTest::newRow("one giant slice") << std::vector<Index>{1, 30011, 2} << Count{90001};
        QTest::newRow("no entries") << std::vector<Index>{5, 6} << Count{0};
    }

    void slicesAgreeWithPlainCounts()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        const SparseTensor tensor = test::randomTensor(dims, entries, 3);
        const TensorStatistics statistics = computeStatistics(tensor);
        QCOMPARE(statistics.modes.size(), dims.size());
        for (unsigned n = 0; n < dims.size(); ++n) {
            std::vector<Count> counts = plainCounts(tensor, n);
            const Array<Count> found = sliceCounts(tensor, n);
            QVERIFY(std::equal(counts.begin(), counts.end(), found.begin(), found.end()));
            const ModeStatistics& mode = statistics.modes[n];
            for (const Slice& slice : mode.heaviest)
                QCOMPARE(slice.entries, counts[slice.index]);

            std::sort(counts.begin(), counts.end(), std::greater<>());
            const auto nonEmpty = static_cast<Count>(std::count_if(counts.begin(), counts.end(), [](Count c) { return c > 0; }));
            QCOMPARE(mode.emptySlices, dims[n] - nonEmpty);
            QCOMPARE(mode.largestSlice, counts[0]);
            QCOMPARE(mode.meanSlice, nonEmpty ? static_cast<double>(entries) / static_cast<double>(nonEmpty) : 0.0);
            QCOMPARE(mode.heaviest.size(), static_cast<std::size_t>(std::min<Count>(10, nonEmpty)));
            for (std::size_t i = 0; i < mode.heaviest.size(); ++i)
                QCOMPARE(mode.heaviest[i].entries, counts[i]);

            QVERIFY(mode.slicesByRank.size() <= 512);
            QCOMPARE(mode.slicesByRank.empty(), nonEmpty == 0);
            if (nonEmpty > 0) {
                QCOMPARE(mode.slicesByRank.front().first, Count{1});
                QCOMPARE(mode.slicesByRank.back().first, nonEmpty);
                QVERIFY(nonEmpty > 512 || mode.slicesByRank.size() == nonEmpty);
            }
            for (std::size_t i = 0; i < mode.slicesByRank.size(); ++i) {
                QVERIFY(i == 0 || mode.slicesByRank[i].first > mode.slicesByRank[i - 1].first);
                QCOMPARE(mode.slicesByRank[i].second, counts[mode.slicesByRank[i].first - 1]);
            }
        }
    }

    void equallyHeavySlicesComeByIndex()
    {
        const TensorStatistics statistics = computeStatistics(withValues(std::vector<double>(15, 1.0)));
        for (Index i = 0; i < 10; ++i)
            QCOMPARE(statistics.modes[0].heaviest[i].index, i);
    }

    void momentsAgreeWithArithmetic()
    {
        const TensorStatistics s = computeStatistics(withValues({0, 2, 4, 0, 9}));
        QCOMPARE(s.valueMin, 0.0);
        QCOMPARE(s.valueMax, 9.0);
        QCOMPARE(s.valueMean, 3.0);
        QCOMPARE(s.valueDeviation, std::sqrt((9.0 + 1 + 1 + 9 + 36) / 5)); // about the mean 3
        QCOMPARE(s.rootMeanSquare, std::sqrt((4.0 + 16 + 81) / 5));
        QCOMPARE(s.zeros, Count{2});
        QVERIFY(s.valuesAreWhole);
    }

    void aLargeMeanDoesNotDrownTheDeviation()
    {
        std::vector<double> values;
        for (int i = 0; i < 100000; ++i)
            values.push_back(1e9 + i % 2);
        const TensorStatistics s = computeStatistics(withValues(values));
        // Exact would be 0.5; x itself is held to 1e9 · 1.1e-16, a sum of squares would lose everything.
        QVERIFY(std::abs(s.valueDeviation - 0.5) < 1e-6);
    }

    void fewWholeValuesHaveABinEach()
    {
        const TensorStatistics s = computeStatistics(withValues({5, 1, 5, 3, 1, 5}));
        QCOMPARE(s.histogram.size(), std::size_t{3});
        const double values[] = {1, 3, 5};
        const Count counts[] = {2, 1, 3};
        for (std::size_t b = 0; b < 3; ++b) {
            QCOMPARE(s.histogram[b].lower, values[b]);
            QCOMPARE(s.histogram[b].upper, values[b]);
            QCOMPARE(s.histogram[b].count, counts[b]);
        }
    }

    void binsChangeAboveThirtyTwoWholeValues()
    {
        std::vector<double> values(32);
        std::iota(values.begin(), values.end(), -7.0);
        QCOMPARE(computeStatistics(withValues(values)).histogram.front().upper, -7.0);
        values.push_back(25.0); // the 33rd
        const TensorStatistics s = computeStatistics(withValues(values));
        QVERIFY(s.valuesAreWhole);
        QCOMPARE(s.histogram.size(), std::size_t{32});
        QCOMPARE(s.histogram.front().lower, -7.0);
        QCOMPARE(s.histogram.front().upper, -6.0); // 32 wide, 32 bins
        QCOMPARE(s.histogram.back().upper, 25.0);
        QCOMPARE(s.histogram.back().count, Count{2}); // 24 and 25
    }

    void everyValueIsInABin()
    {
        const SparseTensor tensor = test::randomTensor({100, 100}, 70001, 6);
        const TensorStatistics s = computeStatistics(tensor);
        QVERIFY(!s.valuesAreWhole);
        QCOMPARE(s.histogram.size(), std::size_t{32});
        Count sum = 0;
        for (const HistogramBin& bin : s.histogram)
            sum += bin.count;
        QCOMPARE(sum, tensor.entries());
        // Uniform values: 2187 a bin, s.d. 46; six of them.
        for (const HistogramBin& bin : s.histogram)
            QVERIFY(std::abs(static_cast<double>(bin.count) - 70001.0 / 32) < 6 * 47);
        QCOMPARE(computeStatistics(withValues({0.5, 0.5})).histogram.size(), std::size_t{1});
    }

    void repeatsAreCountedInSortedTensors()
    {
        SparseTensor tensor = test::randomTensor({7, 11}, 1000, 2);
        sortLexicographically(tensor);
        QCOMPARE(computeStatistics(tensor).duplicates, mergeDuplicates(tensor, Duplicates::Keep));
        QVERIFY(computeStatistics(tensor).duplicates >= 1000 - 77); // there are 77 cells
    }

    void resultDoesNotDependOnThreads()
    {
        const SparseTensor tensor = test::randomTensor({1000, 70000}, 300000, 8);
        const TensorStatistics one = test::withThreads(1, [&] { return computeStatistics(tensor); });
        const TensorStatistics four = test::withThreads(4, [&] { return computeStatistics(tensor); });
        // Bits, not tolerances.
        QVERIFY(one.valueMean == four.valueMean);
        QVERIFY(one.valueDeviation == four.valueDeviation);
        QVERIFY(one.rootMeanSquare == four.rootMeanSquare);
        QVERIFY(one.modes[1].slicesByRank == four.modes[1].slicesByRank);
        for (std::size_t b = 0; b < 32; ++b)
            QCOMPARE(one.histogram[b].count, four.histogram[b].count);
    }

    void cancelIsHonoured()
    {
        Progress progress;
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(computeStatistics(test::randomTensor({3, 4}, 50, 1), &progress), Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
