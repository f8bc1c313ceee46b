// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/symmetric_inverse.h"

#include "kernels/base/chunks.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kernels {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int block = 64;

/// L below the diagonal of the matrix, block by block; false: it is not positive definite.
bool factorise(MatrixXd& a, RunControl& control)
{
    const Eigen::Index n = a.rows();
    for (Eigen::Index k = 0; k < n; k += block) {
        const Eigen::Index size = std::min<Eigen::Index>(block, n - k), rest = n - k - size;
        Eigen::LLT<MatrixXd> corner(a.block(k, k, size, size));
        if (corner.info() != Eigen::Success)
            return false;
        const MatrixXd lower = corner.matrixL();
        a.block(k, k, size, size) = lower;
        if (rest == 0)
            continue;
        MatrixXd below = a.block(k + size, k, rest, size).transpose();
        lower.triangularView<Eigen::Lower>().solveInPlace(below);
        a.block(k + size, k, rest, size) = below.transpose();
        forEachChunk(static_cast<Count>(rest), block, control, [&](Count, Count begin, Count end) {
            const auto first = static_cast<Eigen::Index>(begin), columns = static_cast<Eigen::Index>(end - begin);
            a.block(k + size + first, k + size + first, rest - first, columns).noalias() -=
                below.rightCols(rest - first).transpose() * below.middleCols(first, columns);
        });
    }
    return true;
}

/// L⁻ᵀ
MatrixXd inverseOfUpper(const MatrixXd& lower, RunControl& control)
{
    const Eigen::Index n = lower.rows();
    MatrixXd inverse = MatrixXd::Identity(n, n);
    forEachChunk(static_cast<Count>(n), block / 2, control, [&](Count, Count begin, Count end) {
        auto columns = inverse.middleCols(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin));
        lower.transpose().triangularView<Eigen::Upper>().solveInPlace(columns);
    });
    return inverse;
}

/// A Aᵀ
MatrixXd timesItsTranspose(const MatrixXd& a, RunControl& control)
{
    MatrixXd result(a.rows(), a.rows());
    forEachChunk(static_cast<Count>(a.rows()), block / 2, control, [&](Count, Count begin, Count end) {
        const auto first = static_cast<Eigen::Index>(begin), columns = static_cast<Eigen::Index>(end - begin);
        result.middleCols(first, columns).noalias() = a * a.middleRows(first, columns).transpose();
    });
    return result;
}

/// The largest eigenvalue of a positive definite matrix, to some percent: steps of the power method from its heaviest column. Norms by
/// columns overstate a condition up to R-fold, and halves cost a product more.
double largestEigenvalue(const MatrixXd& a)
{
    constexpr int steps = 8;
    Eigen::Index heaviest = 0;
    a.colwise().squaredNorm().maxCoeff(&heaviest);
    VectorXd x = a.col(heaviest);
    double length = x.norm();
    for (int i = 0; i < steps && length > 0 && std::isfinite(length); ++i) {
        x = a * (x / length);
        length = x.norm();
    }
    return length;
}

/// Householder's reduction to tridiagonal form; the reflectors stay in the columns, below the diagonal.
struct Tridiagonal {
    VectorXd diagonal, beside; ///< beside[i] couples i and i + 1
    VectorXd factors; ///< I − factor v vᵀ
    MatrixXd reflectors;
};

Tridiagonal tridiagonal(MatrixXd a, RunControl& control)
{
    const Eigen::Index n = a.rows();
    Tridiagonal result{VectorXd(n), VectorXd::Zero(n), VectorXd::Zero(n), {}};
    VectorXd p(n);
    for (Eigen::Index k = 0; k + 2 < n; ++k) {
        const Eigen::Index m = n - k - 1;
        auto v = a.col(k).tail(m);
        const double length = v.norm();
        result.beside[k] = v[0] > 0 ? -length : length;
        v[0] -= result.beside[k];
        const double squared = v.squaredNorm();
        if (squared == 0 || !(2 / squared < std::numeric_limits<double>::infinity()))
            continue;
        const double factor = result.factors[k] = 2 / squared;
        auto rest = a.bottomRightCorner(m, m); // both halves are kept: its columns are its rows
        const auto overColumns = [&](const auto& body) {
            forEachChunk(static_cast<Count>(m), 128, control, [&](Count, Count begin, Count end) {
                for (auto j = static_cast<Eigen::Index>(begin); j < static_cast<Eigen::Index>(end); ++j)
                    body(j);
            });
        };
        overColumns([&](Eigen::Index j) { p[j] = factor * rest.col(j).dot(v); });
        auto w = p.head(m);
        w -= factor / 2 * w.dot(v) * v;
        overColumns([&](Eigen::Index j) { rest.col(j) -= w[j] * v + v[j] * w; });
    }
    if (n > 1)
        result.beside[n - 2] = a(n - 1, n - 2);
    result.diagonal = a.diagonal();
    result.reflectors = std::move(a);
    return result;
}

/// Of columns i and i + 1.
struct Rotation {
    Eigen::Index i;
    double c, s;
};

