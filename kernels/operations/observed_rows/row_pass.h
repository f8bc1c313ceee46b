// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/chunks.h"
#include "kernels/operations/core_contraction/loops.h"
#include "kernels/operations/observed_rows/row_parts.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <deque>

namespace kernels::observed_rows {

/// The task's own of what there is one of for every thread.
template <class Rooms> auto& roomOf(Rooms& rooms) { return rooms[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())]; }

/// Renews all rows of one mode, in the arena it is called in. A task's room has a member `room.deltas` and what it does with rows:
///     take(row, numbers)               begins one,
///     visit(deltas, values, count)     sees some of its entries, in order,
///     finish(row, numbers)             writes it,
///     keep(piece)                      or leaves in a Piece(stride) what a piece of a giant row came to,
///     finish(row, numbers, whole)      and writes it from all of them, brought together by whole.add(piece, entries) in order.
/// A walker over entries, makeWalker(room), fills room.deltas by deltas(begin, end), of core_contraction::blockEntries at most.
template <class T> class RowPass {
public:
    /// begins: of every row's entries, which `values` are of. All outlive it. numbers: of the rows, `rank` each.
    RowPass(const Array<Count>& begins, const Array<T>& values, T* numbers, unsigned rank, unsigned stride)
        : m_begins(begins)
        , m_values(values)
        , m_numbers(numbers)
        , m_rank(rank)
        , m_stride(stride)
    {
    }

    /// pieces: as many as are worked on at once.
    template <class TaskRoom, class Piece, class MakeWalker>
    void renew(const RowParts& parts, std::deque<TaskRoom>& rooms, std::deque<Piece>& pieces, RunControl& control,
               const MakeWalker& makeWalker) const
    {
        forEachChunk(parts.shared.size(), 1, control, [&](Count i, Count, Count) {
            TaskRoom& room = roomOf(rooms);
            visitRows(parts.shared[i], room, control, makeWalker, [&](Index row) { room.finish(row, numbersOf(row)); });
        });
        for (const std::vector<RowPart>& giant : parts.giants)
            renewGiant(giant, rooms, pieces, control, makeWalker);
    }

private:
    T* numbersOf(Index row) const { return m_numbers + Count{row} * m_rank; }

    /// Blocks are filled across rows: many have few entries. A stop leaves the row at work as it was.
    template <class TaskRoom, class MakeWalker, class Finish>
    void visitRows(const RowPart& part, TaskRoom& room, const RunControl& control, const MakeWalker& makeWalker, const Finish& finish) const
    {
        auto walker = makeWalker(room);
        Count blockBegin = part.begin, blockEnd = part.begin;
        for (Index row = part.firstRow; row < part.endRow; ++row) {
            room.take(row, numbersOf(row));
            const Count end = std::min(m_begins[row + 1], part.end);
            for (Count first = std::max(m_begins[row], part.begin); first < end;) {
                if (first == blockEnd) {
                    if (control.stopRequested())
                        return;
                    blockBegin = first;
                    blockEnd = std::min(first + core_contraction::blockEntries, part.end);
                    walker.deltas(blockBegin, blockEnd);
                }
                const Count last = std::min(end, blockEnd);
                room.visit(room.room.deltas + (first - blockBegin) * m_stride, m_values.data() + first,
                           static_cast<unsigned>(last - first));
                first = last;
            }
            finish(row);
        }
    }

    /// As many pieces at once as there is room for what they come to.
    template <class TaskRoom, class Piece, class MakeWalker>
    void renewGiant(const std::vector<RowPart>& parts, std::deque<TaskRoom>& rooms, std::deque<Piece>& pieces, RunControl& control,
                    const MakeWalker& makeWalker) const
    {
        Piece whole(m_stride);
        for (Count done = 0; done < parts.size(); done += pieces.size()) {
            const Count now = std::min<Count>(pieces.size(), parts.size() - done);
            forEachChunk(now, 1, control, [&](Count i, Count, Count) {
                TaskRoom& room = roomOf(rooms);
                visitRows(parts[done + i], room, control, makeWalker, [&](Index) { room.keep(pieces[i]); });
            });
            for (Count i = 0; i < now; ++i)
                whole.add(pieces[i], parts[done + i].end - parts[done + i].begin);
        }
        const Index row = parts.front().firstRow;
        rooms.front().finish(row, numbersOf(row), whole);
    }

    const Array<Count>& m_begins;
    const Array<T>& m_values;
    T* m_numbers;
    unsigned m_rank, m_stride;
};

} // namespace kernels::observed_rows
