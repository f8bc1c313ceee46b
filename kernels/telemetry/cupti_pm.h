// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/telemetry/telemetry.h"

#include <memory>

namespace kernels::telemetry {

/// CUDA module only. Throws Error(Device) with the reason.
std::unique_ptr<Source> openCuptiPm(const DeviceInfo&, Counters);

} // namespace kernels::telemetry
