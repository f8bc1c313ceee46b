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

/// to[k] = Σ_j vector[j] · rows[j · width + k], j in order. `to` may be the first row itself.
/// Eight sums at a time stay in registers.
template <class Element> void combineRows(const Element* vector, const double* rows, std::size_t count, std::size_t width, double* to)
{
    std::size_t k = 0;
    for (; k + lanes <= width; k += lanes) {
        std::array<double, lanes> sum{};
        const double* row = rows + k;
        for (std::size_t j = 0; j < count; ++j, row += width) {
            const double factor = static_cast<double>(vector[j]);
            for (std::size_t lane = 0; lane < lanes; ++lane)
                sum[lane] += factor * row[lane];
        }
        std::copy(sum.begin(), sum.end(), to + k);
    }
    for (; k < width; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < count; ++j)
            sum += static_cast<double>(vector[j]) * rows[j * width + k];
        to[k] = sum;
    }
}

/// c = a B: a of J elements, B of J × R row-major.
template <class Element> void projectRow(const Element* a, const double* b, std::size_t j, std::size_t r, double* c)
{
    combineRows(a, b, j, r, c);
}

} // namespace kernels::kruskal
