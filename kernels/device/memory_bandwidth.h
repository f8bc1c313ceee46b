// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/base/types.h"

#include <optional>
#include <string>

namespace kernels {

/// What a device's memory gives to a plain copy of large arrays: bytes read and written, a second.
struct MemoryBandwidth {
    double bytesPerSecond = 0;
    std::string how; ///< "a copy of 1.0 GiB, the best of 7"
};

/// Measures it, which takes a second at most and memory for two arrays; nothing where that cannot be done. threads: of
/// the CPU; 0: all. Throws Cancelled.
std::optional<MemoryBandwidth> measureMemoryBandwidth(const DeviceId&, unsigned threads, RunControl&);

} // namespace kernels
