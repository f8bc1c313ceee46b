// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/grid.h"
#include "kernels/tensor/statistics.h"
#include "support/known_tensors.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace kernels;

namespace {

std::vector<Array<Count>> countsOf(const SparseTensor& tensor)
{
    std::vector<Array<Count>> counts;
    for (unsigned n = 0; n < tensor.order(); ++n)
        counts.push_back(sliceCounts(tensor, n));
    return counts;
}

Grid gridOf(const SparseTensor& tensor, unsigned devices, const GridCosts& costs = {})
{
    RunControl control;
    return chooseGrid(tensor, countsOf(tensor), devices, costs, control);
}

using Entry = std::pair<std::vector<Index>, double>;

/// In the whole's indices.
std::vector<Entry> entriesOf(const std::vector<SparseTensor>& tiles, const Grid& grid)
{
    std::vector<Entry> entries;
    for (unsigned device = 0; device < tiles.size(); ++device)
        for (Count e = 0; e < tiles[device].entries(); ++e) {
            Entry entry;
            for (unsigned n = 0; n < grid.order(); ++n)
                entry.first.push_back(tiles[device].indices[n][e] + grid.firstRow(device, n));
            entry.second = tiles[device].value(e);
            entries.push_back(entry);
        }
    return entries;
}

std::vector<Entry> entriesOf(const SparseTensor& tensor)
{
    std::vector<Entry> entries;
    for (Count e = 0; e < tensor.entries(); ++e) {
        entries.emplace_back();
        for (unsigned n = 0; n < tensor.order(); ++n)
            entries.back().first.push_back(tensor.indices[n][e]);
        entries.back().second = tensor.value(e);
    }
    return entries;
}

/// Of the fullest device, against what each would have if all had the same.
double fullest(const std::vector<SparseTensor>& tiles)
{
    Count most = 0, all = 0;
    for (const SparseTensor& tile : tiles) {
        most = std::max(most, tile.entries());
        all += tile.entries();
    }
    return static_cast<double>(most) * static_cast<double>(tiles.size()) / static_cast<double>(all);
}

} // namespace

class GridTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEntryIsDealtOutOnce_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        for (unsigned order = 2; order <= 6; ++order)
            QTest::addRow("order %u", order) << std::vector<Index>{50, 40, 30, 5, 7, 3} << Count{5000};
        QTest::newRow("tiny") << std::vector<Index>{1, 2, 1} << Count{3};
        QTest::newRow("fewer entries than devices") << std::vector<Index>{100, 90, 80} << Count{4};
        QTest::newRow("more than a chunk") << std::vector<Index>{300, 200, 10} << Count{150000};
    }
    /// With its value, on a device whose ranges it lies in.
    void everyEntryIsDealtOutOnce()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        const SparseTensor tensor = test::skewedTensor(dims, entries, 0.1, 3, true);
        std::vector<Entry> expected = entriesOf(tensor);
        std::sort(expected.begin(), expected.end());
        for (const unsigned devices : {1U, 2U, 3U, 4U, 6U, 8U})
            for (const double ofRow : {0.0, 1.0, 1e6}) {
                RunControl control;
                const Grid grid = gridOf(tensor, devices, {100, ofRow});
                QCOMPARE(grid.devices(), devices);
                const std::vector<SparseTensor> tiles = tilesOf(tensor, grid, control);
                QCOMPARE(tiles.size(), std::size_t{devices});
                for (const SparseTensor& tile : tiles)
                    tile.check(); // indices within ranges, and no range empty
                std::vector<Entry> found = entriesOf(tiles, grid);
                std::sort(found.begin(), found.end());
                QVERIFY(found == expected);
            }
    }

    void partsCoverTheModes()
    {
        const SparseTensor tensor = test::skewedTensor({40, 30, 20}, 4000, 0.1, 4);
        const Grid grid = gridOf(tensor, 12, {1, 1e9}); // rows cost so much that no device shares any it need not
        for (unsigned n = 0; n < 3; ++n) {
            std::set<unsigned> seen;
            QCOMPARE(grid.cuts[n].front(), Index{0});
            QCOMPARE(grid.cuts[n].back(), tensor.dims()[n]);
            for (unsigned part = 0; part < grid.parts(n); ++part) {
                const std::vector<unsigned> havers = grid.havers(n, part);
                QCOMPARE(havers.size(), std::size_t{grid.devices() / grid.parts(n)});
                for (const unsigned device : havers) {
                    QCOMPARE(grid.partOf(device, n), part);
                    QVERIFY(seen.insert(device).second);
                }
            }
            QCOMPARE(seen.size(), std::size_t{12});
        }
    }

    /// The longest mode is the one to divide: its rows need not be added up then.
    void theLongestModeIsDivided()
    {
        const SparseTensor tensor = test::skewedTensor({900, 60, 50}, 40000, 0, 5);
        const Grid grid = gridOf(tensor, 2, {200, 100});
        QCOMPARE(grid.parts(0), 2U);
        QCOMPARE(grid.parts(1), 1U);
        QCOMPARE(grid.parts(2), 1U);
        QCOMPARE(grid.sharers, 1U);
    }

    /// By counts, not by indices: the first tenth of the indices has most of the entries.
    void devicesHaveAsManyEntries()
    {
        SparseTensor tensor = test::skewedTensor({1000, 100, 50}, 60000, 0, 6);
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.indices[0][e] = e % 10 == 0 ? tensor.indices[0][e] : tensor.indices[0][e] / 10;
        RunControl control;
        for (const unsigned devices : {2U, 3U, 4U, 8U}) {
            const double full = fullest(tilesOf(tensor, gridOf(tensor, devices, {200, 1}), control));
            QVERIFY2(full < 1.05, qPrintable(QStringLiteral("%1 devices: %2").arg(devices).arg(full)));
        }
    }

    /// An index that holds most entries in every mode cannot be cut: devices share the cell it is in.
    void aGiantIndexIsShared()
    {
        const SparseTensor tensor = test::skewedTensor({100, 90, 80}, 20000, 0.9, 7);
        const Grid grid = gridOf(tensor, 4, {200, 1});
        RunControl control;
        QVERIFY(grid.sharers > 1);
        QVERIFY(fullest(tilesOf(tensor, grid, control)) < 1.3);
    }

    /// What belongs together stays so: a tile has its entries in the order they had.
    void theOrderStays()
    {
        const SparseTensor tensor = test::skewedTensor({60, 50, 40}, 3000, 0.1, 8);
        SparseTensor numbered = tensor;
        for (Count e = 0; e < numbered.entries(); ++e)
            numbered.setValue(e, static_cast<double>(e));
        RunControl control;
        for (const SparseTensor& tile : tilesOf(numbered, gridOf(numbered, 6), control))
            for (Count e = 1; e < tile.entries(); ++e)
                QVERIFY(tile.value(e - 1) < tile.value(e));
    }
};

QTEST_GUILESS_MAIN(GridTest)
#include "tst_grid.moc"
