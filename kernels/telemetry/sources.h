// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/telemetry/telemetry.h"

#include <memory>

namespace kernels::telemetry {

/// CPU time of this process in % of all CPU threads, and its resident memory. Always works on Linux.
std::unique_ptr<Source> openCpuSource(const DeviceInfo&);

/// SM throughput from the hardware's counters, through the CUDA module and libcupti opened at run time.
/// Throws Error(Device) with the reason where it cannot be had.
std::unique_ptr<Source> openCuptiPmSource(const DeviceInfo&);

/// GPU Performance Monitoring of the driver (Hopper and later), through libnvidia-ml.so.1 opened at run
/// time. Throws Error(Device) with the reason where it cannot be had.
std::unique_ptr<Source> openNvmlGpmSource(const DeviceInfo&);

/// The share of time in which any kernel ran, from every driver.
std::unique_ptr<Source> openNvmlUtilisationSource(const DeviceInfo&);

} // namespace kernels::telemetry
