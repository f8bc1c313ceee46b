// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"
#include "kernels/telemetry/telemetry.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace app {

/// One sampler per device, made on first use and kept: sources cost time to open. Thread-safe.
class TelemetryHub {
public:
    using SamplerPtr = std::shared_ptr<kernels::telemetry::Sampler>;
    using Opener = std::function<std::unique_ptr<kernels::telemetry::Source>(const kernels::DeviceId&, const std::string& choice,
                                                                             std::vector<std::string>& refusals)>;

    TelemetryHub(); ///< the real sources
    TelemetryHub(Opener, double retryAfterSeconds);

    /// Which source to use from now on: an id of kernels::telemetry::sourceChoices(). Samplers in use end with their last user.
    void choose(std::string source);
    /// Returns at once; what cannot be opened is told by the sampler. One whose source was lost is replaced after some seconds.
    SamplerPtr sampler(const kernels::DeviceId&);

private:
    struct Living {
        std::string device, choice;
        std::weak_ptr<kernels::telemetry::Sampler> sampler;
    };
    /// One that somebody still uses and that the choice would open again: counters are given to one user at a time.
    SamplerPtr living(const std::string& device);
    SamplerPtr open(const kernels::DeviceId&);
    void end(SamplerPtr);

    const Opener m_open;
    const double m_retryAfterSeconds;
    std::mutex m_mutex;
    std::string m_choice = "auto";
    std::map<std::string, SamplerPtr> m_samplers; ///< of the choice, by device
    std::vector<Living> m_living;
    std::list<std::jthread> m_ending; ///< a source may take a moment to close
};

/// Samples in order of time, at most 2^16: when full it keeps every second one, then every fourth, …
/// so that a run of any length is covered evenly.
class ThinnedSamples {
public:
    static constexpr std::size_t limit = std::size_t{1} << 16;
    void add(const kernels::telemetry::Sample&);
    const std::vector<kernels::telemetry::Sample>& all() const { return m_samples; }

private:
    std::vector<kernels::telemetry::Sample> m_samples;
    std::uint64_t m_seen = 0, m_stride = 1;
};

/// The samples of one run's time span on one device, with times since the run began.
class TelemetryRecorder {
public:
    explicit TelemetryRecorder(std::shared_ptr<kernels::telemetry::Sampler>);

    void collect(); ///< takes what is new; call it at least once a minute or so
    io::TelemetrySeries series() const { return {m_sampler->info(), m_samples.all()}; }
    kernels::telemetry::SourceInfo info() const { return m_sampler->info(); }
    std::size_t size() const { return m_samples.all().size(); }
    /// Mean of smPercent over the samples since the last call; NaN without any.
    double meanSinceLastCall();

private:
    std::shared_ptr<kernels::telemetry::Sampler> m_sampler;
    ThinnedSamples m_samples;
    std::uint64_t m_cursor = 0;
    double m_start = 0;
    double m_sum = 0;
    std::uint64_t m_summed = 0;
};

} // namespace app
