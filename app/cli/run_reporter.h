// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/telemetry_hub.h"
#include "kernels/base/run.h"
#include "kernels/operations/baselines.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cli {

enum class ProgressStyle { Bar, Json, None };

/// Tells of a run while it goes: a bar on the terminal's stderr, or JSON lines on stdout. Also where the
/// telemetry of the run is collected, after each iteration. Called on the run's thread, which is main's.
class RunReporter : public kernels::RunObserver {
public:
    /// outputLost: called once when the JSON lines cannot be written any more; the run goes on unless it says otherwise.
    RunReporter(ProgressStyle, const kernels::RunConfig&, std::vector<app::TelemetryRecorder>&, std::function<void()> outputLost);

    void phaseChanged(kernels::RunPhase) override;
    void resumed(const std::vector<kernels::IterationRecord>&) override;
    void iterationDone(const kernels::IterationRecord&) override;
    void remarked(std::uint64_t iteration, const std::string& sentence) override;
    /// Clears the bar, or writes the last JSON line.
    void finish(const kernels::RunResult&, const kernels::Baselines* = nullptr);
    void clear(); ///< the bar, before an error is printed
    int outputError() const { return m_outputError; } ///< errno's number; 0: all was written

private:
    std::vector<double> collectTelemetry(); ///< of each device its SM throughput since the last call; NaN: not measured
    void watch(const kernels::IterationRecord&);
    void drawBar(const kernels::IterationRecord&);
    void printLine(const std::string& json);

    using Clock = std::chrono::steady_clock;
    ProgressStyle m_style;
    kernels::StoppingRules m_rules;
    kernels::Objective m_objective;
    std::vector<app::TelemetryRecorder>& m_recorders;
    std::function<void()> m_outputLost;
    int m_outputError = 0;
    bool m_terminal;
    bool m_drawn = false;
    Clock::time_point m_began, m_lastDraw;
    std::optional<double> m_bestWatched;
    std::uint64_t m_iterationsBefore = 0; ///< of a run that goes on
};

} // namespace cli
