// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/device_cuts.h"
#include "kernels/algorithms/tucker_sgd/back_end.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace kernels;
using namespace kernels::tucker_als;
using namespace kernels::tucker_als::gpu;

namespace {

Array<std::uint32_t> beginsOf(const std::vector<std::uint32_t>& lengths)
{
    Array<std::uint32_t> begins(lengths.size() + 1, 0);
    std::partial_sum(lengths.begin(), lengths.end(), begins.begin() + 1);
    return begins;
}

RunConfig configOf(std::vector<unsigned> ranks, const char* variant = "cached")
{
    RunConfig config;
    config.algorithm = "tucker-sgd";
    config.variant = variant;
    config.precision = Precision::Fp32;
    config.ranks = std::move(ranks);
    config.devices = {DeviceId{DeviceKind::Cuda, 0}};
    return config;
}

std::vector<bool> groupedOf(const RunPlan& plan, const PieceNeeds& pieces)
{
    std::vector<Count> atOnce;
    for (const unsigned rank : plan.shape.ranks)
        atOnce.push_back(passSizes(plan.shape.entries, plan.shape.coreNumbers(), rank, 4, pieces).entriesAtOnce);
    return groupedModes(plan, atOnce);
}

} // namespace

/// What a GPU's passes over a mode's entries are cut into, and which modes' entries are grouped.
class TuckerDeviceCutsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEntryIsWorkedOnOnce_data()
    {
        QTest::addColumn<std::vector<std::uint32_t>>("lengths");
        std::mt19937 generator(7);
        std::vector<std::uint32_t> mixed, empty(50, 0), single{1};
        for (unsigned i = 0; i < 400; ++i)
            mixed.push_back(generator() % 3 == 0 ? 0 : generator() % (i % 40 == 7 ? 3000 : 60));
        QTest::addRow("mixed") << mixed;
        QTest::addRow("empty rows") << empty;
        QTest::addRow("one entry") << single;
        QTest::addRow("one row of all") << std::vector<std::uint32_t>{25000};
        QTest::addRow("rows as long as a piece") << std::vector<std::uint32_t>{100, 100, 101, 99, 100};
        QTest::addRow("rows as long as a batch") << std::vector<std::uint32_t>{1000, 1000, 1001, 1, 1000};
    }
    void everyEntryIsWorkedOnOnce()
    {
        QFETCH(std::vector<std::uint32_t>, lengths);
        const Array<std::uint32_t> begins = beginsOf(lengths);
        PassSizes sizes;
        sizes.entriesAtOnce = 1000;
        sizes.rowsAtOnce = 70;
        sizes.longestPiece = 100;
        sizes.mostPieces = 2 * begins.back() / sizes.longestPiece;
        const Cuts cuts = cutRows(begins, sizes);

        QVERIFY(cuts.pieces.size() <= sizes.mostPieces);
        QVERIFY(cuts.batches.size() <= mostBatches(sizes, begins.back(), lengths.size()));
        std::vector<unsigned> visits(begins.back(), 0);
        Count end = 0;
        Index endRow = 0;
        for (const Batch& batch : cuts.batches) {
            QCOMPARE(batch.begin, end);
            QVERIFY(batch.end - batch.begin <= sizes.entriesAtOnce);
            QVERIFY(batch.firstRow <= endRow); // a cut row may go on
            end = batch.end;
            endRow = batch.endRow;
            for (Index row = batch.firstRow; row < batch.endRow; ++row) {
                if (lengths[row] > sizes.longestPiece)
                    continue;
                QVERIFY(begins[row] >= batch.begin && begins[row + 1] <= batch.end);
                for (std::uint32_t e = begins[row]; e < begins[row + 1]; ++e)
                    ++visits[e];
            }
            for (std::uint32_t p = batch.firstPiece; p < batch.endPiece; ++p) {
                const Piece& piece = cuts.pieces[p];
                QVERIFY(piece.begin >= batch.begin && piece.end <= batch.end && piece.end - piece.begin <= sizes.longestPiece);
                for (std::uint32_t e = piece.begin; e < piece.end; ++e)
                    ++visits[e];
            }
        }
        QCOMPARE(end, Count{begins.back()});
        QCOMPARE(std::size_t{endRow}, lengths.size());
        for (const unsigned times : visits)
            QCOMPARE(times, 1u);
        for (const CutRow& cut : cuts.cutRows) {
            std::uint32_t at = begins[cut.row];
            for (std::uint32_t p = cut.firstPiece; p < cut.firstPiece + cut.pieces; ++p) {
                QCOMPARE(cuts.pieces[p].row, cut.row);
                QCOMPARE(cuts.pieces[p].begin, at);
                at = cuts.pieces[p].end;
            }
            QCOMPARE(at, begins[cut.row + 1]);
        }
    }

    void groupsShareARowAndABatch()
    {
        constexpr Index rows = 5;
        std::vector<Batch> batches(3);
        const std::vector<std::uint32_t> lengths{0, 64, 65, 1, 0, /**/ 0, 0, 0, 0, 0, /**/ 200, 0, 0, 3, 128};
        const Array<std::uint32_t> runs = beginsOf(lengths);
        const auto groups = groupsOf(runs, rows, batches);
        QCOMPARE(groups.back().first, runs.back());
        std::vector<std::uint32_t> found(lengths.size(), 0);
        Count end = 0;
        for (std::size_t b = 0; b < batches.size(); ++b) {
            QCOMPARE(batches[b].firstGroup, end);
            end = batches[b].endGroup;
            for (Count g = batches[b].firstGroup; g < end; ++g) {
                const std::uint32_t count = groups[g + 1].first - groups[g].first;
                QVERIFY(count > 0 && count <= core_contraction::gpu::groupEntries);
                const std::size_t run = b * rows + groups[g].row;
                QCOMPARE(groups[g].first, runs[run] + found[run]);
                found[run] += count;
            }
        }
        QCOMPARE(end + 1, groups.size());
        QVERIFY(found == lengths);
    }

    void groupsAreMadeWhereTheyPay()
    {
        const Needs needs = tucker_sgd::needs();
        const auto grouped = [&](const std::vector<unsigned>& ranks, const std::vector<Index>& dims, Count entries,
                                 const char* variant = "cached") {
            return groupedOf(planRun(configOf(ranks, variant), {dims, entries, 0}, needs), needs.pieces);
        };
        const std::vector<bool> all(3, true), none(3, false);
        QCOMPARE(grouped({8, 8, 8}, {480189, 17770, 2182}, 99072112), all);
        QCOMPARE(grouped({8, 8, 8}, {480189, 17770, 2182}, 99072112, "direct"), none);
        QCOMPARE(grouped({8, 8, 8}, {480189, 17770, 12182}, 40000), none); // four entries a row
        QCOMPARE(grouped({4, 4, 4, 4}, {900, 800, 700, 600}, 1000000), std::vector<bool>(4, false));
        // Rows are too wide for sums over groups: the core's mode is left as it is.
        const std::vector<bool> wide = grouped({32, 32, 32}, {480189, 17770, 2182}, 99072112);
        QCOMPARE(std::count(wide.begin(), wide.end(), true), 2);
    }

    /// With little room tables and groups are done without, never more is promised than there is.
    void theLimitHoldsWithGroups()
    {
        const Needs needs = tucker_sgd::needs();
        const ProblemShape shape{{3000, 2000, 400}, 500000, 0};
        const std::uint64_t least = planRun(configOf({16}), shape, needs, 1).memory.deviceBytes;
        bool grouped = false;
        for (std::uint64_t more = 0; more < (std::uint64_t{24} << 20); more += std::uint64_t{256} << 10) {
            const RunPlan plan = planRun(configOf({16}), shape, needs, least + more);
            QVERIFY(plan.memory.deviceBytes <= least + more);
            const std::vector<bool> modes = groupedOf(plan, needs.pieces);
            grouped = grouped || std::count(modes.begin(), modes.end(), true) > 0;
        }
        QVERIFY(grouped);
    }

    /// Long rows fill a GPU with pieces, and what is kept of them fits.
    void longRowsGiveManyPieces_data()
    {
        QTest::addColumn<unsigned>("rank");
        QTest::addColumn<bool>("maps");
        for (const unsigned rank : {4u, 8u, 10u, 16u, 32u})
            for (const bool maps : {true, false})
                QTest::addRow("%u, %s", rank, maps ? "maps" : "equations") << rank << maps;
    }
    void longRowsGiveManyPieces()
    {
        QFETCH(unsigned, rank);
        QFETCH(bool, maps);
        const PieceNeeds needs = maps ? tucker_sgd::needs().pieces : PieceNeeds{};
        constexpr Count entries = 99072112, processors = 132, leastWarps = 8;
        const PassSizes sizes = passSizes(entries, Count{rank} * rank * rank, rank, 4, needs);
        const Count lanes = maps ? core_contraction::gpu::deviceStride(rank) : rank <= 16 ? 32 : 256;
        QVERIFY(sizes.entriesAtOnce / sizes.longestPiece * lanes / 32 >= processors * leastWarps);
        QVERIFY(sizes.mostPieces * pieceNumbers(needs, rank, 4) * sizeof(double) <= std::uint64_t{600} << 20);
    }
};

QTEST_GUILESS_MAIN(TuckerDeviceCutsTest)
#include "tst_tucker_device_cuts.moc"
