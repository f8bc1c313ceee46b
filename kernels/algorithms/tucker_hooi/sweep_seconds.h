// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/solver.h"

#include <string>
#include <vector>

namespace kernels::tucker_hooi {

/// Where the time of a mode's update went.
struct ModeSeconds {
    double trees = 0; ///< built again
    double chain = 0, dense = 0, eigen = 0;
    std::string vectors; ///< how they were found
};

/// Of the last sweep, mode by mode; of a solver of this algorithm.
const std::vector<ModeSeconds>& lastSweep(const Solver&);

} // namespace kernels::tucker_hooi
