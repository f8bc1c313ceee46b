// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <limits>

namespace test {

/// Relative to the largest element: how far a sum of so many products may be off in T. Rounding of a chain of
/// n operations is bounded by n ε; 8 covers the few operations around it.
template <class T> double tolerance(double termsSummed)
{
    return (8 + termsSummed) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// The same for the type a precision's products and sums are rounded to.
inline double tolerance(kernels::Precision precision, double termsSummed)
{
    switch (precision) {
    case kernels::Precision::Fp64:
        return tolerance<double>(termsSummed);
    case kernels::Precision::Fp32:
        return tolerance<float>(termsSummed);
    // Operands of products are rounded to 10 (tf32, fp16) or 7 (bf16) bits after the point; sums stay in fp32.
    case kernels::Precision::Tf32:
    case kernels::Precision::Fp16:
        return 8.0 / 1024 + tolerance<float>(termsSummed);
    case kernels::Precision::Bf16:
        return 8.0 / 128 + tolerance<float>(termsSummed);
    }
    return 0;
}

/// Unit round-off of the type that operands of products are rounded to.
inline double operandRoundOff(kernels::Precision precision)
{
    switch (precision) {
    case kernels::Precision::Fp64:
        return 0x1p-53;
    case kernels::Precision::Fp32:
        return 0x1p-24;
    case kernels::Precision::Tf32:
    case kernels::Precision::Fp16:
        return 0x1p-11;
    case kernels::Precision::Bf16:
        return 0x1p-8;
    }
    return 0;
}

} // namespace test
