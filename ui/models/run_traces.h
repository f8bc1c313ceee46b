// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run.h"

#include <QPointF>

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <vector>

namespace ui {

enum class TraceX { Iteration, Time, Nonzeros };
enum class TraceMetric { Rmse, Mae, Fit, Divergence, PenalisedDivergence };
enum class TracePart { Test, Train };

double traceX(const kernels::IterationRecord&, TraceX);

/// The points of all runs' curves for one choice of x axis. Only what a run's history gained since the last
/// look is added; changing the axis starts over.
class RunTraces {
public:
    using Points = std::shared_ptr<const std::vector<QPointF>>;

    void setX(TraceX x);
    TraceX x() const { return m_x; }
    /// Takes at most so many iterations; returns how many it took.
    std::size_t update(const app::Run& run, std::size_t most = std::numeric_limits<std::size_t>::max());
    void forget(int runId) { m_runs.erase(runId); }
    /// Null before the first update. Fit and divergences are of the training entries; no points where they are not measured.
    Points points(int runId, TraceMetric, TracePart) const;
    /// Of an iteration, means over those taken, so that one slow iteration does not make a bar jump: factors, core,
    /// evaluation. None before the first.
    std::vector<double> meanSeconds(int runId) const;

private:
    struct Curves {
        std::size_t known = 0;
        std::array<double, 3> seconds{}; ///< sums of what meanSeconds() tells
        std::shared_ptr<std::vector<QPointF>> points[5][2]; ///< [metric][part]
    };

    TraceX m_x = TraceX::Iteration;
    std::map<int, Curves> m_runs;
};

} // namespace ui
