// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/base/solver.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

namespace kernels::fasttucker_plus {

/// What values are worked on in.
///
/// Gradients are products of a value, a row and all other modes' products: about the values' square, which single precision does
/// not hold for values far from 1. Such values are worked on in a unit of their own, 2^(N k), and rows in 2^k: only exponents
/// change, so nothing is rounded on the way there and back.
///
/// Where values lie close together far from 0, what they have in common is so much steeper than what tells them apart that rates which
/// bear the one never learn the other. There values are worked on less a number near their mean, and the model's last component is that
/// number: its rows are 1, as many columns fewer are learnt.
class ValueUnit {
public:
    ValueUnit() = default;
    /// For values of about that size; 1 where it is from 2^-20 to 2^20.
    ValueUnit(double size, unsigned order, double from = 0);

    bool isOne() const { return m_exponent == 0 && m_from == 0; }
    /// Of rows and cores: columns of the model that are not learnt.
    unsigned fixedColumns() const { return m_from == 0 ? 0 : 1; }
    double from() const { return m_from; }
    SparseTensor into(const SparseTensor&, RunControl&) const;
    Model into(Model) const;
    Model outOf(Model) const;
    ErrorSums outOf(ErrorSums) const;

private:
    double value() const;
    int m_exponent = 0; ///< k
    double m_from = 0;
    unsigned m_order = 0;
};

/// A number near the mean of values that lie close together far from 0, else 0. Few bits, so that a run which goes on with the same values
/// comes to the same.
double commonPart(double mean, double deviation);

} // namespace kernels::fasttucker_plus
