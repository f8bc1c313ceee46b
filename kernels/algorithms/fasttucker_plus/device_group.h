// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/base/registry.h"
#include "kernels/tensor/grid.h"

#include <memory>

namespace kernels::fasttucker_plus {

/// The run's devices as one. Entries are dealt out in a grid, mostly by the rows of the longest mode, which then belong to one device
/// each. A part of an iteration is every device's own over its entries; at its end the changes of rows that several have are added up,
/// scaled so that together they go as far as one device would have gone (joint_directions.h), and at the iteration's end those of the
/// cores. Cores come out as by one step along the gradient of all entries; rows do not, so errors after an iteration are near one
/// device's, not the same.
std::unique_ptr<PlusBackEnd> makeGroup(const RunConfig&);

/// Into how many parts its devices divide an iteration over so many entries, to join their rows after each; one device: 1.
unsigned partsOfIteration(const RunConfig&, const std::vector<Index>& dims, Count entries);

/// By which it deals them out: of an entry its indices, its value and the rows of all modes, read and changed; of a row its sum there
/// and back.
GridCosts gridCosts(const std::vector<unsigned>& ranks, Precision);

/// Of a device that has its share of the entries, and of the host for all.
MemoryUse estimateGroup(const RunConfig&, const ProblemShape&);

} // namespace kernels::fasttucker_plus
