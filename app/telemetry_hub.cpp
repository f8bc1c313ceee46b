// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/telemetry_hub.h"

#include <cmath>
#include <limits>

namespace app {

void TelemetryHub::choose(std::string source)
{
    const std::lock_guard lock(m_mutex);
    if (source == m_choice)
        return;
    m_choice = std::move(source);
    m_samplers.clear();
}

TelemetryHub::SamplerPtr TelemetryHub::sampler(const kernels::DeviceId& id)
{
    namespace telemetry = kernels::telemetry;
    const std::lock_guard lock(m_mutex);
    SamplerPtr& sampler = m_samplers[kernels::toString(id)];
    if (!sampler)
        sampler = std::make_shared<telemetry::Sampler>([id, choice = m_choice](std::vector<std::string>& refusals) {
            return telemetry::openSource(kernels::device(id), choice, &refusals);
        });
    return sampler;
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
