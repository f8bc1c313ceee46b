// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kernels::telemetry {

/// One reading; what the source cannot tell is NaN / 0.
struct Sample {
    /// From a sampler: since it started (steady clock). From a source: before the moment of reading, so 0 or less.
    double seconds = 0;
    float smPercent = std::numeric_limits<float>::quiet_NaN();
    float dramPercent = std::numeric_limits<float>::quiet_NaN();
    std::uint64_t memoryBytes = 0;
    float powerWatts = std::numeric_limits<float>::quiet_NaN();
};

struct SourceInfo {
    std::string id; ///< "cupti-pm" | "nvml-gpm" | "nvml-utilisation" | "cpu"
    std::string title; ///< "NVML GPM", for the chart's subtitle
    std::string metric; ///< exact name of what smPercent is
    std::string quantity; ///< "SM throughput", "CPU use of this process": the chart's title follows it
    unsigned intervalMs = 200; ///< between two samples
    unsigned readEveryMs = 0; ///< a source that collects samples by itself is read less often; 0: every interval
    bool coarse = false; ///< drawn dashed: busy or not rather than how busy
    bool deviceWide = true;
    std::string deviceName, deviceUuid;
};

/// Where numbers come from. Opened at run time, read from the sampler's thread only.
class Source {
public:
    virtual ~Source() = default;
    virtual const SourceInfo& info() const = 0;
    /// What is new since the last call, oldest first. Throws Error when the source is lost; the sampler then ends with that reason.
    virtual std::vector<Sample> read() = 0;
};

/// A kind of source as menus and options show it.
struct SourceChoice {
    std::string id; ///< "auto", "none" or a SourceInfo::id
    std::string title, help;
};
const std::vector<SourceChoice>& sourceChoices();
std::string sourceChoicesText(); ///< "auto, cupti-pm, …"
/// Throws Error(BadArgument) for what is none of them; where: what named it.
void requireSourceChoice(std::string_view id, const std::string& where = {});

/// The best source for a device that can be had, from the chosen one downwards; why others could not is appended to
/// the refusals. Null for "none". Throws Error(BadArgument) for an unknown choice.
/// "auto" leaves CUPTI's counters alone before Hopper: there one program's use locks them for all others.
std::unique_ptr<Source> openSource(const DeviceInfo&, std::string_view choice = "auto", std::vector<std::string>* refusals = nullptr);

/// What the hardware's counters are set up for: they cannot tell both at once.
enum class Counters { Processors, Caches };
/// CUPTI's counters of a GPU, for whoever measures; smPercent of the samples is the source's quantity, SM or L1 throughput.
/// Throws Error(Device) with the reason where they cannot be had.
std::unique_ptr<Source> openCounters(const DeviceInfo&, Counters);

/// Reads a source on a thread of its own into a ring buffer of the last 2^16 samples, which the window polls.
/// The source is opened there too: it may take a second to load what it needs.
class Sampler {
public:
    using Opener = std::function<std::unique_ptr<Source>(std::vector<std::string>& refusals)>;
    explicit Sampler(Opener);
    ~Sampler();

    SourceInfo info() const; ///< without an id until the source is open, and when there is none
    /// Why better sources are not used.
    std::vector<std::string> refusals() const;
    /// Samples after the cursor (a running number, start with 0); moves the cursor.
    std::vector<Sample> samplesSince(std::uint64_t& cursor) const;
    /// Empty while the source is alive; also tells why none could be opened.
    std::string lostReason() const;
    double now() const; ///< on the samples' clock

private:
    void loop(const std::stop_token&);
    std::unique_ptr<Source> open();
    void store(const std::vector<Sample>&);

    Opener m_open;
    mutable std::mutex m_mutex;
    SourceInfo m_info;
    std::vector<std::string> m_refusals;
    std::vector<Sample> m_ring;
    std::uint64_t m_written = 0;
    std::string m_lostReason;
    double m_start = 0;
    std::jthread m_thread;
};

} // namespace kernels::telemetry
