// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_completion_als/back_end.h"
#include "kernels/base/chunks.h"
#include "kernels/base/host_memory.h"
#include "kernels/operations/kruskal_rows/walker.h"
#include "kernels/operations/observed_rows/row_pass.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

namespace kernels::cp_completion_als {

/// The model on the CPU and what test entries say of it, whatever the training entries are arranged as.
template <class Interface, class T> class CpuShared : public Interface {
public:
    std::uint64_t freeBytes() const override { return availableHostMemory(); }
    void rememberBest() override { m_best = m_factors; }
    std::vector<Matrix> factors(Snapshot snapshot) const override { return snapshot == Snapshot::Best ? m_best : m_factors; }
    void replaceLatest(std::vector<Matrix> factors) override { m_factors = std::move(factors); }

protected:
    void begin(Problem& problem)
    {
        m_test = problem.test;
        m_unit = problem.unit;
        m_factors = std::move(problem.factors);
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
    }

    tbb::task_arena& arena() { return m_arena; }
    unsigned order() const { return static_cast<unsigned>(m_factors.size()); }
    unsigned rank() const { return static_cast<unsigned>(m_factors.front().columns); }
    Array<T>& rowsOf(unsigned mode) { return std::get<Array<T>>(m_factors[mode].data); }
    const Array<T>& rowsOf(unsigned mode) const { return std::get<Array<T>>(m_factors[mode].data); }
    std::vector<const T*> allRows() const
    {
        std::vector<const T*> rows;
        for (unsigned n = 0; n < order(); ++n)
            rows.push_back(rowsOf(n).data());
        return rows;
    }
    /// x̂ in the unit, h being the product of the other modes' rows.
    T predicted(unsigned mode, Index row, const T* h) const
    {
        return core_contraction::loops(T(0)).dot(rowsOf(mode).data() + Count{row} * rank(), h, rank());
    }
    std::uint64_t modelBytes() const
    {
        std::uint64_t bytes = 0;
        for (unsigned n = 0; n < order(); ++n)
            bytes += 2 * rowsOf(n).size() * sizeof(T);
        return bytes;
    }
    void noteTransient(std::uint64_t bytes) { m_mostTransient = std::max(m_mostTransient, bytes); }
    std::uint64_t mostTransient() const { return m_mostTransient; }

    /// Of one task between two looks at a pause: a few milliseconds.
    Count entriesAtOnce(unsigned columns) const
    {
        const double each = 2.0 * order() * columns;
        return std::clamp<Count>(static_cast<Count>(observed_rows::partFlops / each), kruskal_rows::blockEntries, Count{1} << 16);
    }

    /// x in the unit where valueUnit is 1, in its own where that is the run's unit.
    template <class Value> ErrorSums errorOf(Value x, T predicted, double valueUnit) const
    {
        const double error = (valueUnit == 1 ? m_unit : 1) * (static_cast<double>(x) - valueUnit * static_cast<double>(predicted));
        return {error * error, std::abs(error), 1};
    }
    static ErrorSums sumOf(const std::vector<ErrorSums>& parts)
    {
        ErrorSums whole;
        for (const ErrorSums& part : parts)
            whole += part;
        return whole;
    }

    /// Of entries in any order: the first mode's rows times the products of the others. columns[mode]: their indices.
    template <class Values>
    ErrorSums judge(const std::vector<const Index*>& columns, const Values& values, double valueUnit, RunControl& control)
    {
        kruskal_rows::Sources<T> from;
        from.others = order() - 1;
        from.rank = rank();
        for (unsigned n = 1; n < order(); ++n) {
            from.columns[n - 1] = columns[n];
            from.rows[n - 1] = rowsOf(n).data();
        }
        std::deque<kruskal_rows::Room<T>> rooms;
        for (int i = 0; i < tbb::this_task_arena::max_concurrency(); ++i)
            rooms.emplace_back(order(), rank());
        noteTransient(rooms.size() * kruskal_rows::Room<T>::bytes(order(), rank()));
        const unsigned stride = kruskal_rows::strideOf<T>(rank());
        const Count atOnce = entriesAtOnce(rank());
        std::vector<ErrorSums> parts(chunkCount(values.size(), atOnce));
        forEachChunk(values.size(), atOnce, control, [&](Count chunk, Count begin, Count end) {
            kruskal_rows::Room<T>& room = observed_rows::roomOf(rooms);
            kruskal_rows::Walker<T> walker(from, room);
            ErrorSums sums;
            for (Count first = begin; first < end; first += kruskal_rows::blockEntries) {
                const Count last = std::min(first + kruskal_rows::blockEntries, end);
                walker.deltas(first, last);
                for (Count e = first; e < last; ++e)
                    sums += errorOf(values[e], predicted(0, columns[0][e], room.deltas + (e - first) * stride), valueUnit);
            }
            parts[chunk] = sums;
        });
        return sumOf(parts);
    }
    ErrorSums judgeTest(RunControl& control)
    {
        std::vector<const Index*> columns;
        for (const Array<Index>& column : m_test->indices)
            columns.push_back(column.data());
        return m_arena.execute(
            [&] { return std::visit([&](const auto& values) { return judge(columns, values, m_unit, control); }, m_test->values); });
    }

private:
    tbb::task_arena m_arena;
    const SparseTensor* m_test = nullptr;
    double m_unit = 1;
    std::vector<Matrix> m_factors, m_best;
    std::uint64_t m_mostTransient = 0; ///< bytes of a pass
};

} // namespace kernels::cp_completion_als
