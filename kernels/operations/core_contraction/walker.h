// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/core_contraction/loops.h"
#include "kernels/operations/core_contraction/plan.h"

#include <algorithm>
#include <array>

namespace kernels::core_contraction {

/// What a task needs for itself; made once for a walk and a thread.
template <class T> class Room {
public:
    /// gradients: of the core, by closed walks.
    Room(const Walk&, bool gradients);
    static std::uint64_t bytes(const Walk&, bool gradients);

    T* products = nullptr; ///< Kronecker products of the rows of some tuples
    T* parts = nullptr; ///< of these tuples
    T* gradientParts = nullptr;
    std::array<T*, maxOrder> levels{}; ///< [position]: what is left there of a part, of positions behind the tuple's
    std::array<T*, maxOrder> gradientLevels{};
    T* deltas = nullptr; ///< open walks: of blockEntries entries, padded

private:
    static Count numbers(const Walk&, bool gradients);
    Array<T> m_numbers;
};

/// Where entries, rows and the core lie.
template <class T> struct Sources {
    std::array<const Index*, maxOrder> columns{}; ///< [position]; of an open position none
    std::array<const T*, maxOrder> rows{}; ///< [position]
    const T* core = nullptr; ///< arranged by coreOrder(), readable for a vector beyond
    const T* table = nullptr; ///< where the walk has one: parts, readable for a vector beyond
};

/// What neighbouring entries share is found the same way by all walks.
template <class T> class Walker {
public:
    Walker(const Walk& walk, const Sources<T>& sources, Room<T>& room)
        : m_walk(walk)
        , m_from(sources)
        , m_room(room)
        , m_loops(loops(T(0)))
        , m_order(walk.order())
        , m_most(tuplesAtOnce(walk, sizeof(T)))
        , m_partNumbers(walk.partNumbers())
        , m_tupleNumbers(walk.tupleNumbers())
    {
        for (unsigned p = 0; p <= m_order; ++p)
            m_numbers[p] = walk.partNumbers(p);
    }

    /// room.deltas[i − begin] = δ of entry i, padded by zeros; of blockEntries at most.
    void deltas(Count begin, Count end)
    {
        m_begin = begin;
        forEachTuple(begin, end, [&](const T* part, Count, Count first, Count last) { contractOpen(m_walk.last, part, first, last); });
    }

    /// Calls weigh(entry, x̂) for every entry; what it returns is the weight of the entry's ⊗ a in `gradient`, which is arranged
    /// as the core is. Null: it is not taken.
    template <class Weigh> void predict(Count begin, Count end, T* gradient, const Weigh& weigh)
    {
        forEachTuple(
            begin, end,
            [&](const T* part, Count number, Count first, Count last) {
                T* const to = gradient ? m_room.gradientParts + number * m_partNumbers : nullptr;
                if (to)
                    std::fill_n(to, m_partNumbers, T(0));
                contractClosed(m_walk.last, part, to, first, last, weigh);
            },
            [&](Count tuples) {
                if (gradient)
                    m_loops.multiply(
                        {gradient, m_room.products, m_room.gradientParts, m_tupleNumbers, m_partNumbers, tuples, 1, m_tupleNumbers, true});
            });
    }

private:
    const T* row(unsigned position, Count entry) const
    {
        return m_from.rows[position] + Count{m_from.columns[position][entry]} * m_walk.ranks[position];
    }

    bool sameTuple(Count a, Count b) const
    {
        for (unsigned p = m_walk.first; p < m_walk.last; ++p)
            if (m_from.columns[p][a] != m_from.columns[p][b])
                return false;
        return true;
    }

    /// The first of them varies slowest, as in the arranged core.
    void kronecker(Count entry, T* to) const
    {
        Count have = m_walk.ranks[m_walk.first];
        std::copy_n(row(m_walk.first, entry), have, to);
        for (unsigned p = m_walk.first + 1; p < m_walk.last; ++p) {
            const unsigned rank = m_walk.ranks[p];
            const T* const by = row(p, entry);
            for (Count i = have; i-- > 0;) { // from behind: in place
                const T factor = to[i];
                for (unsigned j = rank; j-- > 0;)
                    to[i * rank + j] = factor * by[j];
            }
            have *= rank;
        }
    }

    /// Calls body(part, number, first, last) for runs of entries of one tuple, then done(tuples) where some were worked out.
    template <class Body, class Done> void forEachTuple(Count begin, Count end, const Body& body, const Done& done)
    {
        if (!m_walk.hasTuples()) {
            body(m_from.core, Count{0}, begin, end);
            return;
        }
        std::array<Count, blockEntries + 1> starts;
        while (begin < end) {
            Count tuples = 0, i = begin;
            const Count most = m_walk.tabled ? blockEntries : m_most;
            for (; i < end; ++i) {
                if (i > begin && sameTuple(i - 1, i))
                    continue;
                if (tuples == most)
                    break;
                if (!m_walk.tabled)
                    kronecker(i, m_room.products + tuples * m_tupleNumbers);
                starts[tuples++] = i;
            }
            starts[tuples] = i;
            if (!m_walk.tabled)
                m_loops.multiply({m_room.parts, m_room.products, m_from.core, tuples, m_partNumbers, m_tupleNumbers, m_tupleNumbers});
            for (Count t = 0; t < tuples; ++t) {
                const T* const part = m_walk.tabled ? m_from.table + m_from.columns[m_walk.first][starts[t]] * m_partNumbers
                                                    : m_room.parts + t * m_partNumbers;
                body(part, t, starts[t], starts[t + 1]);
            }
            done(tuples);
            begin = i;
        }
    }
    template <class Body> void forEachTuple(Count begin, Count end, const Body& body)
    {
        forEachTuple(begin, end, body, [](Count) {});
    }

    /// Runs of one index at a position.
    template <class Body> void forEachRun(unsigned position, Count begin, Count end, const Body& body) const
    {
        const Index* const column = m_from.columns[position];
        while (begin < end) {
            Count last = begin + 1;
            while (last < end && column[last] == column[begin])
                ++last;
            body(begin, last);
            begin = last;
        }
    }

    const T* contracted(unsigned position, const T* part, Count entry)
    {
        T* const to = m_room.levels[position + 1];
        m_loops.multiply({to, row(position, entry), part, 1, m_numbers[position + 1], m_walk.ranks[position], 0});
        return to;
    }

    void contractOpen(unsigned position, const T* part, Count begin, Count end)
    {
        if (position + 1 == m_order) {
            const unsigned stride = paddedRank<T>(m_walk.openRank());
            m_loops.contractLeaves(m_room.deltas + (begin - m_begin) * stride, stride, part, m_walk.ranks[position], m_walk.openRank(),
                                   m_from.rows[position], m_from.columns[position] + begin, end - begin);
            return;
        }
        forEachRun(position, begin, end,
                   [&](Count first, Count last) { contractOpen(position + 1, contracted(position, part, first), first, last); });
    }

    template <class Weigh> void contractClosed(unsigned position, const T* part, T* gradient, Count begin, Count end, const Weigh& weigh)
    {
        const unsigned rank = m_walk.ranks[position];
        if (position + 1 == m_order) {
            for (Count e = begin; e < end; ++e) {
                const T* const own = row(position, e);
                const T weight = weigh(e, m_loops.dot(part, own, rank));
                if (gradient)
                    m_loops.addScaled(gradient, own, weight, rank);
            }
            return;
        }
        forEachRun(position, begin, end, [&](Count first, Count last) {
            T* const below = gradient ? m_room.gradientLevels[position + 1] : nullptr;
            if (below)
                std::fill_n(below, m_numbers[position + 1], T(0));
            contractClosed(position + 1, contracted(position, part, first), below, first, last, weigh);
            if (below)
                m_loops.multiply({gradient, row(position, first), below, rank, m_numbers[position + 1], 1, 1, 1, true});
        });
    }

    const Walk& m_walk;
    const Sources<T>& m_from;
    Room<T>& m_room;
    const Loops<T>& m_loops;
    unsigned m_order;
    Count m_most; ///< tuples at once
    Count m_partNumbers, m_tupleNumbers;
    std::array<Count, maxOrder + 1> m_numbers{}; ///< [position]: of what is left there
    Count m_begin = 0; ///< entry of the first δ
};

} // namespace kernels::core_contraction
