// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/device/nvml.h"
#include "kernels/telemetry/sources.h"

namespace kernels::telemetry {
namespace {

/// The share of time with any kernel going: 100 for one thread as for a full device. Every driver has it, and
/// its name says that it is no SM throughput. dramPercent stays empty: what NVML calls memory utilisation is again a share of time.
class UtilisationSource final : public Source {
public:
    explicit UtilisationSource(const DeviceInfo& device)
        : m_nvml("NVML utilisation")
        , m_device(m_nvml.find(device))
    {
        m_nvml.require(m_utilisation, "nvmlDeviceGetUtilizationRates");
        m_info.id = "nvml-utilisation";
        m_info.title = "NVML utilisation";
        m_info.metric = "nvmlDeviceGetUtilizationRates.gpu";
        m_info.quantity = "GPU busy, not SM throughput";
        m_info.coarse = true;
        m_info.deviceName = device.name;
        m_info.deviceUuid = device.uuid;
        read(); // a device that does not tell is refused here
    }
    const SourceInfo& info() const override { return m_info; }

    std::vector<Sample> read() override
    {
        nvml::Utilisation now{};
        m_nvml.check(m_utilisation(m_device, &now), "nvmlDeviceGetUtilizationRates");
        Sample sample;
        sample.smPercent = static_cast<float>(now.gpu);
        sample.memoryBytes = m_nvml.memory(m_device).used;
        sample.powerWatts = m_nvml.powerWatts(m_device);
        return {sample};
    }

private:
    nvml::Library m_nvml;
    nvml::Device m_device;
    SourceInfo m_info;
    int (*m_utilisation)(nvml::Device, nvml::Utilisation*) = nullptr;
};

} // namespace

std::unique_ptr<Source> openNvmlUtilisationSource(const DeviceInfo& device) { return std::make_unique<UtilisationSource>(device); }

} // namespace kernels::telemetry
