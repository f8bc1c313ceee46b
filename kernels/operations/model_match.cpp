// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/model_match.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/operations/best_pairing.h"
#include "kernels/operations/symmetric_inverse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace kernels {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t rowsAtOnce = 2048;

void requireSameDims(const Model& first, const Model& second)
{
    if (first.dims != second.dims)
        throw Error(ErrorKind::BadArgument,
                    {"models of tensors of different sizes have no components to compare",
                     {},
                     fmt::format("{}", fmt::join(second.dims, " x ")),
                     fmt::format("{}", fmt::join(first.dims, " x ")),
                     "Compare models of the same tensor."});
}

MatrixXd rowsOf(const Matrix& matrix, std::size_t begin, std::size_t count)
{
    const auto rows = static_cast<Eigen::Index>(count), columns = static_cast<Eigen::Index>(matrix.columns);
    return std::visit(
        [&](const auto& data) -> MatrixXd {
            using Element = typename std::decay_t<decltype(data)>::value_type;
            using Rows = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
            return Eigen::Map<const Rows>(data.data() + begin * matrix.columns, rows, columns).template cast<double>();
        },
        matrix.data);
}

/// AᵀB
MatrixXd columnProducts(const Matrix& a, const Matrix& b, RunControl& control)
{
    MatrixXd sum = MatrixXd::Zero(static_cast<Eigen::Index>(a.columns), static_cast<Eigen::Index>(b.columns));
    for (std::size_t begin = 0; begin < a.rows; begin += rowsAtOnce) {
        const std::size_t count = std::min(rowsAtOnce, a.rows - begin);
        const MatrixXd left = rowsOf(a, begin, count), right = rowsOf(b, begin, count);
        forEachChunk(b.columns, 32, control, [&](Count, Count from, Count to) {
            const auto first = static_cast<Eigen::Index>(from), columns = static_cast<Eigen::Index>(to - from);
            sum.middleCols(first, columns).noalias() += left.transpose() * right.middleCols(first, columns);
        });
    }
    return sum;
}

VectorXd columnNorms(const Matrix& matrix, RunControl& control)
{
    VectorXd squares = VectorXd::Zero(static_cast<Eigen::Index>(matrix.columns));
    for (std::size_t begin = 0; begin < matrix.rows; begin += rowsAtOnce) {
        control.checkpoint();
        squares += rowsOf(matrix, begin, std::min(rowsAtOnce, matrix.rows - begin)).colwise().squaredNorm().transpose();
    }
    return squares.cwiseSqrt();
}

VectorXd weightSizes(const Model& model)
{
    if (model.weights.empty())
        return VectorXd::Ones(static_cast<Eigen::Index>(model.factors.front().columns));
    return Eigen::Map<const VectorXd>(model.weights.data(), static_cast<Eigen::Index>(model.weights.size())).cwiseAbs();
}

/// What two components of a CP model have in common, for all pairs.
struct Likeness {
    MatrixXd congruence;
    VectorXd firstWeights, secondWeights; ///< with the columns scaled to norm 1
};

Likeness likeness(const Model& first, const Model& second, RunControl& control)
{
    Likeness result{{}, weightSizes(first), weightSizes(second)};
    result.congruence = MatrixXd::Ones(result.firstWeights.size(), result.secondWeights.size());
    for (unsigned n = 0; n < first.order(); ++n) {
        const VectorXd a = columnNorms(first.factors[n], control), b = columnNorms(second.factors[n], control);
        const MatrixXd products = columnProducts(first.factors[n], second.factors[n], control);
        result.congruence.array() *= products.cwiseAbs().cwiseQuotient(a * b.transpose()).array().min(1.0);
        result.firstWeights.array() *= a.array();
        result.secondWeights.array() *= b.array();
    }
    // A column of zeros is like none.
    result.congruence = result.congruence.unaryExpr([](double value) { return std::isfinite(value) ? value : 0.0; });
    return result;
}

