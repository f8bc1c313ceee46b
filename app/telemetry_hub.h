// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"
#include "kernels/telemetry/telemetry.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace app {

/// One sampler per device, opened on first use and kept: sources cost time to open. Thread-safe.
class TelemetryHub {
public:
    struct Device {
        std::shared_ptr<kernels::telemetry::Sampler> sampler; ///< null: no source at all
        std::vector<std::string> refusals;
    };
    /// Does not throw for a source that cannot be opened; the refusals tell.
    Device open(const kernels::DeviceId&);

private:
    std::mutex m_mutex;
    std::map<std::string, Device> m_devices;
};

/// The samples of one run's time span on one device, with times since the run began.
/// At most 2^16 are kept: a longer run keeps every second one, then every fourth, …
class TelemetryRecorder {
public:
    explicit TelemetryRecorder(std::shared_ptr<kernels::telemetry::Sampler>);

    void collect(); ///< takes what is new; call it at least once a minute or so
    const io::TelemetrySeries& series() const { return m_series; }
    /// Mean of smPercent over the samples since the last call; NaN without any.
    double meanSinceLastCall();

private:
    void keep(kernels::telemetry::Sample);

    std::shared_ptr<kernels::telemetry::Sampler> m_sampler;
    io::TelemetrySeries m_series;
    std::uint64_t m_cursor = 0;
    std::uint64_t m_seen = 0, m_stride = 1;
    double m_start = 0;
    double m_sum = 0;
    std::uint64_t m_summed = 0;
};

} // namespace app
