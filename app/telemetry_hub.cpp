// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/telemetry_hub.h"

#include <cmath>
#include <limits>
#include <utility>

namespace app {

namespace {

std::unique_ptr<kernels::telemetry::Source> openBest(const kernels::DeviceId& id, const std::string& choice,
                                                     std::vector<std::string>& refusals)
{
    return kernels::telemetry::openSource(kernels::device(id), choice, &refusals);
}

bool isLost(const kernels::telemetry::Sampler& sampler) { return !sampler.lostReason().empty(); }

} // namespace

TelemetryHub::TelemetryHub()
    : TelemetryHub(&openBest, 10)
{
}

TelemetryHub::TelemetryHub(Opener open, double retryAfterSeconds)
    : m_open(std::move(open))
    , m_retryAfterSeconds(retryAfterSeconds)
{
}

void TelemetryHub::choose(std::string source)
{
    const std::lock_guard lock(m_mutex);
    if (source == m_choice)
        return;
    m_choice = std::move(source);
    for (auto& [device, sampler] : m_samplers)
        end(std::move(sampler));
    m_samplers.clear();
}

TelemetryHub::SamplerPtr TelemetryHub::sampler(const kernels::DeviceId& id)
{
    const std::lock_guard lock(m_mutex);
    SamplerPtr& sampler = m_samplers[kernels::toString(id)];
    if (sampler && m_choice != "none" && isLost(*sampler) && sampler->now() > m_retryAfterSeconds)
        end(std::exchange(sampler, nullptr));
    if (!sampler)
        sampler = living(kernels::toString(id));
    if (!sampler)
        sampler = open(id);
    return sampler;
}

TelemetryHub::SamplerPtr TelemetryHub::living(const std::string& device)
{
    std::erase_if(m_living, [](const Living& entry) { return entry.sampler.expired(); });
    for (const Living& entry : m_living) {
        SamplerPtr sampler = entry.sampler.lock();
        if (!sampler || entry.device != device || isLost(*sampler))
            continue;
        const std::string source = sampler->info().id;
        if (entry.choice == m_choice || source == m_choice || (m_choice == "auto" && source == "cupti-pm"))
            return sampler;
    }
    return nullptr;
}

TelemetryHub::SamplerPtr TelemetryHub::open(const kernels::DeviceId& id)
{
    auto sampler = std::make_shared<kernels::telemetry::Sampler>(
        [open = m_open, id, choice = m_choice](std::vector<std::string>& refusals) { return open(id, choice, refusals); });
    m_living.push_back({kernels::toString(id), m_choice, sampler});
    return sampler;
}

/// Where nobody else uses it, its thread is waited for, not here.
void TelemetryHub::end(SamplerPtr sampler)
{
    if (sampler)
        m_ending.emplace_back([ended = std::move(sampler)]() mutable { ended.reset(); });
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
