// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/visiting_order.h"
#include "kernels/base/array.h"
#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

#include <optional>
#include <vector>

/// In which order a run's entries are stored, and in which of it an iteration visits them.
namespace kernels::fasttucker_plus {

/// Shuffled: at random; stretches of 128 in a fresh order each iteration, where all modes are renewed at once.
/// AsLoaded: as the tensor has them. Sorted: by one mode's indices, the entries of a row at random.
/// Blocked: the index space is cut into blocks whose rows stay in a core's cache; block after block, the entries of a
/// block at random, stretches of a block's length in a fresh order each iteration, where all modes are renewed at once.
enum class EntryOrder { Shuffled, AsLoaded, Sorted, Blocked };

struct Ordering {
    EntryOrder order = EntryOrder::Shuffled;
    unsigned sortMode = 0;

    /// Whether the order of storing needs a sort; else it is a function of the seed.
    bool sorts() const { return order == EntryOrder::Sorted || order == EntryOrder::Blocked; }
};

/// What entries are sorted by: a mode's indices without their lowest bits.
struct SortColumn {
    unsigned mode = 0;
    unsigned shift = 0;
};

/// Entries in the order of some columns, the first the most significant; entries alike in all of them in loadOrder of the
/// seed, or without one in their own order. Afterwards it takes 8 bytes an entry.
Array<Count> sortedPositions(const SparseTensor&, const std::vector<SortColumn>&, std::optional<std::uint64_t> seed, RunControl&);
/// The most that takes meanwhile, whatever the columns; and where these are their sizes.
constexpr std::uint64_t sortingBytes(Count entries) { return entries * 4 * sizeof(Count); }
std::uint64_t sortingBytes(Count entries, const std::vector<Index>& sizes);

/// Cuts the index space: per mode the bits of an index that say where in its block it lies. Rows of a block fit half a
/// core's cache, and the modes are cut into no more blocks than asked.
std::vector<unsigned> blockBits(const std::vector<Index>& dims, const std::vector<unsigned>& ranks, std::uint64_t mostBlocks);
std::uint64_t blockCount(const std::vector<Index>& dims, const std::vector<unsigned>& bits);

/// Which entry of a tensor is stored where, and how iterations visit what is stored.
class Arrangement {
public:
    Arrangement(const SparseTensor&, const std::vector<unsigned>& ranks, const Ordering&, std::uint64_t seed, RunControl&);

    /// The entry stored at this position.
    Count at(Count position) const
    {
        return m_order == EntryOrder::AsLoaded ? position : m_positions.empty() ? m_shuffle.at(position) : m_positions[position];
    }
    /// Sorted once, all of them; empty where at() is a function.
    const Array<Count>& positions() const { return m_positions; }

private:
    EntryOrder m_order;
    Permutation m_shuffle;
    Array<Count> m_positions;
};

/// How iterations visit the stored positions: a pure function of shape, seed and iteration.
class Visits {
public:
    Visits() = default;
    /// inTurn: modes are renewed one after another, always in the order of storing.
    Visits(const std::vector<Index>& dims, const std::vector<unsigned>& ranks, Count entries, const Ordering&, std::uint64_t seed,
           bool inTurn);
    /// Of entries stored by their hottest rows: stretches of 2^stretchBits, those that share a row far apart.
    Visits(Count entries, unsigned stretchBits, std::uint64_t seed);

    VisitingOrder of(std::uint64_t iteration) const
    {
        if (m_stride)
            return spreadOrder(m_entries, m_seed, iteration, m_stretchBits, m_stride);
        return m_reshuffles ? visitingOrder(m_entries, m_seed, iteration, m_stretchBits) : storedOrder(m_entries);
    }

private:
    Count m_entries = 0;
    std::uint64_t m_seed = 0;
    bool m_reshuffles = false;
    unsigned m_stretchBits = visitingBits;
    std::uint64_t m_stride = 0; ///< of entries stored by their hottest rows
};

} // namespace kernels::fasttucker_plus
