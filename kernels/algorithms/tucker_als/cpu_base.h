// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/algorithms/tucker_als/cpu_parts.h"
#include "kernels/base/chunks.h"
#include "kernels/base/host_memory.h"
#include "kernels/operations/core_contraction/walker.h"
#include "kernels/operations/observed_rows/row_pass.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

namespace kernels::tucker_als {

using core_contraction::blockEntries;
using core_contraction::paddedRank;
using core_contraction::Room;
using core_contraction::Sources;
using core_contraction::Walk;
using core_contraction::Walker;
using fastertucker::RowEntries;
using observed_rows::roomOf;

/// The CPU's side of what the family shares: entries of every mode sorted by its rows, passes for the core and over the entries.
/// Interface adds what is done with rows; renewAll() brings their δ.
template <class Interface, class T> class CpuBase : public Interface {
public:
    std::uint64_t freeBytes() const override { return availableHostMemory(); }

    void load(Problem problem, RunControl& control) override
    {
        m_plan = &problem.plan;
        m_test = problem.test;
        m_unit = problem.unit;
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
        replaceLatest(std::move(problem.factors));
        m_arena.execute([&] {
            for (unsigned n = 0; n < order(); ++n) {
                m_lists.push_back(fastertucker::arrangeRows<T>(problem.train, m_plan->rows[n].modes, {}, control, m_unit));
                m_parts.push_back(splitRows(m_lists.back().begins, flopsOfEntry(m_plan->rows[n], m_plan->shape.entries), rank(n)));
            }
        });
        m_best = m_factors;
        m_arranged.resize(m_plan->shape.coreNumbers() + core_contraction::vectorNumbers<T>);
        std::fill(m_arranged.begin(), m_arranged.end(), T(0));
    }

    CoreSums sumForCore(const Array<double>& core, CoreWeights weights, RunControl& control) override
    {
        const Walk& walk = m_plan->core;
        const RowEntries<T>& list = m_lists[walk.modes.front()];
        const Count numbers = m_plan->shape.coreNumbers(), entries = list.count(),
                    share = chunkCount(entries, coreParts(*m_plan, sizeof(T)));
        const Count parts = chunkCount(entries, share);
        return m_arena.execute([&] {
            const Array<Index> owners = rowOfEntry(list, control);
            Sources<T> from = sources(walk, list);
            from.columns[0] = owners.data();
            core_contraction::arrange(core, m_plan->shape.ranks, walk.coreOrder(), m_arranged.data());
            std::deque<Room<T>> rooms;
            for (int i = 0; i < tbb::this_task_arena::max_concurrency(); ++i)
                rooms.emplace_back(walk, true);
            Array<T> gradients;
            gradients.resize(parts * numbers);
            std::vector<double> squares(parts, 0.0);
            forEachPart(entries, share, entriesAtOnce(walk, entries), control, [&](Count part, Count begin, Count end) {
                T* const gradient = gradients.data() + part * numbers;
                if (begin == part * share)
                    std::fill_n(gradient, numbers, T(0));
                Walker<T> walker(walk, from, roomOf(rooms));
                walker.predict(begin, end, gradient, [&](Count entry, T predicted) {
                    const T weight = weights == CoreWeights::Residuals ? list.values[entry] - predicted : predicted;
                    squares[part] += static_cast<double>(weight) * static_cast<double>(weight);
                    return weight;
                });
            });
            CoreSums sums;
            Array<double> total;
            total.resize(numbers);
            forEachChunk(numbers, Count{1} << 14, control, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i) {
                    double sum = 0;
                    for (Count part = 0; part < parts; ++part)
                        sum += static_cast<double>(gradients[part * numbers + i]);
                    total[i] = sum;
                }
            });
            core_contraction::arrangeBack(total, m_plan->shape.ranks, walk.coreOrder(), sums.gradient);
            for (const double part : squares)
                sums.squares += part;
            noteTransient(owners.size() * sizeof(Index) + rooms.size() * Room<T>::bytes(walk, true) + gradients.size() * sizeof(T)
                          + 2 * numbers * sizeof(double));
            return sums;
        });
    }

    Eigen::MatrixXd gramOverEntries(unsigned mode, RunControl& control) override
    {
        const Array<Count>& begins = m_lists[mode].begins;
        const unsigned columns = rank(mode);
        std::vector<Eigen::MatrixXd> parts(chunkCount(rows(mode), rowsOfPart(mode)), Eigen::MatrixXd::Zero(columns, columns));
        m_arena.execute([&] {
            forEachPart(rows(mode), rowsOfPart(mode), rowsAtOnce(Count{columns} * columns), control,
                        [&](Count part, Count begin, Count end) {
                            Eigen::MatrixXd& sum = parts[part];
                            for (Count i = begin; i < end; ++i) {
                                const T* const row = rowsOf(mode).data() + i * columns;
                                const double weight = static_cast<double>(begins[i + 1] - begins[i]);
                                for (unsigned a = 0; a < columns && weight > 0; ++a)
                                    for (unsigned b = 0; b < columns; ++b)
                                        sum(b, a) += weight * static_cast<double>(row[a]) * static_cast<double>(row[b]);
                            }
                        });
        });
        Eigen::MatrixXd total = Eigen::MatrixXd::Zero(columns, columns);
        for (const Eigen::MatrixXd& part : parts)
            total += part;
        return total;
    }

    double squaredDistance(unsigned mode, const std::vector<double>& centre, RunControl& control) override
    {
        return sumOverNumbers(mode, control, [&](double number, unsigned j) { return (number - centre[j]) * (number - centre[j]); });
    }

    ErrorSums evaluate(bool testSet, const Array<double>& core, RunControl& control) override
    {
        return m_arena.execute([&] {
            if (testSet) {
                Sources<T> from;
                for (unsigned n = 0; n < order(); ++n)
                    from.columns[n] = m_test->indices[n].data();
                return std::visit([&](const auto& values) { return judge(m_plan->test, from, core, values, m_unit, 1, control); },
                                  m_test->values);
            }
            const RowEntries<T>& list = m_lists[m_plan->core.modes.front()];
            const Array<Index> owners = rowOfEntry(list, control);
            Sources<T> from = sources(m_plan->core, list);
            from.columns[0] = owners.data();
            return judge(m_plan->core, from, core, list.values, 1, m_unit, control);
        });
    }

    void rememberBest() override { m_best = m_factors; }

    std::vector<Matrix> factors(Snapshot snapshot) const override { return snapshot == Snapshot::Best ? m_best : m_factors; }

    void replaceLatest(std::vector<Matrix> factors) override { m_factors = std::move(factors); }

    MemoryUse memoryUse() const override
    {
        std::uint64_t bytes = m_arranged.size() * sizeof(T);
        for (unsigned n = 0; n < order(); ++n)
            bytes += m_lists[n].bytes() + 2 * rowsOf(n).size() * sizeof(T);
        return {0, bytes + m_mostTransient};
    }

