// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_reporter.h"

#include "app/cli/formatting.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/run_job.h"
#include "io/run_config_json.h"
#include "kernels/base/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace cli {
namespace {

constexpr auto drawInterval = std::chrono::milliseconds(100);
constexpr auto lineInterval = std::chrono::seconds(5); // where stderr is no terminal

std::string barText(std::uint64_t done, std::uint64_t total, std::size_t width)
{
    const std::size_t full = total == 0
        ? width
        : std::min<std::size_t>(
            width, static_cast<std::size_t>(static_cast<double>(done) / static_cast<double>(total) * static_cast<double>(width)));
    std::string bar;
    for (std::size_t i = 0; i < width; ++i)
        bar += i < full ? "█" : "░";
    return bar;
}

} // namespace

RunReporter::RunReporter(ProgressStyle style, const kernels::RunConfig& config, std::vector<app::TelemetryRecorder>& recorders,
                         std::function<void()> outputLost)
    : m_style(style)
    , m_rules(config.stopping)
    , m_objective(kernels::algorithm(config.algorithm).objective)
    , m_recorders(recorders)
    , m_outputLost(std::move(outputLost))
    , m_terminal(stderrIsTerminal())
    , m_began(Clock::now())
{
}

void RunReporter::phaseChanged(kernels::RunPhase phase)
{
    if (phase == kernels::RunPhase::Iterating)
        m_began = Clock::now();
    else if (m_style == ProgressStyle::Bar && m_terminal) {
        std::fputs("\r\033[Kpreparing", stderr);
        m_drawn = true;
    }
}

std::vector<double> RunReporter::collectTelemetry()
{
    std::vector<double> means;
    for (app::TelemetryRecorder& recorder : m_recorders) {
        recorder.collect();
        const double mean = recorder.meanSinceLastCall();
        const kernels::telemetry::SourceInfo info = recorder.info();
        means.push_back(info.id != "cpu" && !info.coarse ? mean : std::numeric_limits<double>::quiet_NaN());
    }
    return means;
}

void RunReporter::resumed(const std::vector<kernels::IterationRecord>& history)
{
    for (const kernels::IterationRecord& record : history)
        watch(record);
    m_iterationsBefore = history.size();
    if (m_style == ProgressStyle::Json)
        printLine(io::resumedEventJson(m_iterationsBefore));
}

void RunReporter::watch(const kernels::IterationRecord& record)
{
    const double watched = app::watchedNumber(record, m_objective);
    if (!std::isnan(watched) && (!m_bestWatched || watched < *m_bestWatched))
        m_bestWatched = watched;
}

void RunReporter::iterationDone(const kernels::IterationRecord& record)
{
    const std::vector<double> smThroughput = collectTelemetry();
    watch(record);
    if (m_style == ProgressStyle::Json) {
        printLine(io::iterationEventJson(record, smThroughput));
    } else if (m_style == ProgressStyle::Bar) {
        const auto now = Clock::now();
        if (m_lastDraw == Clock::time_point{}
            || now - m_lastDraw >= (m_terminal ? Clock::duration(drawInterval) : Clock::duration(lineInterval))) {
            m_lastDraw = now;
            drawBar(record);
        }
    }
}

void RunReporter::remarked(std::uint64_t iteration, const std::string& sentence)
{
    std::fputs(fmt::format("{}iteration {}: {}\n", m_drawn ? "\r\033[K" : "", iteration, sentence).c_str(), stderr);
}

/// Lines after a lost one would have a hole before them.
void RunReporter::printLine(const std::string& json)
{
    if (m_outputError != 0)
        return;
    m_outputError = tryPrint(json + '\n');
    if (m_outputError != 0)
        m_outputLost();
}

void RunReporter::drawBar(const kernels::IterationRecord& record)
{
    const double seconds = std::chrono::duration<double>(Clock::now() - m_began).count();
    const double left = seconds / static_cast<double>(record.iteration - m_iterationsBefore)
        * static_cast<double>(m_rules.iterations - std::min(record.iteration, m_rules.iterations));
    const bool tested = !std::isnan(record.testRmse);
    std::string text = fmt::format("iteration {}/{}", record.iteration, m_rules.iterations);
    if (m_terminal && terminalWidth() >= 100)
        text += "  " + barText(record.iteration, m_rules.iterations, 24);
    const bool byFit = m_objective == kernels::Objective::All;
    const std::string best = m_bestWatched ? fmt::format("  best {}", numberText(byFit ? -*m_bestWatched : *m_bestWatched)) : "";
    const std::string rmse =
        fmt::format("  {} RMSE {}", tested ? "test" : "train", numberText(tested ? record.testRmse : record.trainRmse));
    text += byFit ? fmt::format("  fit {}", numberText(record.fit)) + best + rmse : rmse + best;
    text += fmt::format("  {} left", secondsText(left));
    std::fprintf(stderr, m_terminal ? "\r\033[K%s" : "%s\n", text.c_str());
    m_drawn = m_terminal;
}

void RunReporter::clear()
{
    if (m_drawn)
        std::fputs("\r\033[K", stderr);
    m_drawn = false;
}

void RunReporter::finish(const kernels::RunResult& result, const kernels::Baselines* baselines)
{
    clear();
    if (m_style == ProgressStyle::Json)
        printLine(io::finishedEventJson(result, baselines));
}

} // namespace cli
