// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/device_list.h"

#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/cpu_device.h"
#include "kernels/device/cuda_module.h"
#include "kernels/device/nvml_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/info.h>

#include <exception>
#include <fstream>
#include <sstream>

namespace kernels {
namespace {

/// The value behind "key" in a file of lines "key : value", as /proc writes them; empty where there is none.
std::string procValue(const char* file, std::string_view key)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(':');
        if (!line.starts_with(key) || colon == std::string::npos)
            continue;
        const auto first = line.find_first_not_of(" \t", colon + 1);
        return first == std::string::npos ? std::string{} : line.substr(first);
    }
    return {};
}

std::uint64_t memoryValue(std::string_view key)
{
    std::istringstream text(procValue("/proc/meminfo", key));
    std::uint64_t kibibytes = 0;
    text >> kibibytes;
    return kibibytes * 1024;
}

struct DeviceList {
    std::vector<DeviceInfo> devices;
    std::string cudaProblem; ///< empty when a CUDA device is listed
};

std::string withPrefix(const std::string& reason)
{
    return reason.starts_with("no CUDA device") ? reason : fmt::format("no CUDA device: {}", reason);
}

DeviceList makeList()
{
    DeviceList list{{cpuDevice()}, {}};
    const BackEnds& table = backEnds();
    if (!table.cudaDevices) {
        list.cudaProblem = withPrefix(cudaModuleProblem());
        return list;
    }
    try {
        for (DeviceInfo& info : table.cudaDevices())
            list.devices.push_back(std::move(info));
        if (list.devices.size() == 1)
            list.cudaProblem = "no CUDA device: the driver reports none";
    } catch (const std::exception& e) {
        list.cudaProblem = withPrefix(e.what());
    }
    return list;
}

const DeviceList& deviceList()
{
    static const DeviceList list = makeList();
    return list;
}

} // namespace

const DeviceInfo& cpuDevice()
{
    static const DeviceInfo cpu = [] {
        DeviceInfo info;
        info.name = procValue("/proc/cpuinfo", "model name");
        if (info.name.empty())
            info.name = "CPU";
        info.memoryTotal = memoryValue("MemTotal");
        info.processors = tbb::info::default_concurrency();
        return info;
    }();
    return cpu;
}

const std::vector<DeviceInfo>& devices() { return deviceList().devices; }

DeviceInfo device(const DeviceId& id)
{
    if (id == cpuDevice().id)
        return cpuDevice(); // whoever computes on the CPU waits for no driver
    std::vector<std::string> usable;
    for (const DeviceInfo& info : devices()) {
        if (info.id == id && !info.problem.empty())
            throw Error(ErrorKind::NoDevice,
                        {fmt::format("this device cannot be used: {}", info.problem), toString(id), {}, {}, "Choose another device."});
        if (info.id == id)
            return info;
        if (info.problem.empty())
            usable.push_back(toString(info.id));
    }
    if (id.kind == DeviceKind::Cuda && !cudaAbsenceReason().empty())
        throw Error(ErrorKind::NoDevice, {cudaAbsenceReason(), toString(id), {}, {}, "Choose the CPU."});
    throw Error(ErrorKind::NoDevice, {"there is no such device", toString(id), {}, fmt::format("one of {}", fmt::join(usable, ", ")), {}});
}

ComputeCapability computeCapability(const DeviceId& id)
{
    for (const DeviceInfo& info : devices())
        if (info.id == id)
            return {info.computeMajor, info.computeMinor};
    return {};
}

const std::string& cudaAbsenceReason() { return deviceList().cudaProblem; }

void startDevice(const DeviceId& id) noexcept
{
    if (id.kind == DeviceKind::Cpu)
        return;
    try {
        device(id);
        (void)backEnds().cudaFreeMemory(id.index); // makes a context
    } catch (const std::exception&) {
        // reported by the run
    }
}

std::optional<std::uint64_t> freeMemory(const DeviceId& id, StartDevice start)
{
    if (id.kind == DeviceKind::Cpu)
        return availableHostMemory();
    try {
        const DeviceInfo info = device(id);
        if (const auto free = nvmlFreeMemory(info.uuid))
            return free;
        if (start == StartDevice::IfNeeded)
            return backEnds().cudaFreeMemory(id.index);
    } catch (const std::exception&) {
        // a device that does not answer has no number to show
    }
    return std::nullopt;
}

} // namespace kernels
