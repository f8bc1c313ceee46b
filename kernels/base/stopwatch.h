// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"

#include <chrono>

namespace kernels {

/// Seconds of work since it was made: what a run spent paused does not count.
class Stopwatch {
public:
    explicit Stopwatch(const RunControl& control)
        : m_control(control)
        , m_paused(control.pausedSeconds())
        , m_begin(std::chrono::steady_clock::now())
    {
    }

    double seconds() const
    {
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - m_begin;
        return wall.count() - (m_control.pausedSeconds() - m_paused);
    }

private:
    const RunControl& m_control;
    double m_paused;
    std::chrono::steady_clock::time_point m_begin;
};

} // namespace kernels
