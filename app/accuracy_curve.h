// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace app {

enum class Measure { Rmse, Mae, Fit };
enum class Part { Test, Train };

bool isHigherBetter(Measure);
/// Of the training entries the fit is, whatever part is asked for. NaN: not measured.
double measuredOf(const kernels::IterationRecord&, Measure, Part);

/// When a run reached what: its gains in one measure, each better than all before. Only what its history gained since the last
/// look is added.
class AccuracyCurve {
public:
    struct Point {
        double value = 0;
        double seconds = 0; ///< of compute, at the iteration's end: without evaluation and pauses
        std::uint64_t iteration = 0;
    };

    AccuracyCurve(Measure measure, Part part)
        : m_measure(measure)
        , m_part(part)
    {
    }

    /// Takes at most so many iterations; returns how many it took.
    std::size_t update(const std::vector<kernels::IterationRecord>& history, std::size_t most = std::numeric_limits<std::size_t>::max());
    const std::vector<Point>& points() const { return m_points; }
    double best() const; ///< NaN: nothing was measured
    /// Of the first iteration that meets the target; null: none did.
    const Point* reached(double target) const;

private:
    Measure m_measure;
    Part m_part;
    std::size_t m_known = 0;
    std::vector<Point> m_points;
};

} // namespace app
