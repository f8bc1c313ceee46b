// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace cli {

/// What the hardware's counters told while something ran; or why they could not.
struct CounterReading {
    std::string quantity; ///< "SM throughput"
    std::string metric; ///< in CUPTI's words
    double percent = std::numeric_limits<double>::quiet_NaN(); ///< the mean of the samples
    std::string reason;
};

/// SM and L1 throughput of a GPU while the work is done again and again, half a second for each.
std::vector<CounterReading> readCounters(const kernels::DeviceInfo&, const std::function<void()>& work);

} // namespace cli
