// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

/// Values drawn around a planted one, which is their mean: each a pure function of that and of u in (0, 1).
namespace kernels::synthetic {

/// A Poisson count. Counts are tried from the likeliest one outwards, each of which takes its probability off u: about as many as the
/// square root of the rate.
inline double poissonCount(double rate, double u)
{
    if (!(rate > 0))
        return 0;
    constexpr double leastTold = 1e-17; // what rounding leaves of u beyond that is the likeliest count's
    const double likeliest = std::floor(rate);
    int sign = 1;
    double high = likeliest, low = likeliest;
    double ofHigh = std::exp(likeliest * std::log(rate) - rate - ::lgamma_r(likeliest + 1, &sign)), ofLow = ofHigh;
    for (double left = u - ofHigh; left > 0 && ofHigh + ofLow > leastTold;) {
        ofHigh *= rate / ++high;
        if ((left -= ofHigh) <= 0)
            return high;
        ofLow *= low-- / rate; // 0 from below 0 on
        if ((left -= ofLow) <= 0)
            return low;
    }
    return likeliest;
}

/// Above 0, in single precision too.
inline double exponentialValue(double mean, double u)
{
    return std::max(-mean * std::log(u), static_cast<double>(std::numeric_limits<float>::min()));
}

} // namespace kernels::synthetic
