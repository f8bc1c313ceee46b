// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/telemetry_window.h"

#include <algorithm>

namespace app {
namespace {

constexpr double spanSeconds = 300; ///< what the charts look back on

} // namespace

void TelemetryWindow::follow(TelemetryHub::SamplerPtr current)
{
    if (m_sampler == current)
        return;
    if (m_sampler)
        breakLine();
    else
        m_clock.start();
    m_sampler = std::move(current);
    m_cursor = 0;
}

/// Nothing was measured here.
void TelemetryWindow::breakLine()
{
    kernels::telemetry::Sample gap;
    gap.seconds = now();
    m_samples.push_back(gap);
}

void TelemetryWindow::collect()
{
    const double shift = now() - m_sampler->now();
    for (kernels::telemetry::Sample& sample : m_sampler->samplesSince(m_cursor)) {
        sample.seconds += shift;
        m_samples.push_back(sample);
    }
    const double oldest = now() - spanSeconds;
    const auto keep = std::find_if(m_samples.begin(), m_samples.end(), [&](const auto& s) { return s.seconds >= oldest; });
    m_samples.erase(m_samples.begin(), keep);
}

} // namespace app
