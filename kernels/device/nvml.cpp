// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/nvml.h"

#include "kernels/base/error.h"

#include <limits>

#include <dlfcn.h>
#include <fmt/format.h>

namespace kernels::nvml {

Library::Library(std::string user)
    : m_user(std::move(user))
    , m_library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL))
{
    if (!m_library)
        refuse("the NVIDIA driver's library libnvidia-ml.so.1 is not installed");
    try {
        initialise();
    } catch (...) {
        close();
        throw;
    }
}

Library::~Library() { close(); }

void Library::initialise()
{
    require(m_errorString, "nvmlErrorString");
    int (*start)() = nullptr;
    require(start, "nvmlInit_v2");
    require(m_shutdown, "nvmlShutdown");
    require(m_handleByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2");
    require(m_handleByUuid, "nvmlDeviceGetHandleByUUID");
    require(m_memoryInfo, "nvmlDeviceGetMemoryInfo");
    require(m_powerUsage, "nvmlDeviceGetPowerUsage");
    check(start(), "nvmlInit");
    m_initialised = true;
}

void Library::close()
{
    if (m_initialised)
        m_shutdown();
    if (m_library)
        dlclose(m_library);
    m_initialised = false;
    m_library = nullptr;
}

void* Library::symbol(const char* name) const
{
    void* const found = dlsym(m_library, name);
    if (!found)
        refuse(fmt::format("the driver is too old: libnvidia-ml.so.1 has no {}", name));
    return found;
}

void Library::check(int status, const char* call) const
{
    if (status != success)
        refuse(fmt::format("{} failed: {}", call, m_errorString(status)));
}

void Library::refuse(const std::string& reason) const { throw Error(ErrorKind::Device, Error::Details{reason, m_user, {}, {}, {}}); }

Device Library::find(const DeviceInfo& device) const
{
    if (Device handle = findUuid(device.uuid))
        return handle;
    Device handle = nullptr;
    check(m_handleByPciBusId(device.pciBusId.c_str(), &handle), "nvmlDeviceGetHandleByPciBusId");
    return handle;
}

Device Library::findUuid(const std::string& uuid) const
{
    Device handle = nullptr;
    return !uuid.empty() && m_handleByUuid(uuid.c_str(), &handle) == success ? handle : nullptr;
}

Memory Library::memory(Device device) const
{
    Memory memory{};
    check(m_memoryInfo(device, &memory), "nvmlDeviceGetMemoryInfo");
    return memory;
}

float Library::powerWatts(Device device) const
{
    unsigned milliwatts = 0;
    if (m_powerUsage(device, &milliwatts) != success)
        return std::numeric_limits<float>::quiet_NaN();
    return static_cast<float>(milliwatts) / 1000.0F;
}

} // namespace kernels::nvml
