// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernels {

/// What stays the same while the program runs.
struct DeviceInfo {
    DeviceId id;
    std::string name; ///< "NVIDIA H200", "AMD EPYC"
    std::uint64_t memoryTotal = 0;
    int processors = 0; ///< SMs, or CPU threads
    int computeMajor = 0, computeMinor = 0; ///< CUDA only
    std::string uuid; ///< CUDA only
    std::string pciBusId; ///< CUDA only; how NVML finds it
    std::string problem; ///< why it cannot be used; empty: it can
};

/// The CPU first, then every CUDA device; one that fails is listed with its problem and hides no other.
/// Never throws, starts no device, and asks once: the first call opens the CUDA module and its driver.
const std::vector<DeviceInfo>& devices();

/// Throws Error(NoDevice) with the reason ("no CUDA device: the driver is not installed"), also for a device with a problem.
DeviceInfo device(const DeviceId&);

struct ComputeCapability {
    int major = 0, minor = 0;
    friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};
/// Of a CUDA device; 0.0 where there is no such device.
ComputeCapability computeCapability(const DeviceId&);

/// Why there is no CUDA device; empty when one is listed.
const std::string& cudaAbsenceReason();

/// Starts a GPU, which takes up to 0.3 s. Call it on another thread. It never throws: a device with a problem reports it when it
/// is used.
void startDevice(const DeviceId&) noexcept;

enum class StartDevice { No, IfNeeded };
/// Bytes free on a device now; nothing where that cannot be told. Without NVML a GPU tells it only from a CUDA context, which
/// takes some 100 ms and some 100 MiB of the device until the process ends: made only IfNeeded.
std::optional<std::uint64_t> freeMemory(const DeviceId&, StartDevice = StartDevice::No);

} // namespace kernels
