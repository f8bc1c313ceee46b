// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"
#include "kernels/device/arithmetic_rate.h"
#include "kernels/device/memory_bandwidth.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct BenchRow;

/// What a device gives at most, as far as it could be measured.
struct Ceilings {
    std::optional<kernels::MemoryBandwidth> memory;
    std::map<kernels::Precision, std::vector<kernels::ArithmeticRate>> arithmetic;

    /// Of the units a run multiplies on: the fastest where it does not say. Null: not measured.
    const kernels::ArithmeticRate* arithmeticOf(const kernels::RunConfig&) const;
};
/// Of the device and the precisions of these rows, of which at least one was measured. Throws kernels::Cancelled.
Ceilings measureCeilings(const std::vector<BenchRow>&);
std::string ceilingsText(const Ceilings&); ///< a line each
nlohmann::ordered_json ceilingsJson(const Ceilings&);

} // namespace cli
