// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/observed_rows/pieces.h"

#include "kernels/base/random.h"

#include <QtTest>

#include <numeric>

using namespace kernels;
using namespace kernels::observed_rows;

namespace {

Array<std::uint32_t> beginsOf(const std::vector<std::uint32_t>& lengths)
{
    Array<std::uint32_t> begins(lengths.size() + 1, 0);
    std::partial_sum(lengths.begin(), lengths.end(), begins.begin() + 1);
    return begins;
}

} // namespace

/// What a GPU is given of a mode's rows.
class PiecesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEntryIsInOnePiece_data()
    {
        QTest::addColumn<std::vector<std::uint32_t>>("lengths");
        QTest::addColumn<std::vector<Count>>("limits"); // entries of a piece, of a launch, slots, rows of a launch
        const std::vector<Count> tight{10, 25, mostPiecesOfRow, 3}, wide{1000, 1 << 20, 1 << 20, 1 << 20};
        std::vector<std::uint32_t> mixed;
        for (Count i = 0; i < 2000; ++i) {
            const std::uint64_t bits = random::bits(3, 1, i);
            mixed.push_back(static_cast<std::uint32_t>(bits % 3 == 0 ? 0 : bits % 100 == 1 ? 4000 : bits % 40));
        }
        for (const auto& [name, limits] : {std::pair{"tight", tight}, std::pair{"wide", wide}}) {
            QTest::addRow("mixed, %s", name) << mixed << limits;
            QTest::addRow("one row, %s", name) << std::vector<std::uint32_t>{50000} << limits;
            QTest::addRow("no entries, %s", name) << std::vector<std::uint32_t>{0, 0, 0, 0, 0} << limits;
            QTest::addRow("empty ends, %s", name) << std::vector<std::uint32_t>{0, 0, 70, 0} << limits;
        }
    }
    void everyEntryIsInOnePiece()
    {
        QFETCH(std::vector<std::uint32_t>, lengths);
        QFETCH(std::vector<Count>, limits);
        const PieceLimits asked{limits[0], limits[1], limits[2], limits[3]};
        const Array<std::uint32_t> begins = beginsOf(lengths);
        const Pieces result = cutIntoPieces(begins, asked);
        QVERIFY(result.pieces.size() <= mostPieces(begins.back(), lengths.size(), asked));

        std::uint32_t entry = 0;
        for (std::size_t row = 0; row < lengths.size(); ++row) {
            QVERIFY(result.firsts[row + 1] - result.firsts[row] <= mostPiecesOfRow);
            for (std::uint32_t p = result.firsts[row]; p < result.firsts[row + 1]; ++p) {
                QCOMPARE(result.pieces[p].row, Index(row));
                QCOMPARE(result.pieces[p].begin, entry);
                QVERIFY(result.pieces[p].end > entry);
                entry = result.pieces[p].end;
            }
            QCOMPARE(entry, begins[row + 1]);
        }
        QCOMPARE(result.firsts.back(), std::uint32_t(result.pieces.size()));

        std::uint32_t piece = 0;
        Index row = 0;
        for (const Launch& launch : result.launches) {
            QCOMPARE(launch.firstPiece, piece);
            QCOMPARE(launch.firstRow, row);
            QVERIFY(launch.endPiece >= piece && launch.endRow >= row && launch.firstSlot <= piece);
            QVERIFY(launch.endPiece - launch.firstSlot <= asked.slots && launch.endRow - launch.firstRow <= asked.rowsOfLaunch);
            if (launch.endPiece > launch.firstPiece) {
                QCOMPARE(launch.begin, result.pieces[piece].begin);
                QCOMPARE(launch.end, result.pieces[launch.endPiece - 1].end);
                QVERIFY(launch.endPiece == launch.firstPiece + 1 || launch.end - launch.begin <= asked.entriesOfLaunch);
            }
            // Rows that it completes: their pieces are summed by now, and still kept.
            QVERIFY(result.firsts[launch.endRow] <= launch.endPiece && result.firsts[launch.firstRow] >= launch.firstSlot);
            piece = launch.endPiece;
            row = launch.endRow;
        }
        QCOMPARE(piece, std::uint32_t(result.pieces.size()));
        QCOMPARE(row, Index(lengths.size()));
    }
};

QTEST_GUILESS_MAIN(PiecesTest)
#include "tst_pieces.moc"
