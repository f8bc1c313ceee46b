// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/operations/divergence.h"
#include "kernels/tensor/sparse_tensor.h"

#include <string>

namespace kernels::ntf {

/// Values are worked on divided by 2^(N k), rows by 2^k, so that single precision holds all sums whatever the values' size: only
/// exponents change, and nothing is rounded on the way there and back.
class Scale {
public:
    Scale() = default;
    Scale(double mean, unsigned order); ///< values of about that size

    double value() const;
    double row() const;
    int exponent() const { return m_exponent; }

private:
    int m_exponent = 0; ///< k
    unsigned m_order = 1;
};

/// Of values that may be worked on.
struct ValueFacts {
    double mean = 0;
    Count zeros = 0;
    Count firstZero = 0; ///< where there are any
};
/// Throws Error(BadInput) naming the first entry that is negative or no finite number, as one of that part where it is not the training's.
ValueFacts factsOf(const SparseTensor&, RunControl&, const char* part = "");
/// Throws Error(BadInput) naming the first zero where the divergence cannot take one.
void requireValues(const SparseTensor&, const ValueFacts&, Divergence, const char* part = "");

/// "auto" is decided by the values; the sentence says what it took, and is empty for a divergence by name.
struct ChosenDivergence {
    Divergence divergence = Divergence::Euclidean;
    std::string note;
};
ChosenDivergence chosenDivergence(const std::string& parameter, const SparseTensor&, const ValueFacts&);

} // namespace kernels::ntf
