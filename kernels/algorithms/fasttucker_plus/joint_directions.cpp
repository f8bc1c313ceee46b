// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/joint_directions.h"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace kernels::fasttucker_plus {
namespace {

/// Some rows' entries tell more of them than the mean entry does: where that is overlooked, devices overshoot together.
constexpr double timesTheMean = 2;

} // namespace

JointDirections jointDirections(const std::vector<double>& moments, unsigned columns, double rate)
{
    const auto matrix = Eigen::Map<const Eigen::MatrixXd>(moments.data(), columns, columns);
    JointDirections directions{std::vector<double>(moments.size(), 0), std::vector<double>(columns, 0)};
    if (!matrix.allFinite()) { // so are the rows, and the solver goes back
        for (unsigned k = 0; k < columns; ++k)
            directions.vectors[std::size_t{k} * columns + k] = 1;
        return directions;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix); // a millisecond or two for 128 columns
    for (unsigned k = 0; k < columns; ++k) {
        directions.taken[k] = timesTheMean * rate * std::max(eigen.eigenvalues()[k], 0.0);
        for (unsigned j = 0; j < columns; ++j)
            directions.vectors[std::size_t{k} * columns + j] = eigen.eigenvectors()(j, k);
    }
    return directions;
}

} // namespace kernels::fasttucker_plus
