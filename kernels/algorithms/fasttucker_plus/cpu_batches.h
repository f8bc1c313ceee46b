// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cpu_work.h"
#include "kernels/algorithms/fasttucker_plus/visiting_order.h"
#include "kernels/base/aligned_array.h"
#include "kernels/base/types.h"

#include <tbb/parallel_for.h>

#include <algorithm>

namespace kernels::fasttucker_plus {

/// Deterministic mode: what the entries of a batch change, computed in any order and added in that of the entries.
template <class T> class RowBatches {
public:
    /// rowElements: of all modes' padded rows of one entry.
    void allocate(Count entries, std::size_t rowElements)
    {
        m_size = entries;
        m_changes.resize(entries * rowElements);
    }
    Count size() const { return m_size; }
    std::size_t elements() const { return m_changes.size(); }

    /// changes(range, out) of stretches of the batch [first, first + count) of an order of visits.
    template <class Changes>
    void compute(const TileProblem<T>& problem, const VisitingOrder& order, Count first, Count count, Count workers, const Changes& changes)
    {
        const std::size_t rowElements = wantedRowElements(problem);
        const Count firstBlock = first / visitingBlock;
        const Count blocks = (first + count - 1) / visitingBlock - firstBlock + 1;
        forEachOf(blocks, workers > 1, [&](Count b) {
            const Count begin = std::max(first, (firstBlock + b) * visitingBlock);
            const Count end = std::min(first + count, (firstBlock + b + 1) * visitingBlock);
            changes(TileRange{order.at(begin), end - begin, ~Count{0}}, m_changes.data() + (begin - first) * rowElements);
        });
    }

    /// Each worker owns the rows whose number leaves its remainder and walks all entries in order: a row's
    /// changes are added (and each time clipped) in entry order whatever the number of workers.
    void add(const TileProblem<T>& problem, const VisitingOrder& order, Count first, Count count, Count workers, bool nonnegative)
    {
        const std::size_t rowElements = wantedRowElements(problem);
        forEachOf(workers, workers > 1, [&](Count owner) {
            for (Count e = 0; e < count; ++e)
                forEachOwnedRow(problem, order.at(first + e), workers, owner, [&](T* row, unsigned stride, unsigned offset) {
                    const T* const change = m_changes.data() + e * rowElements + offset;
                    for (unsigned c = 0; c < stride; ++c)
                        row[c] = nonnegative ? std::max(row[c] + change[c], T(0)) : row[c] + change[c];
                });
        });
    }

private:
    template <class Body> static void forEachOf(Count count, bool parallel, const Body& body)
    {
        if (parallel)
            tbb::parallel_for(Count{0}, count, body);
        else
            for (Count i = 0; i < count; ++i)
                body(i);
    }

    template <class Body>
    static void forEachOwnedRow(const TileProblem<T>& problem, Count position, Count owners, Count owner, const Body& body)
    {
        unsigned offset = 0;
        for (unsigned n = problem.firstMode; n < problem.endMode; offset += problem.stride[n], ++n) {
            const std::uint32_t row = problem.indices[position * problem.order + n];
            if (row % owners == owner)
                body(problem.factor[n] + std::size_t{row} * problem.stride[n], problem.stride[n], offset);
        }
    }

    Count m_size = 0;
    AlignedArray<T> m_changes; ///< [entry of the batch][wanted modes' rows]
};

} // namespace kernels::fasttucker_plus
