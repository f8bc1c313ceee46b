// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/divergence_kind.h"

/// One number of a row, told by entries that are gone and by new ones.
namespace kernels::ntf {

/// How what the old entries told is joined with what the new ones tell.
enum class OnlineRule {
    Ours, ///< as a bound of the old loss, true at the factor it was taken at: any number of steps
    Paper ///< as if it were true at the present factor: one step
};

/// P₀ and P̄₀ of the old entries, at the factor a₀.
struct OldSums {
    double factor = 0, up = 0, down = 0;
};
/// P and P̄ of the new entries, at the present factor.
struct NewSums {
    double up = 0, down = 0;
};
struct OnlineStep {
    Divergence divergence = Divergence::Euclidean;
    OnlineRule rule = OnlineRule::Ours;
    double weight = 1; ///< η of the new entries
};

/// The number after one step from `a`; stays as it is where the sums say nothing or are no finite numbers, and where it is 0.
double renewed(const OnlineStep&, const OldSums&, double a, const NewSums&, double penalty);

/// The sums of old and new entries together for the batches to come. Ours: fresh was taken at `a`, and so are these; paper: they are
/// added up as they are, and the factor stays what it was.
OldSums carried(const OnlineStep&, const OldSums&, double a, const NewSums& fresh);

} // namespace kernels::ntf
