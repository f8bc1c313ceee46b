// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/formats/csf_merge.h"
#include "support/fibre_trees.h"
#include "support/new_entries.h"

#include <QtTest>

using namespace kernels;
using namespace kernels::formats;

using test::exactTensor;
using test::joined;
using test::loaded;

class CsfMergeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isTheTreeOfAllEntriesAtOnce_data()
    {
        QTest::addColumn<unsigned>("order");
        QTest::addColumn<int>("duplicates");
        QTest::addColumn<bool>("doubles");
        for (unsigned order = 2; order <= 5; ++order)
            for (const auto& [name, duplicates] :
                 {std::pair{"sum", Duplicates::Sum}, {"last", Duplicates::Last}, {"max", Duplicates::Max}, {"keep", Duplicates::Keep}})
                for (const bool doubles : {false, true})
                    QTest::addRow("order %u, %s, %s", order, name, doubles ? "double" : "float") << order << int(duplicates) << doubles;
    }
    /// From an empty tree on: batches of one entry and of many, some beyond the sizes so far, that meet entries, fibres and slices that
    /// stand, and fill empty slices.
    void isTheTreeOfAllEntriesAtOnce()
    {
        QFETCH(unsigned, order);
        QFETCH(int, duplicates);
        QFETCH(bool, doubles);
        const auto policy = static_cast<Duplicates>(duplicates);
        RunControl control;
        for (std::uint64_t seed = 0; seed < 25; ++seed) {
            std::vector<Index> dims = test::dimsOfOrder(order);
            const Count begun = seed % 5 == 0 ? 0 : 3 + 20 * (seed % 5);
            SparseTensor all = loaded(exactTensor(dims, begun, seed, doubles), policy);
            for (const std::vector<unsigned>& modes : test::someOrders(order)) {
                SparseTensor soFar = all;
                Csf tree = buildCsf(soFar, modes, control);
                std::vector<Index> grown = dims;
                for (std::uint64_t batch = 0; batch < 4; ++batch) {
                    if (batch % 2 == 1)
                        grown[(seed + batch) % order] += 2;
                    const SparseTensor added = exactTensor(grown, batch == 0 ? 1 : 5 + 15 * batch, 100 * seed + batch, doubles);
                    mergeIntoCsf(tree, added, policy, control);
                    soFar = loaded(joined(soFar, added), policy);
                    QVERIFY2(tree == buildCsf(soFar, modes, control), qPrintable(QStringLiteral("seed %1, batch %2").arg(seed).arg(batch)));
                }
            }
        }
    }

    void mergingNothingChangesNothing()
    {
        RunControl control;
        const SparseTensor tensor = exactTensor({5, 7, 4}, 60, 1, false);
        const Csf tree = buildCsf(tensor, {2, 0, 1}, control);
        Csf merged = tree;
        mergeIntoCsf(merged, SparseTensor({5, 7, 4}, 0), Duplicates::Keep, control);
        QVERIFY(merged == tree);
    }

    /// Days that come are behind all that stands: of the levels only tails grow, and what stands does not move.
    void inTheTreeOfTimeOnlyTailsGrow()
    {
        RunControl control;
        const SparseTensor before = exactTensor({40, 30, 10}, 4000, 2, false);
        SparseTensor days = exactTensor({40, 30, 2}, 300, 3, false);
        for (Index& day : days.indices[2])
            day += 10;
        days.modes[2].size = 12;
        Csf tree = buildCsf(before, {2, 0, 1}, control);
        const SparseTensor sorted = sortedCopy(days, {2, 0, 1}, false, control);
        const CsfMergePlan plan = planCsfMerge(tree, sorted, Duplicates::Keep, control);
        for (const NewLeaf& leaf : plan.leaves)
            QCOMPARE(leaf.at, tree.entries());
        for (unsigned level = 0; level < 2; ++level) {
            QVERIFY(plan.grown[level].empty());
            for (const NewNode& node : plan.nodes[level])
                QCOMPARE(node.at, Count{tree.levels[level].indices.size()});
        }
        QCOMPARE(plan.nodes[0].size(), std::size_t{2});
        mergeIntoCsf(tree, days, Duplicates::Keep, control);
        QVERIFY(tree == buildCsf(joined(before, days), {2, 0, 1}, control));
    }

    void wideOffsetsStayWide()
    {
        RunControl control;
        const SparseTensor before = exactTensor({9, 8, 7}, 200, 4, true), added = exactTensor({9, 8, 7}, 50, 5, true);
        Csf tree = buildCsf(before, {1, 2, 0}, control, OffsetWidth::Wide);
        mergeIntoCsf(tree, added, Duplicates::Keep, control);
        QVERIFY(tree == buildCsf(joined(before, added), {1, 2, 0}, control, OffsetWidth::Wide));
    }

    void whatIsRefusedChangesNothing()
    {
        RunControl control;
        const SparseTensor before = loaded(exactTensor({9, 8, 7}, 100, 4, false), Duplicates::Sum);
        const Csf tree = buildCsf(before, {1, 2, 0}, control);
        Csf merged = tree;
        SparseTensor again({9, 8, 7}, 1);
        for (unsigned n = 0; n < 3; ++n)
            again.indices[n][0] = before.indices[n][17];
        again.setValue(0, 1);
        const auto refusal = [&](const SparseTensor& added, Duplicates duplicates) {
            try {
                mergeIntoCsf(merged, added, duplicates, control);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        const std::string place = "(" + std::to_string(before.indices[0][17] + 1) + ", " + std::to_string(before.indices[1][17] + 1) + ", "
            + std::to_string(before.indices[2][17] + 1) + ")";
        QVERIFY(refusal(again, Duplicates::Error).find(place) != std::string::npos);
        SparseTensor twice({9, 8, 9}, 2);
        for (Count e = 0; e < 2; ++e)
            for (unsigned n = 0; n < 3; ++n)
                twice.indices[n][e] = 6 + n;
        QVERIFY(refusal(twice, Duplicates::Error).find("(7, 8, 9)") != std::string::npos);
        QVERIFY(refusal(again, Duplicates::Mean).find("mean") != std::string::npos);
        QVERIFY(refusal(SparseTensor({9, 8}, 0), Duplicates::Keep).find("2 modes") != std::string::npos);
        RunControl stopped;
        stopped.stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, mergeIntoCsf(merged, again, Duplicates::Keep, stopped));
        QVERIFY(merged == tree);
    }
};

QTEST_GUILESS_MAIN(CsfMergeTest)
#include "tst_csf_merge.moc"
