// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kernels::telemetry {

/// One reading; what the source cannot tell is NaN / 0.
struct Sample {
    double seconds = 0; ///< since the sampler started (steady clock)
    float smPercent = std::numeric_limits<float>::quiet_NaN();
    float dramPercent = std::numeric_limits<float>::quiet_NaN();
    std::uint64_t memoryBytes = 0;
    float powerWatts = std::numeric_limits<float>::quiet_NaN();
};

struct SourceInfo {
    std::string id; ///< "cupti-pm" | "nvml-gpm" | "nvml-utilisation" | "cpu"
    std::string title; ///< "NVML GPM", for the chart's subtitle
    std::string metric; ///< exact name of what smPercent is
    std::string quantity; ///< "SM busy", "CPU use of this process": the chart's title follows it
    unsigned intervalMs = 200;
    bool deviceWide = true;
    std::string deviceName, deviceUuid;
};

/// Where numbers come from. Opened at run time, read from the sampler's thread only.
class Source {
public:
    virtual ~Source() = default;
    virtual const SourceInfo& info() const = 0;
    /// Throws Error when the source is lost; the sampler then ends with that reason.
    virtual Sample read() = 0;
};

/// The best source for a device, best first; reasons why better ones failed are appended.
std::unique_ptr<Source> openSource(const DeviceInfo&, std::vector<std::string>* refusals = nullptr);

/// Reads a source on a thread of its own into a ring buffer of the last 2^16 samples, which the window polls.
class Sampler {
public:
    explicit Sampler(std::unique_ptr<Source>);
    ~Sampler();

    const SourceInfo& info() const { return m_info; }
    /// Samples after the cursor (a running number, start with 0); moves the cursor.
    std::vector<Sample> samplesSince(std::uint64_t& cursor) const;
    /// Empty while the source is alive.
    std::string lostReason() const;
    double now() const; ///< on the samples' clock

private:
    void loop(std::stop_token);

    std::unique_ptr<Source> m_source;
    SourceInfo m_info;
    mutable std::mutex m_mutex;
    std::vector<Sample> m_ring;
    std::uint64_t m_written = 0;
    std::string m_lostReason;
    double m_start = 0;
    std::jthread m_thread;
};

} // namespace kernels::telemetry
