// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/tensor/entry_view.h"
#include "kernels/tensor/sort.h"
#include "support/random_tensor.h"

#include <QElapsedTimer>
#include <QtTest>

#include <tbb/parallel_for.h>

#include <cmath>
#include <limits>
#include <thread>

using namespace kernels;

namespace {

constexpr Count mostNarrow = std::numeric_limits<std::uint32_t>::max();

bool inRanges(const IndexRanges& ranges, Index index)
{
    return std::any_of(ranges.begin(), ranges.end(), [index](const auto& r) { return r.first <= index && index <= r.second; });
}

/// Entry by entry, as the words of EntryFilter say.
std::vector<Count> plainFilter(const SparseTensor& tensor, const EntryFilter& filter)
{
    std::vector<Count> left;
    for (Count e = 0; e < tensor.entries(); ++e) {
        bool passes = true;
        for (const auto& in : filter.modes)
            passes = passes && inRanges(in.indices, tensor.indices[in.mode][e]);
        const double value = tensor.value(e);
        passes = passes && (!filter.valueMin || value >= *filter.valueMin) && (!filter.valueMax || value <= *filter.valueMax);
        if (filter.repeatedOnly) {
            Count times = 0;
            for (Count other = 0; other < tensor.entries(); ++other)
                times += test::indexOf(tensor, other) == test::indexOf(tensor, e);
            passes = passes && times > 1;
        }
        if (passes)
            left.push_back(e);
    }
    return left;
}

/// By a comparison, stably; NaN last.
void plainSort(const SparseTensor& tensor, const EntryOrder& order, std::vector<Count>& entries)
{
    const auto keyOf = [&](Count e) {
        if (order.column == tensor.order())
            return tensor.value(e);
        const Index index = tensor.indices[order.column][e];
        return static_cast<double>(order.ranks ? (*order.ranks)[index] : index);
    };
    std::stable_sort(entries.begin(), entries.end(), [&](Count a, Count b) {
        const double x = keyOf(a), y = keyOf(b);
        if (std::isnan(x) || std::isnan(y))
            return !std::isnan(x) && std::isnan(y);
        return order.descending ? x > y : x < y;
    });
}

std::vector<Count> entriesOf(const EntryView& view)
{
    std::vector<Count> entries;
    for (Count row = 0; row < view.entries(); ++row)
        entries.push_back(view[row]);
    return entries;
}

/// Values that are hard to sort: both zeros, NaN of both signs, infinities, denormals.
SparseTensor oddTensor(bool doubles)
{
    SparseTensor tensor = test::randomTensor({40, 7, 90}, 3000, 5, doubles);
    const double odd[] = {0.0,
                          -0.0,
                          std::numeric_limits<double>::quiet_NaN(),
                          -std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          1e-42,
                          -1e-42,
                          1,
                          -1};
    for (Count e = 0; e < tensor.entries(); e += 3)
        tensor.setValue(e, odd[(e / 3) % std::size(odd)]);
    return tensor;
}

EntryOrder by(unsigned column, bool descending) { return {column, descending, {}}; }

} // namespace

