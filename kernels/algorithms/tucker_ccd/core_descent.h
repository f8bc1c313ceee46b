// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/algorithms/tucker_ccd/back_end.h"
#include "kernels/base/chunks.h"
#include "kernels/operations/core_contraction/loops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kernels::tucker_ccd {

/// One pass of coordinate steps over the core. A column of elements, which differ in the own mode's place alone, has w = p a, p the
/// product of an entry's other rows: Σ wwᵀ and Σ rw are sums over rows of Σ p² aaᵀ and Σ rp a. So a column costs an entry a few
/// multiplications, however long it is, and steps on these sums are those one would take element after element. p is kept for every
/// leading part of the other modes, of which mostly the last one alone changes.
/// Sums are made in parts that do not depend on the number of threads, and added in order.
template <class T> class CoreDescent {
public:
    /// rows: of all modes; residuals: x − x̂ of the entries, which are the own mode's. Inside the arena.
    CoreDescent(const tucker_als::RunPlan& plan, const fastertucker::RowEntries<T>& entries, std::vector<const Array<T>*> rows,
                Array<T> residuals, RunControl& control)
        : m_entries(entries)
        , m_rows(std::move(rows))
        , m_ranks(plan.shape.ranks)
        , m_own(plan.core.modes.front())
        , m_ownRank(m_ranks[m_own])
        , m_residuals(std::move(residuals))
    {
        m_strides.assign(m_ranks.size(), 1);
        for (std::size_t n = m_ranks.size() - 1; n-- > 0;)
            m_strides[n] = m_strides[n + 1] * m_ranks[n + 1];
        for (unsigned n = 0; n < m_ranks.size(); ++n)
            if (n != m_own) {
                m_others.push_back(n);
                m_columns.push_back(transposed(*m_rows[n], m_ranks[n], control));
            }
        m_products.resize(m_others.size());
        for (std::size_t k = std::min<std::size_t>(1, m_others.size() - 1); k < m_others.size(); ++k)
            m_products[k].resize(entries.count());
        m_parts = coreSumParts(entries.count());
        m_sums.resize(m_parts * sumNumbers());
    }

    /// responsibilities: as many as the core has numbers, or none.
    void renew(Array<double>& core, const CoreStep& step, Array<float>& responsibilities, RunControl& control)
    {
        std::vector<unsigned> places(m_others.size(), 0);
        for (bool more = true; more; more = next(places)) {
            Count first = 0;
            for (std::size_t k = 0; k < places.size(); ++k)
                first += places[k] * m_strides[m_others[k]];
            std::vector<unsigned> active;
            for (unsigned j = 0; j < m_ownRank; ++j)
                if (!step.keepsZeros || core[first + j * m_strides[m_own]] != 0)
                    active.push_back(j);
            if (active.empty())
                continue; // products of a later column are made from what is there then
            sum(places, active, control);
            descend(core, first, active, step, responsibilities);
        }
    }

private:
    using Loops = core_contraction::Loops<T>;
    static const Loops& loops() { return core_contraction::loops(T(0)); }
    Count sumNumbers() const { return Count{m_ownRank} * (m_ownRank + 1); }
    double& normal(double* sums, std::size_t a, std::size_t b) const { return sums[a * m_ownRank + b]; }
    double* right(double* sums) const { return sums + Count{m_ownRank} * m_ownRank; }

    static Array<T> transposed(const Array<T>& rows, unsigned rank, RunControl& control)
    {
        Array<T> columns;
        columns.resize(rows.size());
        const Count count = rows.size() / rank;
        forEachChunk(count, 4096, control, [&](Count, Count begin, Count end) {
            for (unsigned j = 0; j < rank; ++j)
                for (Count i = begin; i < end; ++i)
                    columns[j * count + i] = rows[i * rank + j];
        });
        return columns;
    }

    /// The last place runs fastest.
    bool next(std::vector<unsigned>& places) const
    {
        for (std::size_t k = places.size(); k-- > 0;) {
            if (++places[k] < m_ranks[m_others[k]])
                return true;
            places[k] = 0;
        }
        return false;
    }

    /// Of a column, after the residuals have learnt what the one before changed.
    void sum(const std::vector<unsigned>& places, const std::vector<unsigned>& active, RunControl& control)
    {
        std::size_t changed = 0;
        while (changed < m_places.size() && m_places[changed] == places[changed])
            ++changed;
        const auto body = [&](Count part, Count, Count) {
            const Count share = chunkCount(m_entries.count(), m_parts), begin = part * share;
            sumPart(places, active, changed, begin, std::min(begin + share, m_entries.count()), m_sums.data() + part * sumNumbers());
        };
        if (m_parts == 1) {
            control.checkpoint();
            body(0, 0, 0);
        } else {
            forEachChunk(m_parts, 1, control, body);
        }
        m_places = places;
        for (Count part = 1; part < m_parts; ++part)
            for (Count i = 0; i < sumNumbers(); ++i)
                m_sums[i] += m_sums[part * sumNumbers() + i];
    }

    void sumPart(const std::vector<unsigned>& places, const std::vector<unsigned>& active, std::size_t changed, Count begin, Count end,
                 double* sums)
    {
        std::fill_n(sums, sumNumbers(), 0.0);
        T* const residuals = m_residuals.data();
        const T* const products = m_products.back().data();
        if (!m_changes.empty())
            forEachRow(begin, end, [&](const T* row, Count first, Count count) {
                T change = 0;
                for (const auto& [j, by] : m_changes)
                    change += row[j] * by;
                loops().addScaled(residuals + first, products + first, -change, count);
            });
        for (std::size_t k = std::max<std::size_t>(changed, std::min<std::size_t>(1, m_others.size() - 1)); k < m_others.size(); ++k)
            loops().multiplyRun({m_products[k].data() + begin, k > 1 ? m_products[k - 1].data() + begin : nullptr, column(0, places[0]),
                                 m_entries.indices[0].data() + begin, k > 0 ? column(k, places[k]) : nullptr,
                                 m_entries.indices[k].data() + begin, end - begin});
        forEachRow(begin, end, [&](const T* row, Count first, Count count) {
            double ofRow[2] = {0, 0}; // Σ p², Σ rp
            loops().addSums(products + first, residuals + first, count, ofRow);
            for (std::size_t a = 0; a < active.size(); ++a) {
                const double number = static_cast<double>(row[active[a]]), weight = ofRow[0] * number;
                for (std::size_t b = 0; b <= a; ++b)
                    normal(sums, a, b) += weight * static_cast<double>(row[active[b]]);
                right(sums)[a] += ofRow[1] * number;
            }
        });
    }

    const T* column(std::size_t k, unsigned place) const
    {
        return m_columns[k].data() + place * (m_columns[k].size() / m_ranks[m_others[k]]);
    }

    /// Calls body(the row's numbers, first entry, entries) for all rows of the own mode that have entries there.
    template <class Body> void forEachRow(Count begin, Count end, const Body& body) const
    {
        const Array<Count>& begins = m_entries.begins;
        auto row = static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), begin) - begins.begin()) - 1;
        for (; begin < end; ++row) {
            const Count last = std::min(begins[row + 1], end);
            if (last > begin)
                body(m_rows[m_own]->data() + row * m_ownRank, begin, last - begin);
            begin = last;
        }
    }

    void descend(Array<double>& core, Count first, const std::vector<unsigned>& active, const CoreStep& step,
                 Array<float>& responsibilities)
    {
        double* const sums = m_sums.data();
        m_changes.clear();
        std::vector<double> changes(active.size(), 0.0);
        for (std::size_t a = 0; a < active.size(); ++a) {
            const Count at = first + active[a] * m_strides[m_own];
            Coordinate element{core[at], at == 0 ? step.centre : 0, right(sums)[a], normal(sums, a, a)};
            for (std::size_t b = 0; b < active.size(); ++b)
                element.errors -= (a >= b ? normal(sums, a, b) : normal(sums, b, a)) * changes[b];
            if (!hasStep(step.penalty, element) || !std::isfinite(element.squares)
                || !std::isfinite(element.errors)) { // nothing is said of it
                if (!responsibilities.empty())
                    responsibilities[at] = element.squares == 0 ? 0 : std::numeric_limits<float>::infinity();
                continue;
            }
            const auto [to, by] = bestStep(step.penalty, element);
            core[at] = to;
            changes[a] = by;
            m_changes.emplace_back(active[a], static_cast<T>(by));
            if (!responsibilities.empty())
                responsibilities[at] = static_cast<float>(
                    riseWithout(step.penalty, {to, element.centre, element.errors - element.squares * by, element.squares}));
        }
    }

    const fastertucker::RowEntries<T>& m_entries;
    std::vector<const Array<T>*> m_rows;
    std::vector<unsigned> m_ranks;
    unsigned m_own, m_ownRank;
    Array<T> m_residuals;
    std::vector<Count> m_strides; ///< [mode]: of the core
    std::vector<unsigned> m_others; ///< modes, upwards
    std::vector<Array<T>> m_columns; ///< [other]: its rows, column by column
    std::vector<Array<T>> m_products; ///< [other][entry]: of it and those before it; of the first alone only where it is the only one
    std::vector<unsigned> m_places; ///< [other]: that products are of
    Count m_parts = 0;
    Array<double> m_sums; ///< [part]: Σ wwᵀ up to the diagonal, then Σ rw
    std::vector<std::pair<unsigned, T>> m_changes; ///< of the last column: place and by how much
};

} // namespace kernels::tucker_ccd
