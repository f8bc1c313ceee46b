// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online_step.h"

#include <cmath>

namespace kernels::ntf {
namespace {

bool isUsable(double number) { return number >= 0 && std::isfinite(number); }

/// Where ½ λ a² + b a − c log a is least: the positive root of λ a² + b a − c.
double root(double b, double c, double penalty)
{
    return penalty > 0 ? 2 * c / (b + std::hypot(b, 2 * std::sqrt(penalty) * std::sqrt(c))) : c / b;
}

/// a (P₀ + η P) / (P̄₀ + η P̄ + λ a)
double byThePaper(const OnlineStep& step, const OldSums& old, double a, const NewSums& fresh, double penalty)
{
    return a * ((old.up + step.weight * fresh.up) / (old.down + step.weight * fresh.down + penalty * a));
}

/// The least of the two bounds' sum: of the old entries at a₀, of the new ones at a.
double byBounds(const OnlineStep& step, const OldSums& old, double a, const NewSums& fresh, double penalty)
{
    switch (step.divergence) {
    case Divergence::Euclidean: {
        const double before = old.factor > 0 ? old.down / old.factor : 0;
        return (old.up + step.weight * fresh.up) / (before + step.weight * fresh.down / a + penalty);
    }
    case Divergence::KullbackLeibler: {
        const double up = old.factor * old.up + step.weight * a * fresh.up, down = old.down + step.weight * fresh.down;
        return root(down, up, penalty);
    }
    case Divergence::ItakuraSaito:
        break;
    }
    const double up = old.factor * (old.factor * old.up) + step.weight * (a * (a * fresh.up));
    const double down = old.down + step.weight * fresh.down + penalty * a;
    return std::sqrt(up / down);
}

} // namespace

double renewed(const OnlineStep& step, const OldSums& old, double a, const NewSums& fresh, double penalty)
{
    if (!(a > 0))
        return a;
    const bool told = isUsable(old.up) && isUsable(old.down) && isUsable(fresh.up) && isUsable(fresh.down);
    if (!told || old.down + step.weight * fresh.down + penalty * a <= 0)
        return a;
    const double to = step.rule == OnlineRule::Paper ? byThePaper(step, old, a, fresh, penalty) : byBounds(step, old, a, fresh, penalty);
    return isUsable(to) ? to : a;
}

OldSums carried(const OnlineStep& step, const OldSums& old, double a, const NewSums& fresh)
{
    const bool hadNone = old.up == 0 && old.down == 0;
    if (step.rule == OnlineRule::Paper && !hadNone)
        return {old.factor, old.up + step.weight * fresh.up, old.down + step.weight * fresh.down};
    const bool moves = !hadNone && a > 0 && old.factor > 0; // a number stays 0 whatever its sums are
    const double by = moves ? old.factor / a : 1;
    const bool euclidean = step.divergence == Divergence::Euclidean, squared = step.divergence == Divergence::ItakuraSaito;
    const OldSums sums{a,
                       old.up
                               * (euclidean     ? 1
                                      : squared ? by * by
                                                : by)
                           + step.weight * fresh.up,
                       old.down / (euclidean ? by : 1) + step.weight * fresh.down};
    return isUsable(sums.up) && isUsable(sums.down) ? sums : OldSums{a, old.up, old.down};
}

} // namespace kernels::ntf
