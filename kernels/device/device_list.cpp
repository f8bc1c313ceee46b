// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/device_list.h"

#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/cuda_module.h"

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

DeviceInfo cpu()
{
    DeviceInfo info;
    info.name = procValue("/proc/cpuinfo", "model name");
    if (info.name.empty())
        info.name = "CPU";
    info.memoryTotal = memoryValue("MemTotal");
    info.memoryFree = availableHostMemory();
    info.processors = tbb::info::default_concurrency();
    return info;
}

struct CudaDevices {
    std::vector<DeviceInfo> devices;
    std::string problem; ///< empty when there is at least one device
};

std::string withPrefix(const std::string& reason)
{
    return reason.starts_with("no CUDA device") ? reason : fmt::format("no CUDA device: {}", reason);
}

CudaDevices cudaDevices()
{
    CudaDevices result;
    const BackEnds& table = backEnds();
    if (!table.cudaDevices) {
        result.problem = withPrefix(cudaModuleProblem());
        return result;
    }
    try {
        result.devices = table.cudaDevices();
        if (result.devices.empty())
            result.problem = "no CUDA device: the driver reports none";
    } catch (const std::exception& e) {
        result.problem = withPrefix(e.what());
    }
    return result;
}

} // namespace

std::vector<DeviceInfo> devices()
{
    std::vector<DeviceInfo> all{cpu()};
    for (DeviceInfo& info : cudaDevices().devices)
        all.push_back(std::move(info));
    return all;
}

DeviceInfo device(const DeviceId& id)
{
    if (id.kind == DeviceKind::Cpu)
        return cpu();
    const CudaDevices cuda = cudaDevices();
    if (!cuda.problem.empty())
        throw Error(ErrorKind::NoDevice, {cuda.problem, toString(id), {}, {}, "Choose the CPU."});
    std::vector<std::string> present;
    for (const DeviceInfo& info : cuda.devices) {
        if (info.id == id)
            return info;
        present.push_back(toString(info.id));
    }
    throw Error(ErrorKind::NoDevice,
                {"there is no such device", toString(id), {}, fmt::format("one of cpu, {}", fmt::join(present, ", ")), {}});
}

std::string cudaAbsenceReason() { return cudaDevices().problem; }

} // namespace kernels
