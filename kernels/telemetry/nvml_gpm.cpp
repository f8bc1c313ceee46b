// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/device/nvml.h"
#include "kernels/telemetry/sources.h"

#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include <fmt/format.h>

namespace kernels::telemetry {
namespace {

constexpr unsigned gpmGraphicsUtilisation = 1;
constexpr unsigned gpmSmUtilisation = 2;
constexpr unsigned gpmDramBandwidth = 10;
/// Below some 50 ms the driver reports success with zeros or NaN.
constexpr std::chrono::milliseconds shortestInterval{100};

/// Two samples in turn: each reading is the mean over the time since the one before.
class GpmSource final : public Source {
public:
    explicit GpmSource(const DeviceInfo& device)
        : m_nvml("NVML GPM")
        , m_device(m_nvml.find(device))
    {
        int (*querySupport)(nvml::Device, nvml::GpmSupport*) = nullptr;
        m_nvml.require(querySupport, "nvmlGpmQueryDeviceSupport");
        m_nvml.require(m_allocate, "nvmlGpmSampleAlloc");
        m_nvml.require(m_free, "nvmlGpmSampleFree");
        m_nvml.require(m_takeSample, "nvmlGpmSampleGet");
        m_nvml.require(m_metrics, "nvmlGpmMetricsGet");
        nvml::GpmSupport support{1, 0};
        m_nvml.check(querySupport(m_device, &support), "nvmlGpmQueryDeviceSupport");
        if (!support.isSupported)
            m_nvml.refuse(fmt::format("{} has no GPM counters (they begin with Hopper)", device.name));
        m_info.id = "nvml-gpm";
        m_info.title = "NVML GPM";
        m_info.metric = "NVML_GPM_METRIC_SM_UTIL";
        m_info.quantity = "SM busy";
        m_info.deviceName = device.name;
        m_info.deviceUuid = device.uuid;
        allocateSamples();
        takeSample();
    }
    const SourceInfo& info() const override { return m_info; }

    std::vector<Sample> read() override
    {
        std::this_thread::sleep_until(m_lastTime + shortestInterval);
        m_newest = 1 - m_newest;
        takeSample();
        Sample sample = readCounters();
        holdDoubtfulZero(sample);

        sample.memoryBytes = m_nvml.memory(m_device).used;
        sample.powerWatts = m_nvml.powerWatts(m_device);
        return {sample};
    }

private:
    using OwnedSample = std::unique_ptr<nvml::GpmSampleHandle, int (*)(nvml::GpmSample)>;

    void allocateSamples()
    {
        for (OwnedSample& sample : m_samples) {
            nvml::GpmSample raw = nullptr;
            m_nvml.check(m_allocate(&raw), "nvmlGpmSampleAlloc");
            sample = OwnedSample(raw, m_free);
        }
    }

    void takeSample()
    {
        m_nvml.check(m_takeSample(m_device, m_samples[m_newest].get()), "nvmlGpmSampleGet");
        m_lastTime = std::chrono::steady_clock::now();
    }

    Sample readCounters()
    {
        m_request.version = 1;
        m_request.count = 3;
        m_request.first = m_samples[1 - m_newest].get();
        m_request.second = m_samples[m_newest].get();
        m_request.metrics[0] = {gpmSmUtilisation, 0, 0, {}};
        m_request.metrics[1] = {gpmDramBandwidth, 0, 0, {}};
        m_request.metrics[2] = {gpmGraphicsUtilisation, 0, 0, {}};
        m_nvml.check(m_metrics(&m_request), "nvmlGpmMetricsGet");
        Sample sample;
        sample.smPercent = percent(m_request.metrics[0]);
        sample.dramPercent = percent(m_request.metrics[1]);
        return sample;
    }

    /// NaN, which breaks the line, for what is not a percentage.
    static float percent(const nvml::GpmMetric& metric)
    {
        const bool plausible = metric.status == nvml::Library::success && metric.value >= 0 && metric.value <= 101; // false for NaN
        return plausible ? static_cast<float>(std::fmin(metric.value, 100.0)) : std::numeric_limits<float>::quiet_NaN();
    }

    /// The driver now and then answers a busy device with one reading of zeros. A first all-zero reading after
    /// a busy one is therefore left out; a second one in a row is believed.
    void holdDoubtfulZero(Sample& sample)
    {
        const bool zero = sample.smPercent == 0 && sample.dramPercent == 0;
        const bool doubtful = zero && m_wasBusy;
        m_wasBusy = sample.smPercent > 5;
        if (doubtful)
            sample.smPercent = sample.dramPercent = std::numeric_limits<float>::quiet_NaN();
    }

    nvml::Library m_nvml;
    nvml::Device m_device;
    SourceInfo m_info;
    std::array<OwnedSample, 2> m_samples{OwnedSample(nullptr, nullptr), OwnedSample(nullptr, nullptr)};
    int (*m_allocate)(nvml::GpmSample*) = nullptr;
    int (*m_free)(nvml::GpmSample) = nullptr;
    int (*m_takeSample)(nvml::Device, nvml::GpmSample) = nullptr;
    int (*m_metrics)(nvml::GpmMetrics*) = nullptr;
    std::size_t m_newest = 0;
    std::chrono::steady_clock::time_point m_lastTime;
    nvml::GpmMetrics m_request{};
    bool m_wasBusy = false;
};

} // namespace

std::unique_ptr<Source> openNvmlGpmSource(const DeviceInfo& device) { return std::make_unique<GpmSource>(device); }

} // namespace kernels::telemetry
