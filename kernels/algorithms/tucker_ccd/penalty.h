// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <limits>

namespace kernels::tucker_ccd {

/// λ |a − centre|² of a number (L2), or λ |a − centre| (L1): then one that gains less than it costs is exactly at the centre.
struct Penalty {
    double weight = 0; ///< λ
    bool absolute = false;

    double of(double apart) const { return weight * (absolute ? std::abs(apart) : apart * apart); }
};

/// One number while all others stay: the loss is that of Σ (r − (a' − a) d)² over its entries, r what they lack now, and the penalty.
struct Coordinate {
    double number = 0, centre = 0; ///< a
    double errors = 0, squares = 0; ///< Σ rd, Σ d²
};

struct Step {
    double to, by;
};

/// Whether entries or the penalty say where the number belongs.
inline bool hasStep(const Penalty& penalty, const Coordinate& at) { return at.squares + penalty.weight > 0; }

/// To the least loss, where there is one.
inline Step bestStep(const Penalty& penalty, const Coordinate& at)
{
    const double apart = at.number - at.centre;
    if (!penalty.absolute) {
        const double by = (at.errors - penalty.weight * apart) / (at.squares + penalty.weight);
        return {at.number + by, by};
    }
    const double pull = at.squares * apart + at.errors, beyond = std::abs(pull) - penalty.weight / 2;
    if (!(beyond > 0) || !(at.squares > 0))
        return {at.centre, -apart};
    const double to = at.centre + std::copysign(beyond, pull) / at.squares;
    return {to, to - at.number};
}

/// How much the loss would rise without the number, that is, were it 0.
inline double riseWithout(const Penalty& penalty, const Coordinate& at)
{
    const double a = at.number, apart = a - at.centre;
    if (!penalty.absolute)
        return ((at.squares + penalty.weight) * a + 2 * (at.errors - penalty.weight * apart)) * a;
    return (at.squares * a + 2 * at.errors) * a + penalty.of(at.centre) - penalty.of(apart);
}

} // namespace kernels::tucker_ccd
