// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cpu_work.h"
#include "kernels/base/aligned_array.h"

#include <algorithm>

namespace kernels::fasttucker_plus {

/// Gradients of the cores: a thread sums some thousand entries in the run's precision, a lane those sums in fp64. The bits depend on
/// what goes into which lane, not on which thread did it.
template <class T> class GradientSums {
public:
    void allocate(const WorkSizes& sizes)
    {
        m_parts.clear();
        m_totals.clear();
        while (m_parts.size() < sizes.threads) // in place: no copy beside them
            m_parts.emplace_back(sizes.gradient);
        while (m_totals.size() < sizes.lanes)
            m_totals.emplace_back(sizes.gradient);
    }
    std::uint64_t bytes() const
    {
        const auto of = [](const auto& arrays) { return arrays.empty() ? 0 : arrays.size() * arrays[0].size() * sizeof(arrays[0][0]); };
        return of(m_parts) + of(m_totals);
    }
    std::size_t lanes() const { return m_totals.size(); }

    /// So many elements are wanted from here on.
    void restart(std::size_t elements)
    {
        m_elements = elements;
        for (auto& total : m_totals)
            std::fill(total.begin(), total.end(), 0.0);
    }
    T* cleared(unsigned thread)
    {
        std::fill_n(m_parts[thread].begin(), m_elements, T(0));
        return m_parts[thread].data();
    }
    void add(unsigned thread, std::size_t lane)
    {
        for (std::size_t i = 0; i < m_elements; ++i)
            m_totals[lane][i] += m_parts[thread][i];
    }
    void addUp()
    {
        for (std::size_t lane = 1; lane < m_totals.size(); ++lane)
            for (std::size_t i = 0; i < m_elements; ++i)
                m_totals[0][i] += m_totals[lane][i];
    }
    const double* sum() const { return m_totals[0].data(); }

private:
    std::size_t m_elements = 0;
    std::vector<AlignedArray<T>> m_parts; ///< per thread
    std::vector<AlignedArray<double>> m_totals; ///< per lane
};

} // namespace kernels::fasttucker_plus
