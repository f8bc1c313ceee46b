// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/models/model.h"

#include <cstdint>
#include <vector>

/// The start of CP models that are fitted to observed entries.
namespace kernels::cp_completion_als {

struct StartSpec {
    std::vector<Index> dims;
    unsigned rank = 1;
    bool doubles = false;
    bool paper = false; ///< uniform in (0, 1)
    double mean = 0; ///< of the values, in their unit
    std::uint64_t seed = 0;
    double noise = 0.1; ///< little: terms part by themselves, and from larger ones more runs end in poor places
};

/// Rows near meanRow(), each number a little off it; or the papers'.
std::vector<Matrix> drawStart(const StartSpec&, RunControl&);

/// The row that x̂ near the mean comes from: R equal terms, as many of them negative as make it, which a mode's rows all have.
std::vector<double> meanRow(const StartSpec&, unsigned mode);

} // namespace kernels::cp_completion_als
