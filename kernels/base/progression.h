// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"
#include "kernels/base/solver.h"

#include <cmath>

namespace kernels {

/// Watches the one number a run is judged by and says when it stopped improving.
class Progression {
public:
    Progression(const StoppingRules& rules, bool higherIsBetter)
        : m_rules(rules)
        , m_higherIsBetter(higherIsBetter)
    {
    }

    /// True when this is the best value so far. stillLearns: what is learnt from moves so much that no gain now says nothing yet.
    bool improves(double value, bool stillLearns)
    {
        const bool first = std::isnan(m_best);
        const double gain = m_higherIsBetter ? value - m_best : (m_best - value) / std::abs(m_best);
        m_withoutGain = first || stillLearns || gain >= m_rules.tolerance ? 0 : m_withoutGain + 1;
        if (!first && !(m_higherIsBetter ? value > m_best : value < m_best))
            return false;
        m_best = value;
        return true;
    }

    /// What was watched so far counts no more.
    void restart()
    {
        m_best = notMeasured;
        m_withoutGain = 0;
    }

    /// slowness: so many iterations do what one does elsewhere.
    bool converged(unsigned slowness = 1) const
    {
        return m_rules.tolerance > 0 && m_withoutGain >= std::uint64_t{m_rules.patience} * slowness;
    }

private:
    const StoppingRules& m_rules;
    bool m_higherIsBetter;
    double m_best = notMeasured;
    unsigned m_withoutGain = 0;
};

} // namespace kernels
