// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"

#include <QTest>

#include <numeric>

using namespace kernels;
using namespace kernels::fasttucker_plus;

namespace {

/// The last mode has so many entries in each of its rows; the others are even.
std::vector<std::vector<float>> sharesOf(const std::vector<Index>& dims, const std::vector<Count>& lastMode, Count entries)
{
    std::vector<std::vector<float>> shares;
    for (const Index size : dims)
        shares.emplace_back(size, 1.0F / static_cast<float>(size));
    for (std::size_t i = 0; i < lastMode.size(); ++i)
        shares.back()[i] = static_cast<float>(lastMode[i]) / static_cast<float>(entries);
    return shares;
}

Count ceilOf(Count a, Count b) { return (a + b - 1) / b; }

} // namespace

/// What the device will take for grouped entries is known before it is asked.
class TestGroupedRecords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBoundHolds_data()
    {
        QTest::addColumn<unsigned>("rows");
        QTest::addColumn<unsigned>("inRow");
        QTest::newRow("full tiles") << 50u << 480u;
        QTest::newRow("one entry in the last tile of each row") << 50u << 481u; // the most padding there is
        QTest::newRow("as many rows as may share tiles") << 50u << 161u;
        QTest::newRow("few long rows") << 3u << 40001u;
        QTest::newRow("too many rows to share tiles") << 400u << 50u;
    }
    /// Never less than the tiles take, and no more than a tile and a group a row beyond.
    void theBoundHolds()
    {
        QFETCH(unsigned, rows);
        QFETCH(unsigned, inRow);
        const std::vector<Index> dims{100000, 90000, rows};
        const std::vector<Count> counts(rows, inRow);
        const Count entries = std::accumulate(counts.begin(), counts.end(), Count{0});
        const Grouping grouping = chooseGrouping(sharesOf(dims, counts, entries), entries);
        QCOMPARE(grouping.modes.front(), 2u);
        QCOMPARE(grouping.uniform, rows * 8.0 <= 0.05 * double(entries));
        Count tiles = ceilOf(entries, entriesPerTile), groups = ceilOf(tiles, tilesPerGroup);
        if (grouping.uniform) {
            tiles = groups = 0;
            for (const Count count : counts) {
                tiles += ceilOf(count, entriesPerTile);
                groups += ceilOf(ceilOf(count, entriesPerTile), tilesPerGroup);
            }
        }
        const RecordShape shape(3, grouping.uniform);
        const Count tileBytes = entriesPerTile * shape.quads * 16 + sizeof(TileHeader);
        const Count taken = tiles * tileBytes + groups * 4;
        const GroupedBytes bytes = groupedBytes(dims, entries, grouping.uniform ? rows : 0);
        QVERIFY2(taken <= bytes.kept && bytes.kept <= taken + (rows + 1) * (tileBytes + 8), qPrintable(QString::number(taken)));
        // Sorted keys and numbers and the shares of all rows beside them; or the keys before and after sorting.
        const Count shares = 4 * (Count{100000} + 90000 + rows);
        QVERIFY(bytes.most >= shares + std::max(24 * entries, taken + 12 * entries + (grouping.uniform ? 5 * 4 * (rows + 1) : 0)));
    }

    void theBoundGrowsWithTheRows()
    {
        Count before = 0;
        for (const Index rows : {1u, 10u, 1000u, 100000u}) {
            const GroupedBytes bytes = groupedBytes({100000, 90000, 500}, 1'000'000, rows);
            QVERIFY(bytes.most > before);
            before = bytes.most;
        }
    }
};

QTEST_GUILESS_MAIN(TestGroupedRecords)
#include "tst_grouped_records.moc"
