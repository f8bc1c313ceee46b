// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_hooi/semi_sparse.h"

namespace kernels::tucker_hooi {

/// Rows `stride` apart, `found` columns each.
struct LeadingVectors {
    Array<double> rows;
    unsigned found = 0, stride = 0;
};

/// Up to `count` leading left singular vectors of M as the step that has begun has it, orthonormal: those that rounding does not hide.
/// `stream` numbers the random start. Throws Error(BadInput) where products are not finite, Cancelled.
LeadingVectors leadingVectors(SemiSparse&, const StepPlan&, unsigned count, std::uint64_t seed, std::uint64_t stream, RunControl&);

/// Fills in side, width and parts, from sizes and whether members are held.
void planProducts(StepPlan&, unsigned count);
/// What it takes with its result, small matrices left out.
std::uint64_t leadingVectorsBytes(const StepPlan&, unsigned count);

} // namespace kernels::tucker_hooi
