// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"

#include <vector>

namespace kernels::tucker_hooi {

/// The first factors, in the run's master type.
std::vector<Matrix> drawStart(const SolverInput&, RunControl&);

/// The most that takes, the factors included.
std::uint64_t startBytes(const RunConfig&, const ProblemShape&, unsigned valueBytes);

/// The one of the fewest slices: rooted there, a tree has the fewest nodes.
unsigned smallestMode(const std::vector<Index>& dims);

} // namespace kernels::tucker_hooi
