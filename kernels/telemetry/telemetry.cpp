// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/telemetry/telemetry.h"

#include "kernels/base/error.h"
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

} // namespace

std::unique_ptr<Source> openSource(const DeviceInfo& device, std::vector<std::string>* refusals)
{
    if (device.id.kind == DeviceKind::Cuda) {
        try {
            return openNvmlGpmSource(device);
        } catch (const Error& error) {
            if (refusals)
                refusals->push_back(error.what());
        }
    }
    return openCpuSource(device);
}

Sampler::Sampler(std::unique_ptr<Source> source)
    : m_source(std::move(source))
    , m_info(m_source->info())
    , m_start(steadySeconds())
    , m_thread([this](std::stop_token stop) { loop(std::move(stop)); })
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

void Sampler::loop(std::stop_token stop)
{
    std::mutex sleepMutex;
    std::condition_variable_any sleeper;
    const auto interval = std::chrono::milliseconds(std::max(1U, m_info.intervalMs));
    auto next = std::chrono::steady_clock::now() + interval;
    try {
        while (!stop.stop_requested()) {
            {
                std::unique_lock lock(sleepMutex);
                sleeper.wait_until(lock, stop, next, [] { return false; });
            }
            if (stop.stop_requested())
                return;
            Sample sample = m_source->read();
            sample.seconds = now();
            {
                const std::lock_guard lock(m_mutex);
                if (m_ring.size() < ringSize)
                    m_ring.push_back(sample);
                else
                    m_ring[m_written % ringSize] = sample;
                ++m_written;
            }
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
