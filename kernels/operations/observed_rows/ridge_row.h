// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/aligned_array.h"
#include "kernels/operations/core_contraction/loops.h"
#include "kernels/operations/observed_rows/equations.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace kernels::observed_rows {

/// Least squares of one row after another: (Σ δδᵀ + λ + μ) (a' − a) = Σ (x − a·δ) δ − λ (a − centre), where a is the row as it was.
/// μ only keeps equations that rounding may have made singular from being so, and is no penalty.
template <class T> class RidgeRow {
public:
    /// centre: `rank` numbers that outlive it. stride: the rank padded to whole vectors.
    RidgeRow(unsigned rank, unsigned stride, const double* centre)
        : m_centre(centre)
        , m_rank(rank)
        , m_stride(stride)
        , m_equations(stride)
        , m_kept(stride)
        , m_row(stride)
        , m_column(rank)
    {
    }
    static constexpr std::uint64_t bytes(unsigned stride)
    {
        return 2 * Equations::numbers(stride) * sizeof(double) + std::uint64_t{stride} * sizeof(T);
    }

    void take(const T* numbers)
    {
        std::copy_n(numbers, m_rank, m_row.begin());
        m_equations.clear();
    }
    void visit(const T* deltas, const T* values, unsigned count)
    {
        loops().addNormal({deltas, values, m_row.data(), count, m_stride, m_equations.normal(), m_equations.right()});
    }
    void keep(Equations& piece) const { piece.copy(m_equations); }
    void finish(T* numbers, const Equations& whole, double penalty)
    {
        take(numbers);
        m_equations.copy(whole);
        finish(numbers, penalty);
    }

    /// Solves for the change of the row. Rounded sums may be no positive matrix: a larger diagonal takes a smaller step, and still
    /// one downwards. Sums that overflowed say nothing, and a row that overflows is none: the row stays as it is.
    void finish(T* numbers, double penalty)
    {
        constexpr double rounding = std::is_same_v<T, float> ? 0x1p-22 : 0x1p-48;
        constexpr unsigned mostTries = 16; // from rounding to the largest in steps of 64 takes 10
        if (!m_equations.finite(m_rank))
            return;
        double largest = 0;
        for (unsigned j = 0; j < m_rank; ++j) {
            m_equations.right()[j] -= penalty * (static_cast<double>(m_row[j]) - m_centre[j]);
            largest = std::max(largest, m_equations.normal()[Count{j} * m_stride + j]);
        }
        if (!(largest + penalty > 0))
            return; // nothing is said of the row
        m_kept.copy(m_equations);
        double damping = rounding * largest;
        for (unsigned i = 0; i < mostTries && damping <= largest + penalty; ++i, damping = std::max(damping, 1e-300) * 64) {
            for (unsigned j = 0; j < m_rank; ++j)
                m_equations.normal()[Count{j} * m_stride + j] += penalty + damping;
            if (loops().solve(m_equations.normal(), m_stride, m_rank, m_equations.right(), m_column.data())) {
                renew(numbers);
                return;
            }
            m_equations.copy(m_kept);
        }
    }

private:
    void renew(T* numbers)
    {
        bool finite = true;
        for (unsigned j = 0; j < m_rank; ++j) {
            m_row[j] = static_cast<T>(static_cast<double>(m_row[j]) + m_equations.right()[j]);
            finite = finite && std::isfinite(m_row[j]);
        }
        if (finite)
            std::copy_n(m_row.begin(), m_rank, numbers);
    }

    static const core_contraction::Loops<T>& loops() { return core_contraction::loops(T(0)); }

    const double* m_centre;
    unsigned m_rank, m_stride;
    Equations m_equations, m_kept;
    AlignedArray<T> m_row; ///< as it is, padded by zeros
    std::vector<double> m_column; ///< for the solver of equations
};

} // namespace kernels::observed_rows
