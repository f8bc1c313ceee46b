// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"
#include "kernels/operations/core_contraction/loops.h"

#include <cmath>
#include <cstdint>

namespace kernels::observed_rows {

/// Σ h² and Σ x h of one number's entries.
struct ColumnSums {
    double sums[2] = {0, 0};

    ColumnSums() = default;
    explicit ColumnSums(unsigned) { }
    void add(const ColumnSums& other, Count)
    {
        sums[0] += other.sums[0];
        sums[1] += other.sums[1];
    }
};

/// Least squares of rows that have one number: a = (Σ x h + λ centre) / (Σ h² + λ). As RidgeRow without its matrix.
template <class T> class ColumnRow {
public:
    ColumnRow(unsigned, unsigned, const double* centre)
        : m_centre(*centre)
    {
    }
    static constexpr std::uint64_t bytes(unsigned) { return 0; }

    void take(const T*) { m_sums = ColumnSums(); }
    void visit(const T* products, const T* values, unsigned count)
    {
        core_contraction::loops(T(0)).addSums(products, values, count, m_sums.sums);
    }
    void keep(ColumnSums& piece) const { piece = m_sums; }
    void finish(T* number, const ColumnSums& whole, double penalty)
    {
        m_sums = whole;
        finish(number, penalty);
    }
    /// Sums that overflowed, or that are nothing, say nothing: the number stays as it is.
    void finish(T* number, double penalty) const
    {
        const double below = m_sums.sums[0] + penalty, found = (m_sums.sums[1] + penalty * m_centre) / below;
        if (below > 0 && std::isfinite(below) && std::isfinite(static_cast<T>(found)))
            *number = static_cast<T>(found);
    }

private:
    double m_centre;
    ColumnSums m_sums;
};

} // namespace kernels::observed_rows
