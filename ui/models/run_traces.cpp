// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_traces.h"

#include <algorithm>
#include <cmath>

namespace ui {

double traceX(const kernels::IterationRecord& record, TraceX x)
{
    switch (x) {
    case TraceX::Time:
        return record.elapsed;
    case TraceX::Nonzeros:
        return static_cast<double>(record.nonzeros);
    case TraceX::Iteration:
        break;
    }
    return static_cast<double>(record.iteration);
}

void RunTraces::setX(TraceX x)
{
    if (x == m_x)
        return;
    m_x = x;
    m_runs.clear();
}

std::size_t RunTraces::update(const app::Run& run, std::size_t most)
{
    Curves& curves = m_runs[run.id()];
    for (auto& metric : curves.points)
        for (auto& part : metric)
            if (!part)
                part = std::make_shared<std::vector<QPointF>>();
    const auto& history = run.history();
    const std::size_t before = curves.known, end = std::min(history.size() - before, most) + before;
    for (; curves.known < end; ++curves.known) {
        const kernels::IterationRecord& record = history[curves.known];
        const double x = traceX(record, m_x);
        curves.seconds[0] += record.secondsFactor;
        curves.seconds[1] += record.secondsCore + record.secondsConvert;
        curves.seconds[2] += record.secondsEvaluate;
        const auto add = [&](TraceMetric metric, TracePart part, double y) {
            if (!std::isnan(y)) // not every iteration measures everything: lines join those that do
                curves.points[static_cast<int>(metric)][static_cast<int>(part)]->emplace_back(x, y);
        };
        add(TraceMetric::Rmse, TracePart::Test, record.testRmse);
        add(TraceMetric::Rmse, TracePart::Train, record.trainRmse);
        add(TraceMetric::Mae, TracePart::Test, record.testMae);
        add(TraceMetric::Mae, TracePart::Train, record.trainMae);
        add(TraceMetric::Fit, TracePart::Train, record.fit);
        add(TraceMetric::Divergence, TracePart::Test, record.testDivergence);
        add(TraceMetric::Divergence, TracePart::Train, record.divergence);
        // Loss and penalty are sums: such a run visits each training entry once an iteration, which tells how many there are.
        if (!std::isnan(record.divergence) && record.nonzeros > 0)
            add(TraceMetric::PenalisedDivergence, TracePart::Train,
                record.objective * static_cast<double>(record.iteration) / static_cast<double>(record.nonzeros));
    }
    return end - before;
}

RunTraces::Points RunTraces::points(int runId, TraceMetric metric, TracePart part) const
{
    const auto found = m_runs.find(runId);
    return found == m_runs.end() ? nullptr : found->second.points[static_cast<int>(metric)][static_cast<int>(part)];
}

std::vector<double> RunTraces::meanSeconds(int runId) const
{
    const auto found = m_runs.find(runId);
    std::vector<double> means;
    if (found == m_runs.end() || found->second.known == 0)
        return means;
    for (const double sum : found->second.seconds)
        means.push_back(sum / static_cast<double>(found->second.known));
    return means;
}

} // namespace ui
