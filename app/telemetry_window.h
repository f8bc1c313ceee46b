// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/telemetry_hub.h"

#include <QElapsedTimer>

#include <vector>

namespace app {

/// The last minutes of one device for the charts, collected whenever somebody looks. It keeps a clock of its own: a lost
/// source is followed by another sampler, whose clock begins anew.
class TelemetryWindow {
public:
    void follow(TelemetryHub::SamplerPtr current);
    void collect();

    kernels::telemetry::Sampler& sampler() const { return *m_sampler; } ///< once one is followed
    const std::vector<kernels::telemetry::Sample>& samples() const { return m_samples; }
    double now() const { return 1e-9 * static_cast<double>(m_clock.nsecsElapsed()); }

private:
    void breakLine();

    TelemetryHub::SamplerPtr m_sampler;
    std::vector<kernels::telemetry::Sample> m_samples;
    std::uint64_t m_cursor = 0;
    QElapsedTimer m_clock;
};

} // namespace app
