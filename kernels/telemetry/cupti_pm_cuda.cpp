// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#ifdef POLYAD_WITH_CUPTI
#include "kernels/telemetry/cupti_pm.h"

#include "kernels/base/error.h"
#include "kernels/device/nvml.h"
#include "kernels/telemetry/cupti.cuh"

#include <algorithm>
#include <optional>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace kernels::telemetry {
namespace {

using cupti::Configuration;
using cupti::Library;

constexpr unsigned sampleEveryMs = 10;
constexpr unsigned decodeEveryMs = 100;
/// Room for a few seconds in which nobody decodes; then the oldest go first.
constexpr std::size_t hardwareBufferBytes = std::size_t{32} << 20;
constexpr std::uint32_t samplesPerDecode = 2048;

/// The device's counters, sampled by the hardware every 10 ms into a buffer that read() decodes.
class CuptiPmSource final : public Source {
public:
    CuptiPmSource(const DeviceInfo& device, Counters counters)
        : m_index(static_cast<std::size_t>(device.id.index))
    {
        POLYAD_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, start);
        m_cupti.check(m_cupti.cuptiProfilerInitialize(&start), "cuptiProfilerInitialize");
        requireSupport(device);
        m_configuration = cupti::onePassConfiguration(chipName(), availability(), counters);
        describe(device);
        openMemoryReader(device);
        enable();
        try {
            configure(device);
            startSampling();
        } catch (...) {
            disable();
            throw;
        }
    }

    ~CuptiPmSource() override
    {
        stopSampling();
        disable();
    }
    CuptiPmSource(const CuptiPmSource&) = delete;
    CuptiPmSource& operator=(const CuptiPmSource&) = delete;

    const SourceInfo& info() const override { return m_info; }

    std::vector<Sample> read() override
    {
        const bool overflown = !decode();
        const std::uint64_t memory = m_nvml ? m_nvml->memory(m_nvmlDevice).used : 0;
        const float power = m_nvml ? m_nvml->powerWatts(m_nvmlDevice) : Sample{}.powerWatts;
        std::vector<Sample> samples = decodedSamples();
        for (Sample& sample : samples) {
            sample.memoryBytes = memory;
            sample.powerWatts = power;
        }
        initialiseImage();
        if (overflown) { // nobody read for too long (a machine asleep): begin anew, with a gap
            stopSampling();
            startSampling();
            samples.emplace_back();
        }
        return samples;
    }

private:
    void requireSupport(const DeviceInfo& device) const
    {
        POLYAD_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, support);
        support.cuDevice = static_cast<int>(m_index);
        support.api = CUPTI_PROFILER_PM_SAMPLING;
        m_cupti.check(m_cupti.cuptiProfilerDeviceSupported(&support), "cuptiProfilerDeviceSupported");
        if (support.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
            Library::refuse(
                fmt::format("{} cannot be sampled as it is set up (virtualised, confidential, or not of a kind it knows)", device.name));
    }

