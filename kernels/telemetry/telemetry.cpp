// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/telemetry/telemetry.h"

#include "kernels/base/error.h"
#include "kernels/device/back_ends.h"
#include "kernels/telemetry/sources.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <stop_token>

namespace kernels::telemetry {
namespace {

constexpr std::uint64_t ringSize = std::uint64_t{1} << 16;

double steadySeconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The chain, best first. Each is tried only for the devices it can speak of.
struct Link {
    SourceChoice choice;
    bool cudaOnly;
    std::unique_ptr<Source> (*open)(const DeviceInfo&);
    int unaskedFrom = 0; ///< compute capability from which "auto" tries it
};

const std::vector<Link>& chain()
{
    static const std::vector<Link> links{
        {{"cupti-pm", "CUPTI PM sampling", "hardware counters, 100 times a second; before Hopper it keeps other profilers out"},
         true,
         &openCuptiPmSource,
         9},
        {{"nvml-gpm", "NVML GPM", "the driver's own counters, Hopper and later"}, true, &openNvmlGpmSource},
        {{"nvml-utilisation", "NVML utilisation", "share of time with any kernel going; not SM throughput"},
         true,
         &openNvmlUtilisationSource},
        {{"cpu", "CPU use", "CPU time of this process"}, false, &openCpuSource}};
    return links;
}

} // namespace

const std::vector<SourceChoice>& sourceChoices()
{
    static const std::vector<SourceChoice> choices = [] {
        std::vector<SourceChoice> all{{"auto", "Automatic", "the best source that can be had"}};
        for (const Link& link : chain())
            all.push_back(link.choice);
        all.push_back({"none", "None", "measure nothing"});
        return all;
    }();
    return choices;
}

std::string sourceChoicesText()
{
    std::string text;
    for (const SourceChoice& choice : sourceChoices())
        text += (text.empty() ? "" : ", ") + choice.id;
    return text;
}

void requireSourceChoice(std::string_view id, const std::string& where)
{
    const auto& all = sourceChoices();
    if (std::none_of(all.begin(), all.end(), [&](const SourceChoice& choice) { return choice.id == id; }))
        throw Error(ErrorKind::BadArgument,
                    {"there is no such source of telemetry", where, std::string(id), "one of " + sourceChoicesText(), {}});
}

std::unique_ptr<Source> openSource(const DeviceInfo& device, std::string_view choice, std::vector<std::string>* refusals)
{
    requireSourceChoice(choice);
    if (choice == "none")
        return nullptr;
    const auto& links = chain();
    auto link = links.begin();
    if (choice != "auto")
        link = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.choice.id == choice; });
    for (; link != links.end(); ++link) {
        const bool unasked = choice == "auto" && device.computeMajor < link->unaskedFrom;
        if (link->cudaOnly && (device.id.kind != DeviceKind::Cuda || unasked))
            continue;
        try {
            return link->open(device);
        } catch (const Error& error) {
            if (refusals)
                refusals->push_back(error.what());
        }
    }
    return nullptr;
}

std::unique_ptr<Source> openCuptiPmSource(const DeviceInfo& device) { return openCounters(device, Counters::Processors); }

std::unique_ptr<Source> openCounters(const DeviceInfo& device, Counters counters)
{
    if (device.id.kind != DeviceKind::Cuda)
        throw Error(ErrorKind::Device, {"only GPUs have them", "hardware counters", device.name, {}, {}});
    const auto& open = backEnds().cuptiPmSource;
    if (!open)
        throw Error(ErrorKind::Device, {"this build has no CUPTI", "CUPTI PM sampling", {}, {}, {}});
    return open(device, counters);
}

Sampler::Sampler(Opener open)
    : m_open(std::move(open))
    , m_start(steadySeconds())
    , m_thread([this](const std::stop_token& stop) { loop(stop); })
{
}

Sampler::~Sampler() = default; // m_thread is the last member: it is asked to stop and joined first

double Sampler::now() const { return steadySeconds() - m_start; }

std::string Sampler::lostReason() const
{
    const std::lock_guard lock(m_mutex);
    return m_lostReason;
}

std::vector<Sample> Sampler::samplesSince(std::uint64_t& cursor) const
{
    const std::lock_guard lock(m_mutex);
    const std::uint64_t oldest = m_written - m_ring.size();
    std::vector<Sample> samples;
    samples.reserve(m_written - std::clamp(cursor, oldest, m_written));
    for (std::uint64_t i = std::clamp(cursor, oldest, m_written); i < m_written; ++i)
        samples.push_back(m_ring[i % ringSize]);
    cursor = m_written;
    return samples;
}

SourceInfo Sampler::info() const
{
    const std::lock_guard lock(m_mutex);
    return m_info;
}

std::vector<std::string> Sampler::refusals() const
{
    const std::lock_guard lock(m_mutex);
    return m_refusals;
}

std::unique_ptr<Source> Sampler::open()
{
    std::vector<std::string> refusals;
    auto source = m_open(refusals);
    const std::lock_guard lock(m_mutex);
    m_refusals = std::move(refusals);
    if (source)
        m_info = source->info();
    else
        m_lostReason = m_refusals.empty() ? "nothing is measured" : m_refusals.back();
    return source;
}

void Sampler::store(const std::vector<Sample>& samples)
{
    const double now = this->now();
    const std::lock_guard lock(m_mutex);
    for (Sample sample : samples) {
        sample.seconds += now;
        if (m_ring.size() < ringSize)
            m_ring.push_back(sample);
        else
            m_ring[m_written % ringSize] = sample;
        ++m_written;
    }
}

void Sampler::loop(const std::stop_token& stop)
{
    std::mutex sleepMutex;
    std::condition_variable_any sleeper;
    try {
        const std::unique_ptr<Source> source = open();
        if (!source)
            return;
        const SourceInfo& info = source->info();
        const auto interval = std::chrono::milliseconds(std::max(1U, info.readEveryMs ? info.readEveryMs : info.intervalMs));
        auto next = std::chrono::steady_clock::now() + interval;
        while (!stop.stop_requested()) {
            {
                std::unique_lock lock(sleepMutex);
                sleeper.wait_until(lock, stop, next, [] { return false; });
            }
            if (stop.stop_requested())
                return;
            store(source->read());
            // After a suspended machine or a slow read there is no burst of readings to catch up.
            next = std::max(next + interval, std::chrono::steady_clock::now() + interval / 2);
        }
    } catch (const std::exception& error) {
        const std::lock_guard lock(m_mutex);
        m_lostReason = error.what();
        if (m_lostReason.empty())
            m_lostReason = "the source was lost";
    }
}

} // namespace kernels::telemetry
