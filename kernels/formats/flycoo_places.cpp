// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/chunks.h"
#include "kernels/formats/flycoo.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace kernels::formats {
namespace {

/// A cut row is dealt out in pieces of the mean partition's entries over this, but no less than the least.
constexpr Count piecesOfMean = 16, leastPiece = 32;

constexpr Count rowsPerChunk = Count{1} << 16; ///< between two looks at who wants to stop

/// Rows, or pieces of them, each to the least filled partition; of several to the first.
class Dealer {
public:
    Dealer(unsigned partitions, RunControl& control)
        : m_control(control)
    {
        for (unsigned p = 0; p < partitions; ++p)
            m_loads.push({0, p});
    }

    struct Place {
        unsigned partition = 0;
        Count within = 0; ///< first entry's place in the partition
    };

    Place give(Count entries)
    {
        const Load least = m_loads.top();
        m_loads.pop();
        m_fullest = std::max(m_fullest, least.entries + entries);
        m_loads.push({least.entries + entries, least.partition});
        return {least.partition, least.entries};
    }

    /// So many rows of the same size, take(row of the group, place): one by one until partitions differ by less than a row. From
    /// there on they take turns.
    template <class Take> void give(const RowGroup& group, const Take& take)
    {
        Count row = 0;
        for (; row < group.rows && (group.rows - row < m_loads.size() || m_fullest - m_loads.top().entries >= group.entries); ++row) {
            if (m_given++ % rowsPerChunk == 0)
                m_control.checkpoint();
            take(row, give(group.entries));
        }
        if (row < group.rows)
            giveInTurns(group, row, take);
    }

    /// Entries of every partition.
    std::vector<Count> loads() const
    {
        std::vector<Count> result(m_loads.size());
        for (auto rest = m_loads; !rest.empty(); rest.pop())
            result[rest.top().partition] = rest.top().entries;
        return result;
    }

private:
    struct Load {
        Count entries = 0;
        unsigned partition = 0;
        bool operator>(const Load& other) const { return entries != other.entries ? entries > other.entries : partition > other.partition; }
    };

    /// Where a row goes follows from its number, so that many threads can tell.
    template <class Take> void giveInTurns(const RowGroup& group, Count first, const Take& take)
    {
        std::vector<Load> turn;
        for (; !m_loads.empty(); m_loads.pop())
            turn.push_back(m_loads.top());
        const Count rows = group.rows - first;
        forEachChunk(rows, rowsPerChunk, m_control, [&](Count, Count begin, Count end) {
            Count round = begin / turn.size(), next = begin % turn.size();
            for (Count row = begin; row < end; ++row) {
                take(first + row, Place{turn[next].partition, turn[next].entries + round * group.entries});
                if (++next == turn.size()) {
                    next = 0;
                    ++round;
                }
            }
        });
        for (std::size_t i = 0; i < turn.size(); ++i) {
            turn[i].entries += (rows / turn.size() + (i < rows % turn.size())) * group.entries;
            m_fullest = std::max(m_fullest, turn[i].entries);
            m_loads.push(turn[i]);
        }
    }

    RunControl& m_control;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> m_loads;
    Count m_fullest = 0, m_given = 0;
};

class Placing {
public:
    Placing(const std::vector<RowGroup>& groups, unsigned partitions, RunControl& control)
        : m_groups(groups)
        , m_control(control)
        , m_dealer(partitions, control)
        , m_cuts(partitions)
    {
        Count rows = 0;
        for (const RowGroup& group : groups) {
            m_entries += group.entries * group.rows;
            rows += group.rows;
        }
        const Count mean = (m_entries + partitions - 1) / partitions;
        m_piece = std::max(leastPiece, (mean + piecesOfMean - 1) / piecesOfMean);
        m_heaviestWhole = std::max(mean, m_piece);
        m_places.shift.resize(rows);
        m_partitionOf.resize(rows);
    }

