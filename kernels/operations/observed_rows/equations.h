// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/types.h"

#include <algorithm>
#include <cmath>

namespace kernels::observed_rows {

/// Equations of one row: Σ δδᵀ and the right side, in fp64 whatever the run's precision.
class Equations {
public:
    explicit Equations(unsigned stride)
        : m_stride(stride)
    {
        m_numbers.resize(numbers(stride));
        clear();
    }
    static Count numbers(unsigned stride) { return Count{stride} * (stride + 1); }

    double* normal() { return m_numbers.data(); }
    double* right() { return m_numbers.data() + Count{m_stride} * m_stride; }
    void clear() { std::fill(m_numbers.begin(), m_numbers.end(), 0.0); }
    void copy(const Equations& other) { std::copy(other.m_numbers.begin(), other.m_numbers.end(), m_numbers.begin()); }
    /// Whether no sum overflowed. The diagonal tells of all products: none is larger than the larger one's square.
    bool finite(unsigned rank) const
    {
        const double* const right = m_numbers.data() + Count{m_stride} * m_stride;
        for (unsigned j = 0; j < rank; ++j)
            if (!std::isfinite(m_numbers[Count{j} * m_stride + j]) || !std::isfinite(right[j]))
                return false;
        return true;
    }
    void add(const Equations& other, Count)
    {
        for (Count i = 0; i < m_numbers.size(); ++i)
            m_numbers[i] += other.m_numbers[i];
    }

private:
    unsigned m_stride;
    Array<double> m_numbers;
};

} // namespace kernels::observed_rows
