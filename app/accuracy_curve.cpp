// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accuracy_curve.h"

#include <algorithm>
#include <cmath>

namespace app {

bool isHigherBetter(Measure measure) { return measure == Measure::Fit; }

double measuredOf(const kernels::IterationRecord& record, Measure measure, Part part)
{
    switch (measure) {
    case Measure::Rmse:
        return part == Part::Test ? record.testRmse : record.trainRmse;
    case Measure::Mae:
        return part == Part::Test ? record.testMae : record.trainMae;
    case Measure::Fit:
        return record.fit;
    }
    return kernels::notMeasured;
}

std::size_t AccuracyCurve::update(const std::vector<kernels::IterationRecord>& history, std::size_t most)
{
    const bool higher = isHigherBetter(m_measure);
    const std::size_t before = m_known, end = before + std::min(history.size() - std::min(history.size(), before), most);
    for (; m_known < end; ++m_known) {
        const kernels::IterationRecord& record = history[m_known];
        const double value = measuredOf(record, m_measure, m_part);
        if (!std::isfinite(value))
            continue;
        if (m_points.empty() || (higher ? value > m_points.back().value : value < m_points.back().value))
            m_points.push_back({value, record.elapsed, record.iteration});
    }
    return end - before;
}

double AccuracyCurve::best() const { return m_points.empty() ? kernels::notMeasured : m_points.back().value; }

const AccuracyCurve::Point* AccuracyCurve::reached(double target) const
{
    const bool higher = isHigherBetter(m_measure);
    const auto misses = [&](const Point& point) { return higher ? point.value < target : point.value > target; };
    const auto at = std::partition_point(m_points.begin(), m_points.end(), misses);
    return at == m_points.end() || std::isnan(target) ? nullptr : &*at;
}

} // namespace app
