// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/operations/core_contraction/loops.h"
#include "kernels/operations/kruskal_rows/loops.h"

#include <algorithm>
#include <array>

/// h of entries: the products ∘_{k≠n} of the rows that the other modes of a CP model have for them.
namespace kernels::kruskal_rows {

using core_contraction::blockEntries;

/// Numbers from one h to the next: whole vectors, but single columns lie beside each other.
template <class T> constexpr unsigned strideOf(unsigned rank) { return rank == 1 ? 1 : core_contraction::paddedRank<T>(rank); }

/// Where the rows of the modes but one lie, the last of them changing most often from entry to entry.
template <class T> struct Sources {
    unsigned others = 0;
    std::array<const Index*, maxOrder> columns{};
    std::array<const T*, maxOrder> rows{}; ///< `rank` numbers each
    unsigned rank = 0;
};

/// What a task needs for itself; made once for an order, a rank and a thread.
template <class T> class Room {
public:
    Room(unsigned order, unsigned rank)
    {
        m_numbers.resize(numbers(order, rank));
        std::fill(m_numbers.begin(), m_numbers.end(), T(0));
        deltas = m_numbers.data();
        for (unsigned p = 1; p + 1 < order; ++p)
            products[p] = deltas + (blockEntries + p - 1) * strideOf<T>(rank);
    }
    static std::uint64_t bytes(unsigned order, unsigned rank) { return numbers(order, rank) * sizeof(T); }

    T* deltas = nullptr; ///< h of blockEntries entries
    std::array<T*, maxOrder> products{}; ///< [p]: of the first p + 1 other modes

private:
    static Count numbers(unsigned order, unsigned rank) { return (blockEntries + order - 2) * strideOf<T>(rank); }
    Array<T> m_numbers;
};

/// Neighbours that share the rows of the first modes share their product.
template <class T> class Walker {
public:
    Walker(const Sources<T>& from, Room<T>& room)
        : m_from(from)
        , m_room(room)
        , m_stride(strideOf<T>(from.rank))
        , m_loops(loops(T(0)))
    {
    }

    /// room.deltas[i − begin] = h of entry i; of blockEntries at most.
    void deltas(Count begin, Count end)
    {
        if (m_stride == 1)
            columnDeltas(begin, end - begin);
        else
            multiply(0, nullptr, begin, begin, end);
    }

private:
    void multiply(unsigned p, const T* by, Count blockBegin, Count begin, Count end)
    {
        const Index* const column = m_from.columns[p];
        if (p + 1 == m_from.others) {
            m_loops.multiplyRows(
                {m_room.deltas + (begin - blockBegin) * m_stride, m_stride, m_from.rank, by, m_from.rows[p], column + begin, end - begin});
            return;
        }
        while (begin < end) {
            Count last = begin + 1;
            while (last < end && column[last] == column[begin])
                ++last;
            const T* next = m_from.rows[p] + Count{column[begin]} * m_from.rank;
            if (by) {
                m_loops.multiplyRows({m_room.products[p], m_stride, m_from.rank, by, m_from.rows[p], column + begin, 1});
                next = m_room.products[p];
            }
            multiply(p + 1, next, blockBegin, begin, last);
            begin = last;
        }
    }

    void columnDeltas(Count begin, Count count) const
    {
        const auto& run = core_contraction::loops(T(0)).multiplyRun;
        const unsigned first = std::min(2U, m_from.others);
        run({m_room.deltas, nullptr, m_from.rows[0], m_from.columns[0] + begin, first > 1 ? m_from.rows[1] : nullptr,
             first > 1 ? m_from.columns[1] + begin : nullptr, count});
        for (unsigned p = first; p < m_from.others; ++p)
            run({m_room.deltas, m_room.deltas, nullptr, nullptr, m_from.rows[p], m_from.columns[p] + begin, count});
    }

    Sources<T> m_from;
    Room<T>& m_room;
    unsigned m_stride;
    const Loops<T>& m_loops;
};

} // namespace kernels::kruskal_rows
