// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/formats/flycoo.h"
#include "kernels/operations/mttkrp/flycoo_settings.h"
#include "support/fibre_trees.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

using namespace kernels;
using namespace kernels::formats;

namespace {

/// Tables have a row for every index: none as long as four billion here.
std::vector<test::NamedTensor> tensors()
{
    std::vector<test::NamedTensor> all;
    for (auto& [name, tensor] : test::awkwardTensors()) {
        const std::vector<Index> dims = tensor.dims();
        if (std::all_of(dims.begin(), dims.end(), [](Index size) { return size < 1'000'000; }))
            all.push_back({name, std::move(tensor)});
    }
    all.push_back({"order 16", test::randomTensor(std::vector<Index>(16, 3), 500, 1)});
    all.push_back({"order 16, long modes", test::randomTensor(std::vector<Index>(16, 70'000), 400, 2, true)});
    all.push_back({"two rows", test::randomTensor({2, 300, 80}, 20'011, 3)});
    all.push_back({"several chunks", test::randomTensor({300, 70, 900}, 150'000, 4)});
    return all;
}

std::vector<RowGroup> groupsOf(std::vector<Count> counts)
{
    std::sort(counts.begin(), counts.end(), std::greater<>());
    std::vector<RowGroup> groups;
    for (const Count count : counts) {
        if (count == 0)
            break;
        if (groups.empty() || groups.back().entries != count)
            groups.push_back({count, 0});
        ++groups.back().rows;
    }
    return groups;
}

/// Of the fullest partition, rows dealt out in the best of all ways.
Count bestPossible(const std::vector<Count>& counts, unsigned partitions, std::vector<Count>& loads, std::size_t row = 0)
{
    if (row == counts.size())
        return *std::max_element(loads.begin(), loads.end());
    Count best = ~Count{0};
    for (unsigned p = 0; p < partitions; ++p) {
        loads[p] += counts[row];
        best = std::min(best, bestPossible(counts, partitions, loads, row + 1));
        loads[p] -= counts[row];
        if (loads[p] == 0)
            break; // empty partitions are all alike
    }
    return best;
}

Count fullest(const FlycooPartitions& partitions)
{
    Count most = 0;
    for (unsigned p = 0; p < partitions.count(); ++p)
        most = std::max<Count>(most, partitions.begins[p + 1] - partitions.begins[p]);
    return most;
}

bool sameEntries(const SparseTensor& a, const SparseTensor& b)
{
    std::vector<unsigned> order(a.order());
    std::iota(order.begin(), order.end(), 0u);
    auto x = test::entriesInOrder(a, order), y = test::entriesInOrder(b, order);
    const auto byValueToo = [](const test::Entry& l, const test::Entry& r) {
        return std::tie(l.index, l.value) < std::tie(r.index, r.value);
    };
    std::sort(x.begin(), x.end(), byValueToo);
    std::sort(y.begin(), y.end(), byValueToo);
    return x == y;
}

template <class T> void goOn(Flycoo<T>& flycoo, FlycooCopies& copies, RunControl& control)
{
    const unsigned from = copies.latest;
    remap(flycoo, flycoo.plan.next(copies.mode[from]), from, control);
    copies.mode[1 - from] = flycoo.plan.next(copies.mode[from]);
    copies.latest = 1 - from;
}

} // namespace

class FlycooTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void partitionsAreNearTheBestPossible()
    {
        RunControl control;
        for (unsigned seed = 0; seed < 200; ++seed) {
            const unsigned partitions = 2 + seed % 3;
            std::vector<Count> counts;
            for (Count row = 0; row < 9; ++row)
                counts.push_back(40 + random::uniform(seed, 1, row) * 60);
            std::vector<Count> loads(partitions, 0);
            const Count best = bestPossible(counts, partitions, loads);
            QVERIFY(3 * fullest(placeRows(groupsOf(counts), partitions, control).partitions) <= 4 * best);
        }
    }

    /// Row by row, by the plain rule; in turns and by halves it is the same.
    void rowsGoToTheLeastFilledPartition()
    {
        RunControl control;
        for (unsigned seed = 0; seed < 50; ++seed) {
            const unsigned partitions = 1 + seed % 17;
            std::vector<Count> counts;
            for (Count row = 0; row < 3000; ++row)
                counts.push_back(static_cast<Count>(1 + 30 * std::pow(random::uniform(seed, 1, row), 6)));
            std::sort(counts.begin(), counts.end(), std::greater<>());
            const FlycooPlaces places = placeRows(groupsOf(counts), partitions, control);
            QCOMPARE(places.cutRows, Index{0});
            std::vector<Count> loads(partitions, 0);
            std::vector<std::pair<unsigned, Count>> expected;
            for (const Count count : counts) {
                const auto least = std::min_element(loads.begin(), loads.end());
                expected.emplace_back(least - loads.begin(), *least);
                *least += count;
            }
            Count sorted = 0;
            for (std::size_t rank = 0; rank < counts.size(); sorted += counts[rank++]) {
                const auto [partition, within] = expected[rank];
                QCOMPARE(places.shift[rank] + static_cast<std::uint32_t>(sorted), places.partitions.begins[partition] + within);
            }
        }
    }

    void heavyRowsDoNotUnbalance()
    {
        RunControl control;
        for (const std::vector<Count>& counts : {std::vector<Count>{900'000, 100'000},
                                                 {500'000, 300'000, 1000, 1000, 10},
                                                 {1'000'000},
                                                 {77'777, 77'777, 77'777, 5, 4, 3, 2, 1}})
            for (const unsigned partitions : {1u, 3u, 64u, 500u}) {
                const FlycooPartitions dealt = placeRows(groupsOf(counts), partitions, control).partitions;
                QCOMPARE(dealt.count(), partitions);
                QVERIFY2(dealt.fullestOfMean() < 1.1, qPrintable(QString("%1 in %2").arg(dealt.fullestOfMean()).arg(partitions)));
            }
    }

    void holdsTheEntriesInEveryOrder_data()
    {
        QTest::addColumn<unsigned>("partitions");
        for (const unsigned partitions : {1u, 7u, 132u, 100'000u})
            QTest::addRow("%u partitions", partitions) << partitions;
    }

    /// After every remap: each entry once, rows of a partition its own but for the cut ones; after a round the first copy again.
    void holdsTheEntriesInEveryOrder()
    {
        QFETCH(unsigned, partitions);
        RunControl control;
        for (const auto& [name, tensor] : tensors()) {
            const FlycooPlan plan = planFlycoo(tensor.dims(), tensor.entries(), partitions, 8);
            Flycoo<double> flycoo = buildFlycoo<double>(tensor, plan, control);
            const Array<FlycooVector> first = flycoo.copies[0];
            FlycooCopies copies;
            for (unsigned mode = 0; mode < plan.order(); ++mode) {
                const SparseTensor here = toCoo(flycoo, copies.latest);
                QVERIFY2(sameEntries(here, tensor), name.c_str());
                verifyPartitions(here.indices[mode], flycoo.partitions[mode], name);
                goOn(flycoo, copies, control);
            }
            QVERIFY2(flycoo.copies[copies.latest] == first, name.c_str());
        }
    }

    void hasTheSameBitsForAnyNumberOfThreads()
    {
        const SparseTensor tensor = test::randomTensor({2, 700, 900}, 200'000, 5);
        const auto built = [&](int threads) {
            return test::withThreads(threads, [&] {
                RunControl control;
                return buildFlycoo<float>(tensor, planFlycoo(tensor.dims(), tensor.entries(), 60, 4), control);
            });
        };
        const auto one = built(1), three = built(3);
        QVERIFY(one.copies[0] == three.copies[0] && one.sources == three.sources && one.partitions == three.partitions);
    }

    /// Asked for in any order, each mode's entries are brought; where they are already, nothing is written.
    void copiesFollowTheModesAskedFor()
    {
        const FlycooPlan plan = planFlycoo({3, 4, 5, 6}, 10, 2, 4);
        FlycooCopies copies;
        const auto ask = [&](unsigned mode) {
            unsigned remaps = 0;
            bool fused = false;
            mttkrp::withEntriesFor(
                mode, plan, copies, [&](unsigned, unsigned) { ++remaps; }, [&](unsigned, bool remapping) { fused = remapping; });
            return std::pair(remaps, fused);
        };
        QVERIFY(ask(0) == std::pair(0u, false));
        QVERIFY(ask(1) == std::pair(0u, true));
        QVERIFY(ask(1) == std::pair(0u, false));
        QVERIFY(ask(0) == std::pair(0u, false)); // still there
        QVERIFY(ask(3) == std::pair(1u, true)); // by way of 2
        QVERIFY(ask(2) == std::pair(0u, false));
        QVERIFY(ask(1) == std::pair(1u, true)); // by way of 0
        QVERIFY(ask(3) == std::pair(1u, true));
        QVERIFY(ask(0) == std::pair(0u, true));
    }

    void takesWhatItPromises()
    {
        RunControl control;
        for (const std::vector<Index>& dims : {std::vector<Index>{400, 90'000, 30}, {2, 3000, 500, 60}, {3000, 4000}}) {
            const SparseTensor tensor = test::randomTensor(dims, 300'000, 8);
            for (const unsigned valueBytes : {4u, 8u}) {
                const FlycooPlan plan = planFlycoo(dims, tensor.entries(), 256, valueBytes);
                const std::uint64_t kept = flycooBytes(plan, tensor.entries()), most = flycooBuildBytes(plan, tensor.entries());
                ArrayMemory::restartPeak();
                const std::uint64_t before = ArrayMemory::now();
                const std::uint64_t bytes = valueBytes == 4 ? buildFlycoo<float>(tensor, plan, control).bytes()
                                                            : buildFlycoo<double>(tensor, plan, control).bytes();
                const std::uint64_t taken = ArrayMemory::peak() - before;
                QVERIFY2(bytes <= kept && static_cast<double>(kept) <= 1.1 * static_cast<double>(bytes),
                         qPrintable(QString("%1 of %2 promised").arg(bytes).arg(kept)));
                QVERIFY2(taken <= most && static_cast<double>(most) <= 1.1 * static_cast<double>(taken),
                         qPrintable(QString("%1 of %2 promised while it is built").arg(taken).arg(most)));
            }
        }
    }

    void stopsWhenAsked()
    {
        const SparseTensor tensor = test::randomTensor({30, 40, 50}, 10'000, 9);
        const FlycooPlan plan = planFlycoo(tensor.dims(), tensor.entries(), 8, 4);
        RunControl control;
        control.stop();
        QVERIFY_EXCEPTION_THROWN(buildFlycoo<float>(tensor, plan, control), Cancelled);
    }

    /// However rows are dealt out: one by one, in turns, in pieces, and once more when all is known.
    void dealingRowsOutAsksAllTheTime()
    {
        constexpr Count rows = Count{1} << 20, looks = rows >> 18;
        for (const std::vector<RowGroup>& groups : {std::vector<RowGroup>{{3, rows}}, {{40, rows / 2}, {5, rows / 2}}}) {
            RunControl control, stopped;
            test::withThreads(1, [&] { placeRows(groups, 60, control); });
            QVERIFY2(control.checkpoints() > 2 * looks / 2, qPrintable(QString::number(control.checkpoints())));
            stopped.stop();
            QVERIFY_EXCEPTION_THROWN(placeRows(groups, 60, stopped), Cancelled);
            QCOMPARE(stopped.checkpoints(), std::uint64_t{1});
        }
    }

private:
    static void verifyPartitions(const Array<Index>& rows, const FlycooPartitions& partitions, const std::string& name)
    {
        std::set<Index> finished, cut;
        for (const FlycooCut& c : partitions.cuts)
            cut.insert(c.row);
        QCOMPARE(Count{partitions.begins.back()}, rows.size());
        for (unsigned p = 0; p < partitions.count(); ++p) {
            std::uint32_t at = partitions.begins[p];
            for (std::uint32_t c = partitions.firstCut[p]; c < partitions.firstCut[p + 1]; ++c) {
                QCOMPARE(partitions.cuts[c].begin, at);
                for (; at < partitions.cuts[c].end; ++at)
                    QVERIFY2(rows[at] == partitions.cuts[c].row, name.c_str());
            }
            QCOMPARE(partitions.ownBegin(p), at);
            for (; at < partitions.begins[p + 1]; ++at)
                if (at == partitions.ownBegin(p) || rows[at] != rows[at - 1])
                    QVERIFY2(!cut.contains(rows[at]) && finished.insert(rows[at]).second, name.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(FlycooTest)
#include "tst_flycoo.moc"