protected:
    const RunPlan& plan() const { return *m_plan; }
    tbb::task_arena& arena() { return m_arena; }
    Array<T>& rowsOf(unsigned mode) { return std::get<Array<T>>(m_factors[mode].data); }
    const Array<T>& rowsOf(unsigned mode) const { return std::get<Array<T>>(m_factors[mode].data); }
    /// Σ term(number, its column) over the rows of a mode.
    template <class Term> double sumOverNumbers(unsigned mode, RunControl& control, const Term& term)
    {
        const unsigned columns = rank(mode);
        std::vector<double> parts(chunkCount(rows(mode), rowsOfPart(mode)), 0.0);
        m_arena.execute([&] {
            forEachPart(rows(mode), rowsOfPart(mode), rowsAtOnce(columns), control, [&](Count part, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    for (unsigned j = 0; j < columns; ++j)
                        parts[part] += term(static_cast<double>(rowsOf(mode)[i * columns + j]), j);
            });
        });
        return std::accumulate(parts.begin(), parts.end(), 0.0);
    }
    void noteTransient(std::uint64_t bytes) { m_mostTransient = std::max(m_mostTransient, bytes); }

    /// The training entries in the order of the plan's walk for the core.
    const RowEntries<T>& coreEntries() const { return m_lists[m_plan->core.modes.front()]; }
    /// x − x̂ of these. Inside the arena.
    Array<T> residuals(const Array<double>& core, RunControl& control)
    {
        const Walk& walk = m_plan->core;
        const RowEntries<T>& list = coreEntries();
        const Array<Index> owners = rowOfEntry(list, control);
        Sources<T> from = sources(walk, list);
        from.columns[0] = owners.data();
        core_contraction::arrange(core, m_plan->shape.ranks, walk.coreOrder(), m_arranged.data());
        std::deque<Room<T>> rooms;
        for (int i = 0; i < tbb::this_task_arena::max_concurrency(); ++i)
            rooms.emplace_back(walk, false);
        Array<T> residuals;
        residuals.resize(list.count());
        forEachChunk(list.count(), entriesAtOnce(walk, list.count()), control, [&](Count, Count begin, Count end) {
            Walker<T> walker(walk, from, roomOf(rooms));
            walker.predict(begin, end, nullptr, [&](Count entry, T predicted) {
                residuals[entry] = list.values[entry] - predicted;
                return T(0);
            });
        });
        return residuals;
    }

