// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

namespace kernels {

/// Mean and sum of squared deviations, joined as Chan, Golub and LeVeque do: no cancellation, and the
/// same bits wherever the same parts are joined in the same order.
struct Moments {
    Count count = 0;
    double mean = 0;
    double deviations = 0; ///< Σ (x − mean)²

    template <class Value> static Moments of(const Value* begin, const Value* end)
    {
        Moments m;
        m.count = static_cast<Count>(end - begin);
        if (m.count == 0)
            return m;
        double sum = 0;
        for (const Value* p = begin; p != end; ++p)
            sum += static_cast<double>(*p);
        m.mean = sum / static_cast<double>(m.count);
        for (const Value* p = begin; p != end; ++p) {
            const double deviation = static_cast<double>(*p) - m.mean;
            m.deviations += deviation * deviation;
        }
        return m;
    }

    Moments& operator+=(const Moments& other)
    {
        if (other.count == 0)
            return *this;
        const Count both = count + other.count;
        const double difference = other.mean - mean;
        const double share = static_cast<double>(other.count) / static_cast<double>(both);
        deviations += other.deviations + difference * difference * static_cast<double>(count) * share;
        mean += difference * share;
        count = both;
        return *this;
    }

    /// Mean squared deviation, over all values there are.
    double variance() const { return count == 0 ? 0 : deviations / static_cast<double>(count); }
};

} // namespace kernels
