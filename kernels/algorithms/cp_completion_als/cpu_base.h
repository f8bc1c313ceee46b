// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_completion_als/cpu_shared.h"
#include "kernels/algorithms/cp_completion_als/memory.h"
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/formats/csf.h"
#include "kernels/operations/kruskal_rows/walker.h"
#include "kernels/operations/observed_rows/column_row.h"
#include "kernels/operations/observed_rows/ridge_row.h"
#include "kernels/operations/observed_rows/row_pass.h"

#include <algorithm>
#include <deque>

namespace kernels::cp_completion_als {

using fastertucker::RowEntries;
using observed_rows::roomOf;

/// What a task has for itself while rows of `rank` numbers are renewed. Row: observed_rows::RidgeRow, or ColumnRow for ranks of 1.
template <class T, class Row, class Piece> class RidgeRoom {
public:
    RidgeRoom(unsigned order, unsigned rank, const Array<Count>& begins, const Ridge& ridge, const double* centre)
        : room(order, rank)
        , m_begins(begins)
        , m_ridge(ridge)
        , m_centre(centre)
        , m_rank(rank)
        , m_row(rank, kruskal_rows::strideOf<T>(rank), centre)
    {
    }

    kruskal_rows::Room<T> room;

    void take(Index, const T* numbers) { m_row.take(numbers); }
    void visit(const T* deltas, const T* values, unsigned count) { m_row.visit(deltas, values, count); }
    void keep(Piece& piece) const { m_row.keep(piece); }
    void finish(Index row, T* numbers, const Piece& whole) { m_row.finish(numbers, whole, penaltyOf(row)); }
    void finish(Index row, T* numbers)
    {
        if (m_begins[row] == m_begins[row + 1])
            std::transform(m_centre, m_centre + m_rank, numbers, [](double c) { return static_cast<T>(c); });
        else
            m_row.finish(numbers, penaltyOf(row));
    }

private:
    double penaltyOf(Index row) const
    {
        return m_ridge.weighted ? m_ridge.penalty * static_cast<double>(m_begins[row + 1] - m_begins[row]) : m_ridge.penalty;
    }

    const Array<Count>& m_begins;
    Ridge m_ridge;
    const double* m_centre; ///< of the columns that are renewed
    unsigned m_rank;
    Row m_row;
};

/// The CPU's side of least squares of rows: entries of every mode sorted by its rows, and passes over them.
template <class Interface, class T> class RidgeOnCpu : public CpuShared<Interface, T> {
    using Base = CpuShared<Interface, T>;

public:
    void load(Problem problem, RunControl& control) override
    {
        this->begin(problem);
        m_columns = problem.columns;
        this->arena().execute([&] {
            for (unsigned n = 0; n < order(); ++n) {
                m_orders.push_back(formats::rootedAt(problem.train.dims(), n));
                m_lists.push_back(fastertucker::arrangeRows<T>(problem.train, m_orders.back(), {}, control, problem.unit));
                m_parts.push_back(splitRows(n));
            }
            this->rememberBest();
        });
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        if (testSet)
            return this->judgeTest(control);
        return this->arena().execute([&] {
            std::vector<ErrorSums> parts(chunkCount(entries(), Base::entriesAtOnce(rank())));
            forEachPart(0, this->allRows(), rank(), control, [&](Count part, const auto& entriesOfPart) {
                ErrorSums sums;
                entriesOfPart([&](Count entry, Index row, const T* h) {
                    sums += this->errorOf(m_lists[0].values[entry], this->predicted(0, row, h), 1);
                });
                parts[part] = sums;
            });
            return Base::sumOf(parts);
        });
    }

    double penaltyOf(unsigned mode, const Ridge& ridge, RunControl& control) override
    {
        const Array<Count>& begins = m_lists[mode].begins;
        const Count rows = begins.size() - 1, atOnce = std::max<Count>((Count{1} << 16) / rank(), 1);
        std::vector<double> parts(chunkCount(rows, atOnce), 0.0);
        this->arena().execute([&] {
            forEachChunk(rows, atOnce, control, [&](Count chunk, Count begin, Count end) {
                for (Count i = begin; i < end; ++i) {
                    double square = 0;
                    for (unsigned r = 0; r < rank(); ++r) {
                        const double apart = static_cast<double>(this->rowsOf(mode)[i * rank() + r]) - (*ridge.centre)[r];
                        square += apart * apart;
                    }
                    parts[chunk] += ridge.weighted ? square * static_cast<double>(begins[i + 1] - begins[i]) : square;
                }
            });
        });
        double sum = 0;
        for (const double part : parts)
            sum += part;
        return ridge.penalty * sum;
    }

    MemoryUse memoryUse() const override
    {
        std::uint64_t bytes = this->modelBytes();
        for (const RowEntries<T>& list : m_lists)
            bytes += list.bytes();
        return {0, bytes + this->mostTransient()};
    }

protected:
    using Base::order;
    using Base::rank;

    Count entries() const { return m_lists[0].count(); }
    const RowEntries<T>& list(unsigned mode) const { return m_lists[mode]; }
    /// rows[mode]: `columns` numbers each.
    kruskal_rows::Sources<T> sources(unsigned mode, const std::vector<const T*>& rows, unsigned columns) const
    {
        kruskal_rows::Sources<T> from;
        from.others = order() - 1;
        from.rank = columns;
        for (unsigned p = 0; p < from.others; ++p) {
            const unsigned other = m_orders[mode][p + 1];
            from.columns[p] = m_lists[mode].indices[other - (other > mode)].data();
            from.rows[p] = rows[other];
        }
        return from;
    }

    /// Renews some columns of all rows of a mode, which lie in `rows`, `columns` numbers a row, from entries of the given values.
    void renew(unsigned mode, const std::vector<T*>& rows, unsigned columns, const Array<T>& values, const Ridge& ridge,
               const double* centre, RunControl& control)
    {
        if (columns == 1)
            renewAs<observed_rows::ColumnRow<T>, observed_rows::ColumnSums>(mode, rows, columns, values, ridge, centre, control);
        else
            renewAs<observed_rows::RidgeRow<T>, observed_rows::Equations>(mode, rows, columns, values, ridge, centre, control);
    }

    /// Calls body(part, entriesOfPart) for parts of entriesAtOnce(columns) neighbours in a mode's list; entriesOfPart(visit) calls
    /// visit(entry, row, h) for its entries in order.
    template <class Body>
    void forEachPart(unsigned mode, const std::vector<const T*>& rows, unsigned columns, RunControl& control, const Body& body)
    {
        const Array<Count>& begins = m_lists[mode].begins;
        const unsigned stride = kruskal_rows::strideOf<T>(columns);
        std::deque<kruskal_rows::Room<T>> rooms;
        for (int i = 0; i < tbb::this_task_arena::max_concurrency(); ++i)
            rooms.emplace_back(order(), columns);
        this->noteTransient(rooms.size() * kruskal_rows::Room<T>::bytes(order(), columns));
        const kruskal_rows::Sources<T> from = sources(mode, rows, columns);
        forEachChunk(entries(), Base::entriesAtOnce(columns), control, [&](Count part, Count begin, Count end) {
            kruskal_rows::Room<T>& room = roomOf(rooms);
            body(part, [&](const auto& visit) {
                kruskal_rows::Walker<T> walker(from, room);
                auto row = static_cast<Count>(std::upper_bound(begins.begin(), begins.end(), begin) - begins.begin() - 1);
                for (Count first = begin; first < end && !control.stopRequested(); first += kruskal_rows::blockEntries) {
                    const Count last = std::min(first + kruskal_rows::blockEntries, end);
                    walker.deltas(first, last);
                    for (Count e = first; e < last; ++e) {
                        while (begins[row + 1] <= e)
                            ++row;
                        visit(e, static_cast<Index>(row), room.deltas + (e - first) * stride);
                    }
                }
            });
        });
    }

private:
    observed_rows::RowParts splitRows(unsigned mode) const
    {
        return observed_rows::splitRows(m_lists[mode].begins, flopsOfEntry(order(), m_columns), m_columns);
    }

    template <class Row, class Piece>
    void renewAs(unsigned mode, const std::vector<T*>& rows, unsigned columns, const Array<T>& values, const Ridge& ridge,
                 const double* centre, RunControl& control)
    {
        using TaskRoom = RidgeRoom<T, Row, Piece>;
        const unsigned stride = kruskal_rows::strideOf<T>(columns);
        const Array<Count>& begins = m_lists[mode].begins;
        std::deque<TaskRoom> rooms; // none is moved
        for (int i = 0; i < tbb::this_task_arena::max_concurrency(); ++i)
            rooms.emplace_back(order(), columns, begins, ridge, centre);
        std::deque<Piece> pieces;
        for (Count i = 0; i < observed_rows::piecesAtOnce(entries(), flopsOfEntry(order(), m_columns)); ++i)
            pieces.emplace_back(stride);
        this->noteTransient(renewingBytes<T>(order(), columns, static_cast<unsigned>(rooms.size()), pieces.size()));
        const kruskal_rows::Sources<T> from = sources(mode, {rows.begin(), rows.end()}, columns);
        const observed_rows::RowPass<T> pass(begins, values, rows[mode], columns, stride);
        pass.renew(m_parts[mode], rooms, pieces, control, [&](TaskRoom& room) { return kruskal_rows::Walker<T>(from, room.room); });
    }

    unsigned m_columns = 1; ///< that are renewed together, at most
    std::vector<RowEntries<T>> m_lists; ///< [mode]
    std::vector<std::vector<unsigned>> m_orders; ///< [mode]: itself, then the others as its list is sorted by them
    std::vector<observed_rows::RowParts> m_parts; ///< [mode]
};

} // namespace kernels::cp_completion_als
