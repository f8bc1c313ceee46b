// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/start.h"

#include <cstdint>
#include <vector>

namespace kernels::tucker_sgd {

struct StartSpec {
    std::vector<Index> dims;
    std::vector<unsigned> ranks;
    bool doubles = false;
    double noise = 0; ///< balanced: relative standard deviation of the rows
    bool paper = false;
    std::uint64_t seed = 0;
    fasttucker_plus::ValueScale values;
};

struct Start {
    Model model; ///< tucker
    std::vector<double> slopes; ///< [mode]: mean of |δ|² over entries, no terms cancelling
};

/// Balanced: FastTucker's, its core matrices multiplied out to a dense core, which then has a 1 for every term and else zeros.
/// Paper: rows (s/ΠJ)^(1/N) · U(0.5, 1.5), s the root mean square of the values, and a core U(0.5, 1.5).
Start drawStart(const StartSpec&, const SparseTensor& train, RunControl&);

} // namespace kernels::tucker_sgd
