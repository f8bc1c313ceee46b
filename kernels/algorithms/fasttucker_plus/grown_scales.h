// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"

#include <algorithm>

namespace kernels::fasttucker_plus {

/// The row scales of a pass on the CPU, once they are times its FactorPass::scaleGrowth.
class GrownScales {
public:
    /// Of a mode's rows; null: 1. Until another pass asks.
    const float* of(const FactorPass& pass, std::size_t mode)
    {
        if (!pass.rowScales || (*pass.rowScales)[mode].empty())
            return nullptr;
        if (pass.growthOf(mode) == 1)
            return (*pass.rowScales)[mode].data();
        if (pass.rowScales != m_from || pass.scaleGrowth != m_growth)
            grow(pass);
        return m_scales[mode].data();
    }
    std::uint64_t bytes() const
    {
        std::uint64_t sum = 0;
        for (const std::vector<float>& scales : m_scales)
            sum += scales.size() * sizeof(float);
        return sum;
    }

private:
    void grow(const FactorPass& pass)
    {
        m_from = nullptr;
        m_scales.resize(pass.rowScales->size());
        for (std::size_t n = 0; n < m_scales.size(); ++n) {
            const std::vector<float>& from = (*pass.rowScales)[n];
            const float growth = static_cast<float>(pass.growthOf(n));
            m_scales[n].resize(from.size());
            std::transform(from.begin(), from.end(), m_scales[n].begin(), [&](float scale) { return std::min(scale * growth, 1.0F); });
        }
        m_from = pass.rowScales;
        m_growth = pass.scaleGrowth;
    }

    std::vector<std::vector<float>> m_scales;
    const std::vector<std::vector<float>>* m_from = nullptr;
    std::vector<double> m_growth;
};

} // namespace kernels::fasttucker_plus
