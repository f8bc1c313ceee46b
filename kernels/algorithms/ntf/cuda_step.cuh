// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/cuda_rows.cuh"
#include "kernels/operations/mttkrp/row_vectors.cuh"

#include <cfloat>

/// row_steps.h's step of a number on the device.
namespace kernels::ntf::gpu {

using mttkrp::gpu::Part;
using mttkrp::gpu::rowOf;

/// √(x² + y²) of numbers whose squares may be too small to hold, both 0 or above.
__device__ inline double lengthOf(double x, double y)
{
    const double large = x > y ? x : y, ratio = large > 0 ? (x > y ? y : x) / large : 0;
    return large * sqrt(1 + ratio * ratio);
}

template <class T> __device__ inline T stepped(Rule rule, T number, double p, double down, double penalty)
{
    constexpr double most = sizeof(T) == sizeof(float) ? FLT_MAX : DBL_MAX;
    const double a = static_cast<double>(number);
    double q = down + penalty * a, to;
    if (rule == Rule::Plain)
        to = a * (p / q);
    else if (rule == Rule::ItakuraSaito)
        to = a * sqrt(p / q);
    else {
        if (p > 0) // else q is above 0 where 0 is right
            q = down + lengthOf(down, 2 * sqrt(penalty * a) * sqrt(p));
        to = 2 * a * (p / q);
    }
    const bool told = q > 0 && q <= DBL_MAX && p <= DBL_MAX && to <= most;
    return told ? static_cast<T>(to) : number;
}

/// A lane's part of a row, from sums of whatever type.
template <class T, class Sum>
__device__ inline void finishPart(const Finish<T>& f, Index row, unsigned part, const Sum (&up)[Part<T>::columns],
                                  const Sum (&down)[Part<T>::columns])
{
    constexpr unsigned columns = Part<T>::columns;
    if (f.numerators) {
        const std::size_t at = std::size_t{row} * f.rank + part * columns;
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
            if (part * columns + c < f.rank) {
                f.numerators[at + c] = static_cast<T>(up[c]);
                f.denominators[at + c] = static_cast<T>(down[c]);
            }
        return;
    }
    Part<T>* const at = reinterpret_cast<Part<T>*>(rowOf(f.rows, row, f.parts * 16)) + part;
    const double penalty = f.counts ? f.penalty * static_cast<double>(f.counts[row]) : f.penalty;
    Part<T> own = *at;
#pragma unroll
    for (unsigned c = 0; c < columns; ++c)
        own.of[c] = stepped(f.rule, own.of[c], static_cast<double>(up[c]), static_cast<double>(down[c]), penalty);
    *at = own;
}

} // namespace kernels::ntf::gpu
