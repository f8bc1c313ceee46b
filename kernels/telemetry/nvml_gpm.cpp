// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/telemetry/sources.h"

#include <array>
#include <chrono>
#include <cmath>
#include <memory>

#include <dlfcn.h>
#include <fmt/format.h>

namespace kernels::telemetry {
namespace {

// The few declarations of nvml.h that are used here: the CUDA toolkit does not bring that header.
using NvmlDevice = struct NvmlDeviceHandle*;
using GpmSample = struct GpmSampleHandle*;

struct NvmlMemory {
    unsigned long long total, free, used;
};
struct GpmSupport {
    unsigned version, isSupported;
};
struct GpmMetric {
    unsigned id;
    int status;
    double value;
    struct {
        char *shortName, *longName, *unit;
    } info;
};
struct GpmMetrics {
    unsigned version, count;
    GpmSample first, second;
    std::array<GpmMetric, 400> metrics; // the driver's own array has grown from 98 to 333 so far; only `count` are read
};

constexpr unsigned gpmGraphicsUtilisation = 1;
constexpr unsigned gpmSmUtilisation = 2;
constexpr unsigned gpmDramBandwidth = 10;
constexpr int nvmlSuccess = 0;
/// Below some 50 ms the driver reports success with zeros or NaN.
constexpr std::chrono::milliseconds shortestInterval{100};

/// libnvidia-ml.so.1, opened and initialised; closed with the last source.
class Nvml {
public:
    Nvml()
    {
        m_library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!m_library)
            refuse("the NVIDIA driver's library libnvidia-ml.so.1 is not installed");
        load(errorString, "nvmlErrorString");
        int (*initialise)() = nullptr;
        load(initialise, "nvmlInit_v2");
        load(m_shutdown, "nvmlShutdown");
        load(handleByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2");
        load(handleByUuid, "nvmlDeviceGetHandleByUUID");
        load(memoryInfo, "nvmlDeviceGetMemoryInfo");
        load(powerUsage, "nvmlDeviceGetPowerUsage");
        load(gpmSupport, "nvmlGpmQueryDeviceSupport");
        load(gpmAllocate, "nvmlGpmSampleAlloc");
        load(gpmFree, "nvmlGpmSampleFree");
        load(gpmSample, "nvmlGpmSampleGet");
        load(gpmMetrics, "nvmlGpmMetricsGet");
        const int status = initialise();
        if (status != nvmlSuccess) {
            const std::string reason = errorString(status);
            close();
            refuse("nvmlInit failed: " + reason);
        }
        m_initialised = true;
    }
    ~Nvml() { close(); }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    void check(int status, const char* call) const
    {
        if (status != nvmlSuccess)
            refuse(fmt::format("{} failed: {}", call, errorString(status)));
    }

    [[noreturn]] static void refuse(const std::string& reason)
    {
        throw Error(ErrorKind::Device, Error::Details{reason, "NVML GPM", {}, {}, {}});
    }

    const char* (*errorString)(int) = nullptr;
    int (*handleByPciBusId)(const char*, NvmlDevice*) = nullptr;
    int (*handleByUuid)(const char*, NvmlDevice*) = nullptr;
    int (*memoryInfo)(NvmlDevice, NvmlMemory*) = nullptr;
    int (*powerUsage)(NvmlDevice, unsigned*) = nullptr;
    int (*gpmSupport)(NvmlDevice, GpmSupport*) = nullptr;
    int (*gpmAllocate)(GpmSample*) = nullptr;
    int (*gpmFree)(GpmSample) = nullptr;
    int (*gpmSample)(NvmlDevice, GpmSample) = nullptr;
    int (*gpmMetrics)(GpmMetrics*) = nullptr;

private:
    template <class Function> void load(Function& function, const char* name)
    {
        function = reinterpret_cast<Function>(dlsym(m_library, name));
        if (!function) {
            close();
            refuse(fmt::format("the driver is too old: libnvidia-ml.so.1 has no {}", name));
        }
    }
    void close()
    {
        if (m_initialised)
            m_shutdown();
        if (m_library)
            dlclose(m_library);
        m_initialised = false;
        m_library = nullptr;
    }

    void* m_library = nullptr;
    int (*m_shutdown)() = nullptr;
    bool m_initialised = false;
};

/// Two samples in turn: each reading is the mean over the time since the one before.
class GpmSource final : public Source {
public:
    explicit GpmSource(const DeviceInfo& device)
        : m_device(findDevice(device))
    {
        GpmSupport support{1, 0};
        m_nvml.check(m_nvml.gpmSupport(m_device, &support), "nvmlGpmQueryDeviceSupport");
        if (!support.isSupported)
            Nvml::refuse(fmt::format("{} has no GPM counters (they begin with Hopper)", device.name));
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

    Sample read() override
    {
        std::this_thread::sleep_until(m_lastTime + shortestInterval);
        m_newest = 1 - m_newest;
        takeSample();
        Sample sample = readCounters();
        holdDoubtfulZero(sample);

        NvmlMemory memory{};
        m_nvml.check(m_nvml.memoryInfo(m_device, &memory), "nvmlDeviceGetMemoryInfo");
        sample.memoryBytes = memory.used;
        unsigned milliwatts = 0;
        if (m_nvml.powerUsage(m_device, &milliwatts) == nvmlSuccess) // not every board tells
            sample.powerWatts = static_cast<float>(milliwatts) / 1000.0F;
        return sample;
    }

private:
    using OwnedSample = std::unique_ptr<GpmSampleHandle, int (*)(GpmSample)>;

    NvmlDevice findDevice(const DeviceInfo& device) const
    {
        // CUDA and NVML number devices differently; UUID and bus id are the same in both.
        NvmlDevice handle = nullptr;
        if (!device.uuid.empty() && m_nvml.handleByUuid(device.uuid.c_str(), &handle) == nvmlSuccess)
            return handle;
        m_nvml.check(m_nvml.handleByPciBusId(device.pciBusId.c_str(), &handle), "nvmlDeviceGetHandleByPciBusId");
        return handle;
    }

    void allocateSamples()
    {
        for (OwnedSample& sample : m_samples) {
            GpmSample raw = nullptr;
            m_nvml.check(m_nvml.gpmAllocate(&raw), "nvmlGpmSampleAlloc");
            sample = OwnedSample(raw, m_nvml.gpmFree);
        }
    }

    void takeSample()
    {
        m_nvml.check(m_nvml.gpmSample(m_device, m_samples[m_newest].get()), "nvmlGpmSampleGet");
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
        m_nvml.check(m_nvml.gpmMetrics(&m_request), "nvmlGpmMetricsGet");
        Sample sample;
        sample.smPercent = percent(m_request.metrics[0]);
        sample.dramPercent = percent(m_request.metrics[1]);
        return sample;
    }

    /// NaN, which breaks the line, for what is not a percentage.
    static float percent(const GpmMetric& metric)
    {
        const bool plausible = metric.status == nvmlSuccess && metric.value >= 0 && metric.value <= 101; // false for NaN
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

    Nvml m_nvml;
    NvmlDevice m_device = nullptr;
    SourceInfo m_info;
    std::array<OwnedSample, 2> m_samples{OwnedSample(nullptr, nullptr), OwnedSample(nullptr, nullptr)};
    std::size_t m_newest = 0;
    std::chrono::steady_clock::time_point m_lastTime;
    GpmMetrics m_request{};
    bool m_wasBusy = false;
};

} // namespace

std::unique_ptr<Source> openNvmlGpmSource(const DeviceInfo& device) { return std::make_unique<GpmSource>(device); }

} // namespace kernels::telemetry
