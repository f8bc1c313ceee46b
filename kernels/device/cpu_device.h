// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

namespace kernels {

/// The first of devices(), without asking any driver for the others.
const DeviceInfo& cpuDevice();

} // namespace kernels
