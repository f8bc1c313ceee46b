// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/start.h"
#include "kernels/base/run_control.h"
#include "kernels/models/model.h"

#include <cstdint>
#include <vector>

/// The start of Tucker models that are fitted to observed entries.
namespace kernels::tucker_als {

/// Values are worked on in a unit in which they spread by about 1: a power of two near their standard deviation, or near a
/// thousandth of their size where they are nearly all the same.
double unitOf(const fasttucker_plus::ValueScale&);

struct StartSpec {
    std::vector<Index> dims;
    std::vector<unsigned> ranks;
    bool doubles = false;
    bool paper = false; ///< uniform in (0, 1), rows and core
    double mean = 0; ///< of the values, in their unit
    std::uint64_t seed = 0;
};

/// Rows of numbers about 1 in size with random signs, a core of such numbers over √ΠJ: x̂ spreads as values do. Where the mean
/// stands out, the first column of all modes is 1 and the core's first element the mean: every x̂ is near it, and the other
/// elements beside a 1 are what rows have of their own.
Model drawStart(const StartSpec&, RunControl&);

/// The row that x̂ near the mean comes from: (1, 0, …), or zeros where no column stands for the mean.
std::vector<double> meanRow(const StartSpec&, unsigned mode);

} // namespace kernels::tucker_als
