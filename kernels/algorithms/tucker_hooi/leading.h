// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_hooi/back_end.h"

#include <optional>

namespace kernels::tucker_hooi {

/// What a mode's update came to.
struct Leading {
    Square gram; ///< AᵀA of the factor as it is stored
    std::optional<Tall> projected; ///< Yᵀ A, where it was asked for; columns that A lacks are missing
    Vectors vectors = Vectors::Range; ///< how they were found: not as planned where a Gram matrix does not tell them from rounding
    double secondsEigen = 0;
};

struct LeadingInput {
    const ModePlan& plan;
    unsigned mode = 0;
    std::uint64_t seed = 0;
    unsigned iterations = 1; ///< of the subspace
    bool doubles = false; ///< the run is in fp64
    bool projects = false;
};

/// A^(mode) ← the leading left singular vectors of Y, which begin() was called for: the back end's Z and the mode's factor. Throws
/// Error(BadInput) where squares are not finite, Cancelled.
Leading renewFactor(HooiBackEnd&, const LeadingInput&, RunControl&);

} // namespace kernels::tucker_hooi