/// One sweep of the implicit QL method over l … m: Wilkinson's shift. Appends the rotations.
void sweep(VectorXd& d, VectorXd& e, Eigen::Index l, Eigen::Index m, std::vector<Rotation>& rotations)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = std::hypot(g, 1.0);
    g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
    double s = 1, c = 1, p = 0;
    for (Eigen::Index i = m - 1; i >= l; --i) {
        const double f = s * e[i], b = c * e[i];
        r = std::hypot(f, g);
        e[i + 1] = r;
        if (r == 0) { // it falls apart here
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotations.push_back({i, c, s});
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

void apply(std::vector<Rotation>& rotations, MatrixXd& vectors, RunControl& control)
{
    forEachChunk(static_cast<Count>(vectors.rows()), 32, control, [&](Count, Count begin, Count end) {
        for (const Rotation& rotation : rotations) {
            double* const left = vectors.col(rotation.i).data();
            double* const right = vectors.col(rotation.i + 1).data();
            for (Count k = begin; k < end; ++k) {
                const double x = left[k], y = right[k];
                right[k] = rotation.s * x + rotation.c * y;
                left[k] = rotation.c * x - rotation.s * y;
            }
        }
    });
    rotations.clear();
}

/// The diagonal becomes the eigenvalues, the identity the eigenvectors.
void diagonalise(VectorXd& d, VectorXd& e, MatrixXd& vectors, RunControl& control)
{
    constexpr unsigned mostSweeps = 60; // of one eigenvalue; two are usual
    constexpr double least = std::numeric_limits<double>::epsilon();
    const Eigen::Index n = d.size();
    std::vector<Rotation> rotations;
    for (Eigen::Index l = 0; l < n; ++l)
        for (unsigned sweeps = 0; sweeps < mostSweeps; ++sweeps) {
            Eigen::Index m = l;
            while (m + 1 < n && std::abs(e[m]) > least * (std::abs(d[m]) + std::abs(d[m + 1])))
                ++m;
            if (m == l)
                break;
            sweep(d, e, l, m, rotations);
            if (rotations.size() >= static_cast<std::size_t>(16 * n))
                apply(rotations, vectors, control);
        }
    apply(rotations, vectors, control);
}

} // namespace

SymmetricEigen symmetricEigen(MatrixXd matrix, RunControl& control)
{
    const Eigen::Index n = matrix.rows();
    Tridiagonal reduced = tridiagonal(std::move(matrix), control);
    SymmetricEigen result{std::move(reduced.diagonal), MatrixXd::Identity(n, n)};
    diagonalise(result.values, reduced.beside, result.vectors, control);
    forEachChunk(static_cast<Count>(n), 8, control, [&](Count, Count begin, Count end) {
        auto columns = result.vectors.middleCols(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin));
        Eigen::RowVectorXd along(columns.cols());
        for (Eigen::Index k = n - 3; k >= 0; --k) {
            if (reduced.factors[k] == 0)
                continue;
            const Eigen::Index m = n - k - 1;
            const auto v = reduced.reflectors.col(k).tail(m);
            along.noalias() = reduced.factors[k] * v.transpose() * columns.bottomRows(m);
            columns.bottomRows(m).noalias() -= v * along;
        }
    });
    return result;
}

namespace {

/// An error dA costs tr(dA V dAᵀ) of the squares. Rounding to ε, M by itself, costs up to ε² cond of ‖A‖²_V, since ‖M‖² is at
/// most λ_max ‖A‖²_V and a direction gives back its part over its λ. A product with the halves adds as much again, as halves are
/// of size λ^-½; one with all of V⁻¹, rounded at 1/λ_min, costs ε² cond².
///  - One product up to a loss of 2^-24, below what a fit is told to: cond = 2^-12 / ε, 2,048 in single precision.
///  - Two up to 2^-20, a millionth of the squares: cond = 2^-20 / ε², 6.7e7 in single precision. Beyond, a direction stays as it
///    is: left out it would take with it what it has, a hundredth of the squares in a swamp of terms that cancel each other;
///    the least squares of the other directions never lose. V itself is of sums in fp64, which know it to n 2^-52.
constexpr double wholeLoss = 0x1p-12, halfLoss = 0x1p-20;

/// Of a diagonal of ones.
SymmetricInverse inverseOfScaled(const MatrixXd& v, const InverseRounding& rounding, RunControl& control)
{
    const double least = std::max(rounding.half * rounding.half / halfLoss, static_cast<double>(v.rows()) * 0x1p-52);
    MatrixXd lower = v;
    if (factorise(lower, control)) {
        MatrixXd half = inverseOfUpper(lower, control), whole = timesItsTranspose(half, control);
        const double reciprocal = 1 / (largestEigenvalue(v) * largestEigenvalue(whole)); // NaN and 0 for what is not finite
        if (reciprocal >= rounding.whole / wholeLoss)
            return {std::move(whole), {}, {}};
        if (reciprocal > least)
            return {half, half.transpose(), {}};
    }
    SymmetricEigen eigen = symmetricEigen(v, control);
    const double cut = eigen.values.cwiseAbs().maxCoeff() * least;
    const VectorXd roots = eigen.values.unaryExpr([&](double value) { return value > cut ? 1 / std::sqrt(value) : 0; });
    const VectorXd kept = eigen.values.unaryExpr([&](double value) { return value > cut ? 0.0 : 1.0; });
    return {eigen.vectors * roots.asDiagonal(), (roots + kept).asDiagonal() * eigen.vectors.transpose(), eigen.vectors * kept.asDiagonal()};
}

} // namespace

SymmetricInverse symmetricInverse(const MatrixXd& v, const InverseRounding& rounding, RunControl& control)
{
    if (!v.allFinite())
        return {MatrixXd::Constant(v.rows(), v.cols(), std::numeric_limits<double>::quiet_NaN()), {}, {}};
    const VectorXd scale = v.diagonal().unaryExpr([](double value) { return value > 0 ? 1 / std::sqrt(value) : 1; });
    SymmetricInverse inverse = inverseOfScaled(scale.asDiagonal() * v * scale.asDiagonal(), rounding, control);
    inverse.first = scale.asDiagonal() * inverse.first;
    (inverse.byHalves() ? inverse.second : inverse.first) *= scale.asDiagonal();
    if (inverse.keep.size() > 0)
        inverse.keep = scale.cwiseInverse().asDiagonal() * inverse.keep;
    return inverse;
}

} // namespace kernels
