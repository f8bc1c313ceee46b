// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/back_end.h"

namespace kernels::tucker_als {

struct CoreStep {
    double penalty = 0;
    double centre = 0; ///< what the first element is drawn to, all others to 0
    unsigned steps = 1;
};

/// Some steps of conjugate gradients on Σ (x − x̂)² + penalty |G − centre|² as a function of the core: each lowers it. As entries that were
/// spread evenly would have it, the matrix is the Kronecker product of the modes' Σ a aᵀ over the entries; the inverse of
/// that and the penalty is what gradients are multiplied by, so that few steps do.
void fitCore(Array<double>& core, TuckerBackEnd&, const core_contraction::Shape&, const CoreStep&, RunControl&);

} // namespace kernels::tucker_als
