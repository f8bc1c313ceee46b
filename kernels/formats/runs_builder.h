// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/back_ends.h"
#include "kernels/formats/runs.h"

#include <variant>

namespace kernels::formats {

/// Builds a copy in runs on a GPU and brings it here, for who compares it with the CPU's. In the precision's master type.
class RunsBuilder : public BackEnd {
public:
    virtual std::variant<RunsCopy<float>, RunsCopy<double>> build(const SparseTensor&, const RunsPlan&, RunControl&) = 0;
};

/// What the back end is called in the table; the CPU has none, buildRuns is there.
inline constexpr const char* runsBuilderId = "runs";

} // namespace kernels::formats