    const char* chipName() const
    {
        POLYAD_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
        chip.deviceIndex = m_index;
        m_cupti.check(m_cupti.cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName");
        return chip.pChipName;
    }

    std::vector<std::uint8_t> availability() const
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_GetCounterAvailability_Params, counters);
        counters.deviceIndex = m_index;
        m_cupti.check(m_cupti.cuptiPmSamplingGetCounterAvailability(&counters), "cuptiPmSamplingGetCounterAvailability");
        std::vector<std::uint8_t> image(counters.counterAvailabilityImageSize);
        counters.pCounterAvailabilityImage = image.data();
        m_cupti.check(m_cupti.cuptiPmSamplingGetCounterAvailability(&counters), "cuptiPmSamplingGetCounterAvailability");
        return image;
    }

    void describe(const DeviceInfo& device)
    {
        m_info.id = "cupti-pm";
        m_info.title = "CUPTI PM sampling";
        m_info.metric = m_configuration->set().metrics.front();
        m_info.quantity = m_configuration->set().quantity;
        m_info.intervalMs = sampleEveryMs;
        m_info.readEveryMs = decodeEveryMs;
        m_info.deviceName = device.name;
        m_info.deviceUuid = device.uuid;
    }

    /// Memory and power are NVML's to tell; without it they stay unknown.
    void openMemoryReader(const DeviceInfo& device)
    {
        try {
            m_nvml.emplace("NVML");
            m_nvmlDevice = m_nvml->find(device);
            m_nvml->memory(m_nvmlDevice);
        } catch (const Error&) {
            m_nvml.reset();
        }
    }

    void enable()
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_Enable_Params, enable);
        enable.deviceIndex = m_index;
        m_cupti.check(m_cupti.cuptiPmSamplingEnable(&enable), "cuptiPmSamplingEnable");
        m_sampling = enable.pPmSamplingObject;
    }

    void disable()
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_Disable_Params, disable);
        disable.pPmSamplingObject = m_sampling;
        (void)m_cupti.cuptiPmSamplingDisable(&disable);
    }

    void configure(const DeviceInfo& device)
    {
        // Turing and GA100 have no fixed clock to trigger on; their system clock runs at some 1.4 GHz.
        const bool byTime = device.computeMajor > 8 || (device.computeMajor == 8 && device.computeMinor > 0);
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params, config);
        config.pPmSamplingObject = m_sampling;
        config.configSize = m_configuration->image().size();
        config.pConfig = m_configuration->image().data();
        config.hardwareBufferSize = hardwareBufferBytes;
        config.samplingInterval = std::uint64_t{sampleEveryMs} * (byTime ? 1'000'000 : 1'400'000);
        config.triggerMode = byTime ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
        config.hwBufferAppendMode = device.computeMajor >= 8 ? CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_LATEST
                                                             : CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
        m_cupti.check(m_cupti.cuptiPmSamplingSetConfig(&config), "cuptiPmSamplingSetConfig");

        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, size);
        size.pPmSamplingObject = m_sampling;
        size.pMetricNames = const_cast<const char**>(m_configuration->names().data());
        size.numMetrics = m_configuration->names().size();
        size.maxSamples = samplesPerDecode;
        m_cupti.check(m_cupti.cuptiPmSamplingGetCounterDataSize(&size), "cuptiPmSamplingGetCounterDataSize");
        m_image.resize(size.counterDataSize);
        initialiseImage();
    }

    void initialiseImage()
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params, image);
        image.pPmSamplingObject = m_sampling;
        image.counterDataSize = m_image.size();
        image.pCounterData = m_image.data();
        m_cupti.check(m_cupti.cuptiPmSamplingCounterDataImageInitialize(&image), "cuptiPmSamplingCounterDataImageInitialize");
    }

    void startSampling()
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_Start_Params, start);
        start.pPmSamplingObject = m_sampling;
        m_cupti.check(m_cupti.cuptiPmSamplingStart(&start), "cuptiPmSamplingStart");
    }

    void stopSampling()
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_Stop_Params, stop);
        stop.pPmSamplingObject = m_sampling;
        (void)m_cupti.cuptiPmSamplingStop(&stop);
    }

    /// False when the hardware's buffer had no room left for all samples.
    bool decode()
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params, decode);
        decode.pPmSamplingObject = m_sampling;
        decode.pCounterDataImage = m_image.data();
        decode.counterDataImageSize = m_image.size();
        const CUptiResult result = m_cupti.cuptiPmSamplingDecodeData(&decode);
        if (result == CUPTI_ERROR_OUT_OF_MEMORY)
            return false;
        m_cupti.check(result, "cuptiPmSamplingDecodeData");
        return decode.overflow == 0;
    }

    /// Ages count from the end of the newest sample, which is at most an interval ago.
    std::vector<Sample> decodedSamples()
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
        info.pCounterDataImage = m_image.data();
        info.counterDataImageSize = m_image.size();
        m_cupti.check(m_cupti.cuptiPmSamplingGetCounterDataInfo(&info), "cuptiPmSamplingGetCounterDataInfo");
        std::vector<Sample> samples;
        const std::uint64_t newest = info.numCompletedSamples ? endOf(info.numCompletedSamples - 1) : 0;
        for (std::size_t i = 0; i < info.numCompletedSamples; ++i) {
            const std::uint64_t end = endOf(i);
            const bool stale = end <= m_lastEnd || m_lastEnd == 0; // the very first carries a time stamp of before
            m_lastEnd = std::max(m_lastEnd, end);
            if (!stale)
                samples.push_back(sampleOf(i, -1e-9 * static_cast<double>(newest - std::min(newest, end))));
        }
        return samples;
    }

    std::uint64_t endOf(std::size_t index) const
    {
        POLYAD_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, info);
        info.pPmSamplingObject = m_sampling;
        info.pCounterDataImage = m_image.data();
        info.counterDataImageSize = m_image.size();
        info.sampleIndex = index;
        m_cupti.check(m_cupti.cuptiPmSamplingCounterDataGetSampleInfo(&info), "cuptiPmSamplingCounterDataGetSampleInfo");
        return info.endTimestamp;
    }

    Sample sampleOf(std::size_t index, double seconds) const
    {
        const std::vector<double> values = m_configuration->evaluate(m_image, index);
        const auto percent = [](double value) { // NaN, which breaks the line, for what is none
            return value >= 0 && value <= 101 ? static_cast<float>(std::min(value, 100.0)) : Sample{}.smPercent;
        };
        Sample sample;
        sample.seconds = seconds;
        sample.smPercent = percent(values.front());
        if (values.size() > 1)
            sample.dramPercent = percent(values[1]);
        return sample;
    }

    const Library& m_cupti = Library::instance();
    std::size_t m_index;
    std::unique_ptr<Configuration> m_configuration;
    SourceInfo m_info;
    std::optional<nvml::Library> m_nvml;
    nvml::Device m_nvmlDevice = nullptr;
    CUpti_PmSampling_Object* m_sampling = nullptr;
    std::vector<std::uint8_t> m_image;
    std::uint64_t m_lastEnd = 0;
};

} // namespace

std::unique_ptr<Source> openCuptiPm(const DeviceInfo& device, Counters counters)
{
    return std::make_unique<CuptiPmSource>(device, counters);
}

} // namespace kernels::telemetry
#endif