private:
    unsigned order() const { return static_cast<unsigned>(m_plan->shape.dims.size()); }
    unsigned rank(unsigned mode) const { return m_plan->shape.ranks[mode]; }
    Index rows(unsigned mode) const { return m_plan->shape.dims[mode]; }
    Count rowsOfPart(unsigned mode) const
    {
        constexpr Count mostParts = 64, least = 256; // few enough that a matrix for each is little
        return std::max(least, chunkCount(rows(mode), mostParts));
    }
    /// Between two looks at a pause: a few milliseconds of so many products a row.
    static Count rowsAtOnce(Count products) { return std::max<Count>((Count{1} << 22) / products, 1); }

    Sources<T> sources(const Walk& walk, const RowEntries<T>& list) const
    {
        Sources<T> from;
        const unsigned own = walk.modes.front();
        for (unsigned p = 1; p < walk.order(); ++p)
            from.columns[p] = list.indices[walk.modes[p] - (walk.modes[p] > own)].data();
        for (unsigned p = 0; p < walk.order(); ++p)
            from.rows[p] = rowsOf(walk.modes[p]).data();
        from.core = m_arranged.data();
        return from;
    }

    /// The core's parts of every row of the tuple's mode.
    Array<T> makeTable(const Walk& walk, RunControl& control) const
    {
        Array<T> table;
        if (!walk.tabled)
            return table;
        const unsigned mode = walk.tupleMode();
        const Count numbers = walk.partNumbers();
        table.resize(rows(mode) * numbers + core_contraction::vectorNumbers<T>);
        std::fill(table.end() - core_contraction::vectorNumbers<T>, table.end(), T(0));
        forEachChunk(rows(mode), core_contraction::blockEntries, control, [&](Count, Count begin, Count end) {
            loops().multiply({table.data() + begin * numbers, rowsOf(mode).data() + begin * rank(mode), m_arranged.data(), end - begin,
                              numbers, rank(mode), rank(mode)});
        });
        return table;
    }

    static const core_contraction::Loops<T>& loops() { return core_contraction::loops(T(0)); }

    /// Rows of a mode and what their δ are made of, while they are renewed.
    struct RowPass {
        const Walk& walk;
        Sources<T> from;
        Array<T> table;
    };

protected:
    /// Renews all rows of a mode. TaskRoom(walk, settings…): what a task has for observed_rows::RowPass.
    template <class TaskRoom, class Piece, class... Settings>
    void renewAll(unsigned mode, const Array<double>& core, const Needs& needs, RunControl& control, const Settings&... settings)
    {
        const Walk& walk = m_plan->rows[mode];
        m_arena.execute([&] {
            RowPass pass{walk, sources(walk, m_lists[mode]), {}};
            core_contraction::arrange(core, m_plan->shape.ranks, walk.coreOrder(), m_arranged.data());
            pass.table = makeTable(walk, control);
            pass.from.table = pass.table.data();
            const unsigned stride = paddedRank<T>(rank(mode));
            std::deque<TaskRoom> rooms; // none is moved
            for (int i = 0; i < tbb::this_task_arena::max_concurrency(); ++i)
                rooms.emplace_back(walk, settings...);
            std::deque<Piece> pieces;
            for (Count i = 0; i < piecesAtOnce(m_plan->shape.entries, flopsOfEntry(walk, m_plan->shape.entries)); ++i)
                pieces.emplace_back(stride);
            noteTransient(pass.table.size() * sizeof(T) + rooms.size() * (Room<T>::bytes(walk, false) + needs.ofTask(stride, sizeof(T)))
                          + pieces.size() * needs.ofPiece(stride, sizeof(T)));
            const observed_rows::RowPass<T> rowPass(m_lists[mode].begins, m_lists[mode].values, rowsOf(mode).data(), rank(mode), stride);
            rowPass.renew(m_parts[mode], rooms, pieces, control,
                          [&](TaskRoom& room) { return Walker<T>(pass.walk, pass.from, room.room); });
        });
    }

private:
    /// values · 1 against x̂ · predictedUnit; errors times errorUnit.
    template <class Values>
    ErrorSums judge(const Walk& walk, Sources<T> from, const Array<double>& core, const Values& values, double predictedUnit,
                    double errorUnit, RunControl& control)
    {
        for (unsigned p = 0; p < walk.order(); ++p)
            from.rows[p] = rowsOf(walk.modes[p]).data();
        from.core = m_arranged.data();
        core_contraction::arrange(core, m_plan->shape.ranks, walk.coreOrder(), m_arranged.data());
        const Count atOnce = entriesAtOnce(walk, values.size());
        std::deque<Room<T>> rooms;
        for (int i = 0; i < tbb::this_task_arena::max_concurrency(); ++i)
            rooms.emplace_back(walk, false);
        std::vector<ErrorSums> parts(chunkCount(values.size(), atOnce));
        forEachChunk(values.size(), atOnce, control, [&](Count chunk, Count begin, Count end) {
            ErrorSums& sums = parts[chunk];
            Walker<T> walker(walk, from, roomOf(rooms));
            walker.predict(begin, end, nullptr, [&](Count entry, T predicted) {
                const double error = errorUnit * (static_cast<double>(values[entry]) - predictedUnit * static_cast<double>(predicted));
                sums.squared += error * error;
                sums.absolute += std::abs(error);
                return T(0);
            });
            sums.count = end - begin;
        });
        ErrorSums whole;
        for (const ErrorSums& part : parts)
            whole += part;
        return whole;
    }

    tbb::task_arena m_arena;
    const RunPlan* m_plan = nullptr;
    const SparseTensor* m_test = nullptr;
    double m_unit = 1;
    std::vector<RowEntries<T>> m_lists; ///< [mode]
    std::vector<RowParts> m_parts; ///< [mode]
    std::vector<Matrix> m_factors, m_best;
    Array<T> m_arranged; ///< the core as the pass at work needs it
    std::uint64_t m_mostTransient = 0; ///< bytes of a pass
};

} // namespace kernels::tucker_als
