// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kernels {

struct DeviceInfo {
    DeviceId id;
    std::string name; ///< "NVIDIA H200", "AMD EPYC"
    std::uint64_t memoryTotal = 0;
    std::uint64_t memoryFree = 0; ///< now
    int processors = 0; ///< SMs, or CPU threads
    int computeMajor = 0, computeMinor = 0; ///< CUDA only
    std::string uuid; ///< CUDA only
    std::string pciBusId; ///< CUDA only; how NVML finds it
};

/// The CPU first, then every usable CUDA device. Never throws; asks again on each call.
std::vector<DeviceInfo> devices();

/// Throws Error(NoDevice) with the reason ("no CUDA device: the driver is not installed").
DeviceInfo device(const DeviceId&);

/// Why there is no CUDA device; empty when there is one.
std::string cudaAbsenceReason();

} // namespace kernels
