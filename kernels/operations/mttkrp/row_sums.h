// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/chunks.h"
#include "kernels/operations/mttkrp/mttkrp.h"
#include "kernels/operations/mttkrp/row_walks.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <vector>

namespace kernels::mttkrp {

/// Entries of a task: depends on their number alone, so that sums have the same bits whatever the number of threads.
inline Count entriesPerTask(Count entries) { return std::clamp<Count>(entries / 64 / 128 * 128, 128, 8192); }

/// Calls body(first column, columns) for slabs that walks take.
template <class T, class Body> void forEachSlab(std::size_t stride, const Body& body)
{
    constexpr unsigned line = 64 / sizeof(T);
    for (unsigned column = 0; column < stride;) {
        unsigned columns = rowWalks(T(0)).widestSlab;
        while (columns > line && column + columns > stride)
            columns /= 2;
        body(column, columns);
        column += columns;
    }
}

/// Rows that are cut between tasks: each task has a sum apart for the row it begins in and the one it ends in.
template <class T> class CutRows {
public:
    explicit CutRows(std::size_t stride)
        : m_stride(stride)
    {
    }

    /// walk(task, sums): sums with all columns, for forEachSlab; firstRow(task), lastRow(task). The sums of cut rows are
    /// added to out in the order of the tasks.
    template <class Walk, class FirstRow, class LastRow>
    void run(Count tasks, T* out, RunControl& control, const Walk& walk, const FirstRow& firstRow, const LastRow& lastRow)
    {
        m_sums.resize(tasks * 2 * m_stride);
        forEachChunk(tasks, 1, control, [&](Count task, Count, Count) {
            forEachSlab<T>(m_stride, [&](unsigned column, unsigned columns) {
                walk(task, column, RowSums<T>{out + column, m_stride, columns, head(task) + column, tail(task) + column});
            });
        });
        for (Count task = 0; task < tasks; ++task) {
            if (task % 1024 == 0)
                control.checkpoint();
            add(out + firstRow(task) * m_stride, head(task));
            add(out + lastRow(task) * m_stride, tail(task));
        }
    }

private:
    T* head(Count task) { return m_sums.data() + task * 2 * m_stride; }
    T* tail(Count task) { return head(task) + m_stride; }
    void add(T* row, const T* sum) const
    {
        for (std::size_t c = 0; c < m_stride; ++c)
            row[c] += sum[c];
    }

    std::size_t m_stride;
    Array<T> m_sums; ///< [task][head, tail][column]
};

/// Rows of about as many entries for every thread there is: first row of every owner; then how many rows there are.
inline std::vector<Index> dealtOut(const Array<Count>& counts, Count entries)
{
    const auto owners = static_cast<Count>(tbb::this_task_arena::max_concurrency());
    std::vector<Index> first{0};
    Count sum = 0;
    for (Index row = 0; row < counts.size(); ++row) {
        if (entries > 0 && sum * owners >= entries * first.size() && row > first.back())
            first.push_back(row);
        sum += counts[row];
    }
    first.push_back(static_cast<Index>(counts.size()));
    return first;
}

template <class T> void clearRows(T* out, Index rows, std::size_t stride, RunControl& control)
{
    forEachChunk(rows, 4096, control, [&](Count, Count begin, Count end) { std::fill(out + begin * stride, out + end * stride, T(0)); });
}

} // namespace kernels::mttkrp
