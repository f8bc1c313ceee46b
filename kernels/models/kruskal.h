// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

/// The arithmetic of a sum of R products, in one fixed order: whoever predicts one entry or a million
/// gets the same bits.
namespace kernels::kruskal {

constexpr std::size_t lanes = 8; ///< partial sums; a fixed number of them is what compilers turn into vectors

/// The sum of p[0 … R−1]: element r into lane r mod 8, then the lanes pairwise.
class LaneSum {
public:
    template <class Term> void add(std::size_t count, const Term& term)
    {
        std::size_t r = 0;
        for (; r + lanes <= count; r += lanes)
            for (std::size_t k = 0; k < lanes; ++k)
                m_sum[k] += term(r + k);
        for (std::size_t k = 0; r + k < count; ++k)
            m_sum[k] += term(r + k);
    }
    double total() const { return ((m_sum[0] + m_sum[4]) + (m_sum[1] + m_sum[5])) + ((m_sum[2] + m_sum[6]) + (m_sum[3] + m_sum[7])); }

private:
    std::array<double, lanes> m_sum{};
};

/// c = a B: a of J elements, B of J × R row-major; sums over j in order.
template <class Element> void projectRow(const Element* a, const double* b, std::size_t j, std::size_t r, double* c)
{
    std::fill(c, c + r, 0.0);
    for (std::size_t row = 0; row < j; ++row, b += r) {
        const double factor = static_cast<double>(a[row]);
        for (std::size_t column = 0; column < r; ++column)
            c[column] += factor * b[column];
    }
}

} // namespace kernels::kruskal
