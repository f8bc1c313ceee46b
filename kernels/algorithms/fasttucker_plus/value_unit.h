// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/base/solver.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

namespace kernels::fasttucker_plus {

/// Gradients are products of a value, a row and all other modes' products: about the values' square, which single precision does
/// not hold for values far from 1. Such values are worked on in a unit of their own, 2^(N k), and rows in 2^k: only exponents
/// change, so nothing is rounded on the way there and back.
class ValueUnit {
public:
    ValueUnit() = default;
    /// For values of about that size; 1 where it is from 2^-20 to 2^20.
    ValueUnit(double size, unsigned order);

    bool isOne() const { return m_exponent == 0; }
    SparseTensor into(const SparseTensor&, RunControl&) const;
    Model into(Model) const;
    Model outOf(Model) const;
    ErrorSums outOf(ErrorSums) const;

private:
    double value() const;
    int m_exponent = 0; ///< k
    unsigned m_order = 0;
};

} // namespace kernels::fasttucker_plus
