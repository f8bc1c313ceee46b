// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"

#include <Eigen/Core>

/// Small dense symmetric matrices, of up to some thousand rows: in fp64, by all threads, asking control every few milliseconds, the
/// same bits for any number of threads.
namespace kernels {

struct SymmetricEigen {
    Eigen::VectorXd values; ///< in no order
    Eigen::MatrixXd vectors; ///< columns
};
/// Of a finite matrix. Throws Cancelled.
SymmetricEigen symmetricEigen(Eigen::MatrixXd, RunControl&);

/// V⁻¹ as rows are to be multiplied by it: A = M · first, or by halves, A = (M · first + A' · keep) · second. There A' are the
/// rows as they were: what they have in directions that cannot be told from M is kept.
struct SymmetricInverse {
    Eigen::MatrixXd first;
    Eigen::MatrixXd second; ///< empty: first is all of V⁻¹
    Eigen::MatrixXd keep; ///< empty: all directions are M's

    bool byHalves() const { return second.size() > 0; }
};

/// Of products with V⁻¹: all of one, or of two with a half each.
struct InverseRounding {
    double whole = 0, half = 0;
};

/// For rows A of A V = M, where M is rounded and A = M V⁻¹ is taken in the precision it is rounded to. The condition is that of V
/// with its columns and rows scaled to a diagonal of ones, as scaling costs no bits: a good one gives all of V⁻¹, a bad one a
/// halves; directions that rounding has drowned are kept as they were, or left out (pseudo-inverse) without `keep`. NaN where V is not
/// finite. Throws Cancelled.
SymmetricInverse symmetricInverse(const Eigen::MatrixXd& v, const InverseRounding&, RunControl&);

} // namespace kernels
