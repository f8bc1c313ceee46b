// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/require_memory.h"

#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/several_devices.h"

namespace kernels {

void requireMemory(const RunConfig& config, const MemoryUse& use, std::uint64_t freeBytes, const std::string& instead)
{
    const DeviceId& device = config.devices.front();
    const bool onCpu = device.kind == DeviceKind::Cpu;
    const std::string name = onCpu ? "the CPU" : config.devices.size() > 1 ? "each of " + toString(config.devices) : toString(device);
    const std::uint64_t limited = onCpu ? use.hostBytes : use.deviceBytes;
    if (config.memoryLimit && limited > config.memoryLimit)
        throw OutOfMemory(name, limited, config.memoryLimit, "Raise the run's memory limit, or " + instead);
    if (!onCpu && limited > freeBytes)
        throw OutOfMemory(name, limited, freeBytes, "Use the CPU, or " + instead);
    requireHostMemory(use.hostBytes, "Close other programs, or " + instead);
}

} // namespace kernels