    /// Whole rows first, so that pieces even out what these leave uneven.
    FlycooPlaces place()
    {
        std::size_t cutGroups = 0;
        Count sorted = 0;
        for (; cutGroups < m_groups.size() && m_groups[cutGroups].entries > m_heaviestWhole; ++cutGroups) {
            m_places.cutRows += static_cast<Index>(m_groups[cutGroups].rows);
            sorted += m_groups[cutGroups].entries * m_groups[cutGroups].rows;
        }
        Index rank = m_places.cutRows;
        for (std::size_t g = cutGroups; g < m_groups.size(); ++g) {
            const RowGroup& group = m_groups[g];
            m_dealer.give(group, [&](Count row, const Dealer::Place& to) {
                m_partitionOf[rank + row] = to.partition;
                m_places.shift[rank + row] = static_cast<std::uint32_t>(to.within - sorted - row * group.entries);
            });
            rank += static_cast<Index>(group.rows);
            sorted += group.entries * group.rows;
        }
        rank = 0;
        sorted = 0;
        for (std::size_t group = 0; group < cutGroups; ++group)
            for (Count row = 0; row < m_groups[group].rows; ++row, ++rank, sorted += m_groups[group].entries)
                cut(rank, sorted, m_groups[group].entries);
        tellPositions();
        return std::move(m_places);
    }

private:
    struct Piece {
        unsigned partition = 0;
        std::uint32_t within = 0;
    };

    void cut(Index rank, Count sorted, Count entries)
    {
        m_places.firstSorted.push_back(static_cast<std::uint32_t>(sorted));
        m_places.firstPiece.push_back(static_cast<std::uint32_t>(m_pieces.size()));
        for (Count done = 0; done < entries; done += m_piece) {
            const Count length = std::min(m_piece, entries - done);
            const unsigned partition = m_dealer.give(length).partition;
            std::vector<FlycooCut>& cuts = m_cuts[partition];
            const std::uint32_t within = cuts.empty() ? 0 : cuts.back().end;
            m_pieces.push_back({partition, within});
            if (cuts.empty() || cuts.back().row != rank)
                cuts.push_back({rank, within, within});
            cuts.back().end += static_cast<std::uint32_t>(length);
        }
    }

    /// All so far was counted from the begin of a partition: pieces from its own, whole rows behind its pieces.
    void tellPositions()
    {
        FlycooPartitions& partitions = m_places.partitions;
        Count begin = 0;
        for (const Count load : m_dealer.loads()) {
            partitions.begins.push_back(static_cast<std::uint32_t>(begin));
            begin += load;
        }
        partitions.begins.push_back(static_cast<std::uint32_t>(begin));
        m_places.pieceEntries = static_cast<std::uint32_t>(m_piece);
        for (const Piece& piece : m_pieces)
            m_places.pieceBegins.push_back(partitions.begins[piece.partition] + piece.within);
        partitions.firstCut.push_back(0);
        for (unsigned p = 0; p < m_cuts.size(); ++p) {
            for (const FlycooCut& c : m_cuts[p])
                partitions.cuts.push_back({c.row, c.begin + partitions.begins[p], c.end + partitions.begins[p]});
            partitions.firstCut.push_back(static_cast<std::uint32_t>(partitions.cuts.size()));
        }
        std::vector<std::uint32_t> ownBegins;
        for (unsigned p = 0; p < m_cuts.size(); ++p)
            ownBegins.push_back(partitions.ownBegin(p));
        const Index first = m_places.cutRows;
        forEachChunk(m_partitionOf.size() - first, rowsPerChunk, m_control, [&](Count, Count from, Count to) {
            for (Count rank = first + from; rank < first + to; ++rank)
                m_places.shift[rank] += ownBegins[m_partitionOf[rank]];
        });
    }

    const std::vector<RowGroup>& m_groups;
    RunControl& m_control;
    Dealer m_dealer;
    std::vector<std::vector<FlycooCut>> m_cuts; ///< [partition]
    std::vector<Piece> m_pieces;
    Array<unsigned> m_partitionOf; ///< [rank]
    Count m_entries = 0, m_piece = 1, m_heaviestWhole = 1;
    FlycooPlaces m_places;
};

} // namespace

double FlycooPartitions::fullestOfMean() const
{
    std::uint32_t fullest = 0;
    for (unsigned p = 0; p < count(); ++p)
        fullest = std::max(fullest, begins[p + 1] - begins[p]);
    return begins.back() == 0 ? 1 : static_cast<double>(fullest) * count() / begins.back();
}

std::uint64_t FlycooPartitions::bytes() const
{
    return begins.size() * sizeof(begins[0]) + cuts.size() * sizeof(FlycooCut) + firstCut.size() * sizeof(firstCut[0]);
}

FlycooPlaces placeRows(const std::vector<RowGroup>& groups, unsigned partitions, RunControl& control)
{
    return Placing(groups, partitions, control).place();
}

} // namespace kernels::formats
