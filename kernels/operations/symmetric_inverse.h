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

/// V⁻¹ by Cholesky, or where V is near singular the pseudo-inverse: directions in which V is no more than `rounding` of its
/// largest are left out. NaN where V is not finite. Throws Cancelled.
Eigen::MatrixXd symmetricInverse(const Eigen::MatrixXd& v, double rounding, RunControl&);

} // namespace kernels
