// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/telemetry_hub.h"

#include <cmath>
#include <limits>

namespace app {
TelemetryHub::Device TelemetryHub::open(const kernels::DeviceId& id)
{
    const std::lock_guard lock(m_mutex);
    const std::string key = kernels::toString(id);
    if (const auto known = m_devices.find(key); known != m_devices.end())
        return known->second;
    Device device;
    try {
        auto source = kernels::telemetry::openSource(kernels::device(id), &device.refusals);
        if (source)
            device.sampler = std::make_shared<kernels::telemetry::Sampler>(std::move(source));
    } catch (const std::exception& failure) {
        device.refusals.emplace_back(failure.what());
    }
    return m_devices.emplace(key, device).first->second;
}

TelemetryRecorder::TelemetryRecorder(std::shared_ptr<kernels::telemetry::Sampler> sampler)
    : m_sampler(std::move(sampler))
    , m_start(m_sampler->now())
{
    m_sampler->samplesSince(m_cursor); // what was before the run
}

void TelemetryRecorder::collect()
{
    for (kernels::telemetry::Sample sample : m_sampler->samplesSince(m_cursor)) {
        if (std::isfinite(sample.smPercent)) {
            m_sum += static_cast<double>(sample.smPercent);
            ++m_summed;
        }
        sample.seconds -= m_start;
        m_samples.add(sample);
    }
}

void ThinnedSamples::add(const kernels::telemetry::Sample& sample)
{
    if (m_seen++ % m_stride != 0)
        return;
    if (m_samples.size() == limit) {
        for (std::size_t i = 0; i < limit / 2; ++i)
            m_samples[i] = m_samples[2 * i];
        m_samples.resize(limit / 2);
        m_stride *= 2;
    }
    m_samples.push_back(sample);
}

double TelemetryRecorder::meanSinceLastCall()
{
    const double mean = m_summed ? m_sum / static_cast<double>(m_summed) : std::numeric_limits<double>::quiet_NaN();
    m_sum = 0;
    m_summed = 0;
    return mean;
}

} // namespace app