double weightShare(double first, double second)
{
    const double larger = std::max(first, second);
    return larger > 0 ? 1 - std::abs(first - second) / larger : 0;
}

ModelMatch matchComponents(const Model& first, const Model& second, RunControl& control)
{
    const Likeness alike = likeness(first, second, control);
    MatrixXd scores = alike.congruence;
    for (Eigen::Index r = 0; r < scores.rows(); ++r)
        for (Eigen::Index s = 0; s < scores.cols(); ++s)
            scores(r, s) *= weightShare(alike.firstWeights[r], alike.secondWeights[s]);
    const bool turned = scores.rows() > scores.cols();
    const auto partners = bestPairing(turned ? MatrixXd(scores.transpose()) : scores, control);

    ModelMatch match;
    match.ofComponents = true;
    match.firstRank = static_cast<std::size_t>(scores.rows());
    match.secondRank = static_cast<std::size_t>(scores.cols());
    for (std::size_t i = 0; i < partners.size(); ++i) {
        const auto own = static_cast<Eigen::Index>(i);
        const Eigen::Index r = turned ? partners[i] : own, s = turned ? own : partners[i];
        match.pairs.push_back({static_cast<std::size_t>(r), static_cast<std::size_t>(s), alike.congruence(r, s), scores(r, s)});
        match.score += scores(r, s) / static_cast<double>(partners.size());
        match.congruence += alike.congruence(r, s) / static_cast<double>(partners.size());
    }
    std::sort(match.pairs.begin(), match.pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return match;
}

/// W with (A W)ᵀ(A W) = 1 and the columns of A W spanning those of A: from AᵀA alone. Directions of less than a millionth of
/// the longest are rounding, in single precision.
MatrixXd orthonormaliser(const Matrix& a, RunControl& control)
{
    constexpr double rounding = 1e-12; // of a length's square
    const SymmetricEigen eigen = symmetricEigen(columnProducts(a, a, control), control);
    const double least = eigen.values.maxCoeff() * rounding;
    const auto kept = std::count_if(eigen.values.begin(), eigen.values.end(), [&](double value) { return value > least; });
    MatrixXd result(eigen.vectors.rows(), kept);
    for (Eigen::Index from = 0, to = 0; from < eigen.values.size(); ++from)
        if (eigen.values[from] > least)
            result.col(to++) = eigen.vectors.col(from) / std::sqrt(eigen.values[from]);
    return result;
}

std::vector<double> principalCosines(const Matrix& a, const Matrix& b, RunControl& control)
{
    MatrixXd between = orthonormaliser(a, control).transpose() * columnProducts(a, b, control) * orthonormaliser(b, control);
    if (between.rows() > between.cols())
        between.transposeInPlace();
    const SymmetricEigen eigen = symmetricEigen(between * between.transpose(), control);
    std::vector<double> cosines;
    for (const double square : eigen.values)
        cosines.push_back(std::sqrt(std::clamp(square, 0.0, 1.0)));
    std::sort(cosines.begin(), cosines.end(), std::greater<>());
    return cosines;
}

ModelMatch matchSpaces(const Model& first, const Model& second, RunControl& control)
{
    ModelMatch match;
    std::size_t count = 0;
    for (unsigned n = 0; n < first.order(); ++n) {
        match.cosines.push_back(principalCosines(first.factors[n], second.factors[n], control));
        for (const double cosine : match.cosines.back())
            match.score += cosine;
        count += match.cosines.back().size();
    }
    match.score /= static_cast<double>(std::max<std::size_t>(count, 1));
    return match;
}

} // namespace

ModelMatch matchModels(const Model& first, const Model& second, RunControl& control)
{
    requireSameDims(first, second);
    const bool components = first.kind == ModelKind::Cp && second.kind == ModelKind::Cp;
    return components ? matchComponents(first, second, control) : matchSpaces(first, second, control);
}

} // namespace kernels
