// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"

#include <Eigen/Core>

#include <vector>

namespace kernels {

/// Pairs every row with a column of its own so that the gains add up to the most (the Hungarian method, O(rows² · columns)):
/// the column of each row. There must be no fewer columns than rows; gains that are not finite count as 0. Throws Cancelled.
std::vector<Eigen::Index> bestPairing(const Eigen::MatrixXd& gains, RunControl&);

} // namespace kernels