class TestEntryView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filtersAgreeWithALook_data()
    {
        QTest::addColumn<EntryFilter>("filter");
        EntryFilter filter;
        QTest::newRow("nothing asked") << filter;
        filter.modes = {{1, {{2, 4}}}};
        QTest::newRow("a range of a mode") << filter;
        filter.modes = {{2, {{0, 3}, {7, 7}, {50, 89}}}};
        QTest::newRow("several ranges of a mode") << filter;
        filter.modes = {{0, {{5, 30}}}, {2, {{10, 60}}}, {1, {{0, 0}, {3, 6}}}};
        QTest::newRow("every mode") << filter;
        filter.valueMin = -0.25;
        QTest::newRow("modes and a least value") << filter;
        filter.modes.clear();
        filter.valueMax = 0.0;
        QTest::newRow("both ends of the value") << filter;
        filter.valueMin.reset();
        QTest::newRow("a largest value") << filter;
        filter.valueMin = filter.valueMax = 0.0;
        QTest::newRow("zeros of either sign") << filter;
        filter.valueMin = 5;
        filter.valueMax = 4;
        QTest::newRow("nothing is left") << filter;
        filter = {};
        filter.modes = {{0, {}}};
        QTest::newRow("no index of a mode") << filter;
        filter.modes = {{0, {{0, std::numeric_limits<Index>::max()}}}};
        QTest::newRow("to the largest index there can be") << filter;
    }

    void filtersAgreeWithALook()
    {
        QFETCH(EntryFilter, filter);
        for (const bool doubles : {false, true})
            for (const Count entries : {Count{3000}, Count{64}, Count{63}, Count{65}, Count{1}, Count{0}}) {
                SparseTensor tensor = oddTensor(doubles);
                tensor.resize(entries);
                for (const Count narrow : {mostNarrow, Count{0}})
                    QCOMPARE(entriesOf(viewEntries(tensor, filter, {}, nullptr, narrow)), plainFilter(tensor, filter));
            }
    }

    void coordinatesThatRepeatAreFound()
    {
        SparseTensor tensor = test::randomTensor({12, 9, 7}, 900, 3);
        EntryFilter filter;
        filter.repeatedOnly = true;
        QVERIFY_EXCEPTION_THROWN(viewEntries(tensor, filter, {}), Error);
        sortLexicographically(tensor);
        const std::vector<Count> expected = plainFilter(tensor, filter);
        QVERIFY(expected.size() > 100 && expected.size() < 900);
        QCOMPARE(entriesOf(viewEntries(tensor, filter, {})), expected);
        filter.modes = {{1, {{0, 3}}}};
        QCOMPARE(entriesOf(viewEntries(tensor, filter, {})), plainFilter(tensor, filter));
    }

    void ordersAgreeWithAStableSort()
    {
        const auto ranks = std::make_shared<std::vector<Index>>();
        for (Index i = 0; i < 90; ++i)
            ranks->push_back((i * 37) % 90 / 2); // some alike
        EntryFilter some;
        some.modes = {{2, {{3, 70}}}};
        for (const bool doubles : {false, true})
            for (const bool sorted : {false, true}) {
                SparseTensor tensor = oddTensor(doubles);
                if (sorted)
                    sortLexicographically(tensor);
                for (unsigned column = 0; column <= 3; ++column)
                    for (const bool descending : {false, true})
                        for (const EntryFilter& filter : {EntryFilter{}, some})
                            for (const Count narrow : {mostNarrow, Count{0}}) {
                                EntryOrder order = by(column, descending);
                                if (column == 2)
                                    order.ranks = ranks;
                                std::vector<Count> expected = plainFilter(tensor, filter);
                                plainSort(tensor, order, expected);
                                QCOMPARE(entriesOf(viewEntries(tensor, filter, order, nullptr, narrow)), expected);
                            }
            }
    }

    void threadsDoNotChangeAnything()
    {
        const SparseTensor tensor = test::randomTensor({500, 300, 40}, 1'500'000, 8);
        EntryFilter filter;
        filter.modes = {{0, {{20, 400}}}};
        filter.valueMin = -0.5;
        const auto once = [&] { return entriesOf(viewEntries(tensor, filter, by(1, true))); };
        const std::vector<Count> alone = test::withThreads(1, once);
        QVERIFY(alone == test::withThreads(7, once));
        std::vector<Count> expected = plainFilter(tensor, filter);
        plainSort(tensor, by(1, true), expected);
        QVERIFY(alone == expected);
    }

    void whatIsShownIsCollected()
    {
        const SparseTensor tensor = oddTensor(true);
        EntryFilter filter;
        filter.valueMin = 0.1;
        const EntryView view = viewEntries(tensor, filter, by(3, true));
        const SparseTensor part = gather(tensor, view);
        QCOMPARE(part.entries(), view.entries());
        QCOMPARE(part.dims(), tensor.dims());
        for (Count row = 0; row < view.entries(); ++row) {
            QCOMPARE(test::indexOf(part, row), test::indexOf(tensor, view[row]));
            QCOMPARE(part.value(row), tensor.value(view[row]));
        }
        QVERIFY(!part.sorted && part.entries() > 100);
    }

    void memoryIsFourBytesARow()
    {
        const SparseTensor tensor = test::randomTensor({500, 300}, 10'000, 8);
        QCOMPARE(viewEntries(tensor, {}, {}).bytes(), std::uint64_t{0});
        QCOMPARE(viewEntries(tensor, {}, {}).entries(), tensor.entries());
        QCOMPARE(viewEntries(tensor, {}, by(2, false)).bytes(), std::uint64_t{40'000});
        EntryFilter filter;
        filter.valueMin = 0;
        const EntryView half = viewEntries(tensor, filter, {});
        QCOMPARE(half.bytes(), half.entries() * 4);
        QCOMPARE(viewEntries(tensor, filter, {}, nullptr, 0).bytes(), half.entries() * 8);
        QCOMPARE(entryViewBytes(tensor, filter, by(2, false)), std::uint64_t{10'000 * 16 + 1250});
    }

    void cancelEndsIt()
    {
        const SparseTensor tensor = test::randomTensor({500, 300, 40}, 2'000'000, 8);
        EntryFilter filter;
        filter.valueMin = -0.5;
        Progress stopped;
        stopped.cancel();
        QVERIFY_EXCEPTION_THROWN(viewEntries(tensor, filter, {}, &stopped), Cancelled);
        QVERIFY_EXCEPTION_THROWN(viewEntries(tensor, {}, by(1, true), &stopped), Cancelled);
        QVERIFY_EXCEPTION_THROWN(gather(tensor, EntryView(tensor.entries()), &stopped), Cancelled);
        // In the middle of it, from another thread.
        Progress progress;
        std::thread person([&] {
            while (progress.done() == 0)
                std::this_thread::yield();
            progress.cancel();
        });
        bool cancelled = false;
        try {
            for (int again = 0; again < 50; ++again)
                viewEntries(tensor, filter, by(3, false), &progress);
        } catch (const Cancelled&) {
            cancelled = true;
        }
        person.join();
        QVERIFY(cancelled);
    }

    void progressEndsAtItsTotal()
    {
        const SparseTensor tensor = test::randomTensor({500, 300, 40}, 300'000, 8);
        EntryFilter filter;
        filter.valueMin = -0.5;
        Progress progress;
        viewEntries(tensor, filter, {}, &progress);
        QCOMPARE(progress.done(), progress.total());
        QVERIFY(progress.total() > 0);
        viewEntries(tensor, filter, by(1, true), &progress);
        QCOMPARE(QByteArray(progress.stage()), QByteArray("sorting"));
        QCOMPARE(progress.done(), progress.total());
    }

    void columnsThatThereAreNotAreRefused()
    {
        const SparseTensor tensor = test::randomTensor({5, 4}, 10, 1);
        EntryFilter filter;
        filter.modes = {{2, {{0, 1}}}};
        QVERIFY_EXCEPTION_THROWN(viewEntries(tensor, filter, {}), Error);
        QVERIFY_EXCEPTION_THROWN(viewEntries(tensor, {}, by(3, false)), Error);
        EntryOrder order = by(0, false);
        order.ranks = std::make_shared<const std::vector<Index>>(4);
        QVERIFY_EXCEPTION_THROWN(viewEntries(tensor, {}, order), Error);
    }

    void rangesAreTidied()
    {
        QCOMPARE(tidied({{7, 9}, {3, 1}, {4, 4}, {8, 12}, {20, 20}}), (IndexRanges{{1, 4}, {7, 12}, {20, 20}}));
        const Index last = std::numeric_limits<Index>::max();
        QCOMPARE(tidied({{0, 0}, {last, last}, {0, 5}, {last - 1, last}}), (IndexRanges{{0, 5}, {last - 1, last}}));
        QCOMPARE(tidied({}), IndexRanges{});
    }

    /// By hand: POLYAD_BENCH_ENTRIES=100000000 tst_entry_view large. The figures of docs/PERFORMANCE.md.
    void large()
    {
        const Count entries = qEnvironmentVariable("POLYAD_BENCH_ENTRIES").toULongLong();
        if (entries == 0)
            QSKIP("Set POLYAD_BENCH_ENTRIES to measure");
        SparseTensor tensor({480'189, 17'770, 2'182}, entries);
        tbb::parallel_for(Count{0}, entries, [&](Count e) {
            // In the order of the first mode, as it is loaded; the others skewed.
            tensor.indices[0][e] = static_cast<Index>(static_cast<double>(e) / static_cast<double>(entries) * 480'189);
            for (unsigned n = 1; n < 3; ++n) {
                const double drawn = random::uniform(7, n, e);
                tensor.indices[n][e] = static_cast<Index>(drawn * drawn * tensor.modes[n].size);
            }
            tensor.setValue(e, 1 + std::floor(5 * random::uniform(7, 9, e)));
        });
        const auto measure = [&](const char* what, const EntryFilter& filter, const EntryOrder& order) {
            QElapsedTimer clock;
            clock.start();
            const EntryView view = viewEntries(tensor, filter, order);
            const qint64 took = clock.elapsed();
            clock.restart();
            Count sum = 0;
            for (int page = 0; page < 1000; ++page) // anywhere in it
                for (Count row = 0; row < 100 && row < view.entries(); ++row)
                    sum += view[(static_cast<Count>(page) * 7919 * 100 + row) % view.entries()];
            qInfo("%-40s %7lld ms, %llu rows, %llu MiB kept, at most %llu MiB; 1000 pages in %lld ms (%llu)", what, took,
                  static_cast<unsigned long long>(view.entries()), static_cast<unsigned long long>(view.bytes() >> 20),
                  static_cast<unsigned long long>(entryViewBytes(tensor, filter, order) >> 20), clock.elapsed(),
                  static_cast<unsigned long long>(sum % 10));
        };
        EntryFilter slice, values, both, many;
        slice.modes = {{1, {{1234, 1234}}}};
        values.valueMin = 4;
        both.modes = {{0, {{1000, 200'000}}}, {2, {{100, 400}}}};
        both.valueMin = both.valueMax = 5;
        IndexRanges odd;
        for (Index i = 1; i < 17'770; i += 2)
            odd.emplace_back(i, i);
        many.modes = {{1, odd}};
        measure("one slice of mode 2", slice, {});
        measure("values from 4", values, {});
        measure("two ranges and a value", both, {});
        measure("every other index of mode 2", many, {});
        measure("all by value, largest first", {}, by(3, true));
        measure("all by mode 2", {}, by(1, false));
        measure("all by mode 1, last first", {}, by(0, true));
        measure("values from 4 by mode 3", values, by(2, false));
    }
};

QTEST_GUILESS_MAIN(TestEntryView)
#include "tst_entry_view.moc"
