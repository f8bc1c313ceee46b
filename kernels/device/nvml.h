// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

#include <cstdint>
#include <string>

/// The driver's management library, opened at run time: the CUDA toolkit brings neither its header nor a library to link.
namespace kernels::nvml {

using Device = struct DeviceHandle*;
using GpmSample = struct GpmSampleHandle*;

struct Memory {
    unsigned long long total, free, used;
};
struct Utilisation {
    unsigned gpu, memory; ///< % of the time with a kernel / a memory transfer going
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
    GpmMetric metrics[400]; ///< the driver's own array has grown from 98 to 333 so far; only `count` are read
};

/// libnvidia-ml.so.1, opened and initialised; closed with its last user. Throws Error(Device) with the reason.
class Library {
public:
    explicit Library(std::string user); ///< "NVML GPM": whose name the errors carry
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    void check(int status, const char* call) const;
    [[noreturn]] void refuse(const std::string& reason) const;
    /// A function that not every driver has. Throws, naming it.
    template <class Function> void require(Function& function, const char* name) const
    {
        function = reinterpret_cast<Function>(symbol(name));
    }
    /// CUDA and NVML number devices differently; UUID and bus id are the same in both.
    Device find(const DeviceInfo&) const;
    Device findUuid(const std::string&) const; ///< null: no such device
    Memory memory(Device) const;
    float powerWatts(Device) const; ///< NaN: not every board tells

    static constexpr int success = 0;

private:
    void* symbol(const char* name) const;
    void initialise();
    void close();

    std::string m_user;
    void* m_library = nullptr;
    bool m_initialised = false;
    int (*m_shutdown)() = nullptr;
    const char* (*m_errorString)(int) = nullptr;
    int (*m_handleByPciBusId)(const char*, Device*) = nullptr;
    int (*m_handleByUuid)(const char*, Device*) = nullptr;
    int (*m_memoryInfo)(Device, Memory*) = nullptr;
    int (*m_powerUsage)(Device, unsigned*) = nullptr;
};

} // namespace kernels::nvml
