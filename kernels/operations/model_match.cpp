// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/model_match.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/operations/best_pairing.h"
#include "kernels/operations/symmetric_inverse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

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

VectorXd columnSums(const Matrix& matrix, RunControl& control)
{
    VectorXd sums = VectorXd::Zero(static_cast<Eigen::Index>(matrix.columns));
    for (std::size_t begin = 0; begin < matrix.rows; begin += rowsAtOnce) {
        control.checkpoint();
        sums += rowsOf(matrix, begin, std::min(rowsAtOnce, matrix.rows - begin)).colwise().sum().transpose();
    }
    return sums;
}

/// Sizes of the columns' cosines. A column of zeros is like none.
MatrixXd cosineSizes(const MatrixXd& products, const VectorXd& firstNorms, const VectorXd& secondNorms)
{
    return products.cwiseAbs().cwiseQuotient(firstNorms * secondNorms.transpose()).unaryExpr([](double value) {
        return std::isfinite(value) ? std::min(value, 1.0) : 0.0;
    });
}

// What chance gives. Two models that have nothing to do with each other still agree in part: columns without negative numbers
// share the mean direction, bases of J columns in I rows share J / I of their squares, and the best pairing picks what is alike by luck.
// Centring the columns would remove the first alone, and with it a component that truly is the same in all rows. So chance is
// what the same columns have with the rows of one model in random order. It keeps means, zeros and sizes, and a mode in which no
// order differs gives all by chance: it tells nothing.

/// Root mean square of the cosines over all orders of the rows.
MatrixXd chanceCosines(const Matrix& a, const Matrix& b, const VectorXd& aNorms, const VectorXd& bNorms, RunControl& control)
{
    const auto rows = static_cast<double>(a.rows);
    const auto meanParts = [&](const Matrix& matrix, const VectorXd& norms) -> VectorXd {
        const VectorXd sums = columnSums(matrix, control);
        return sums.cwiseAbs2().cwiseQuotient(norms.cwiseAbs2() * rows).unaryExpr([](double part) {
            return std::isfinite(part) ? std::min(part, 1.0) : 0.0;
        });
    };
    const VectorXd u = meanParts(a, aNorms), v = meanParts(b, bNorms);
    MatrixXd squares = u * v.transpose();
    if (a.rows > 1)
        squares += (1 - u.array()).matrix() * (1 - v.array()).matrix().transpose() / (rows - 1);
    return squares.cwiseSqrt();
}

/// Columns of length 1 of a factor with few rows.
MatrixXd unitColumns(const Matrix& matrix, const VectorXd& norms)
{
    const VectorXd scales = norms.unaryExpr([](double norm) { return norm > 0 ? 1 / norm : 0.0; });
    return rowsOf(matrix, 0, matrix.rows) * scales.asDiagonal();
}

/// The rows in the order of one of many draws.
MatrixXd reordered(const MatrixXd& rows, std::uint64_t draw, std::uint64_t stream)
{
    std::vector<Eigen::Index> order(static_cast<std::size_t>(rows.rows()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[random::bits(draw, stream, left) % left]);
    return rows(order, Eigen::all);
}

/// What two components of a CP model have in common, for all pairs.
struct Likeness {
    MatrixXd congruence, chance;
    VectorXd firstWeights, secondWeights; ///< with the columns scaled to norm 1
    MatrixXd largeModes; ///< chance in modes of many rows, where every order gives much the same
    std::vector<std::pair<MatrixXd, MatrixXd>> smallModes; ///< unit columns of the others
};

constexpr std::size_t fewRows = 1024; ///< of more rows the order changes a cosine by some 0.03

Likeness likeness(const Model& first, const Model& second, RunControl& control)
{
    Likeness result{{}, {}, weightSizes(first), weightSizes(second), {}, {}};
    result.congruence = MatrixXd::Ones(result.firstWeights.size(), result.secondWeights.size());
    result.chance = result.largeModes = result.congruence;
    for (unsigned n = 0; n < first.order(); ++n) {
        const Matrix &one = first.factors[n], &other = second.factors[n];
        const VectorXd a = columnNorms(one, control), b = columnNorms(other, control);
        result.congruence.array() *= cosineSizes(columnProducts(one, other, control), a, b).array();
        const MatrixXd chance = chanceCosines(one, other, a, b, control);
        result.chance.array() *= chance.array();
        if (one.rows <= fewRows)
            result.smallModes.emplace_back(unitColumns(one, a), unitColumns(other, b));
        else
            result.largeModes.array() *= chance.array();
        result.firstWeights.array() *= a.array();
        result.secondWeights.array() *= b.array();
    }
    return result;
}

double weightShare(double first, double second)
{
    const double larger = std::max(first, second);
    return larger > 0 ? 1 - std::abs(first - second) / larger : 0;
}

MatrixXd weightShares(const Likeness& alike)
{
    return MatrixXd::NullaryExpr(alike.congruence.rows(), alike.congruence.cols(), [&](Eigen::Index r, Eigen::Index s) {
        return weightShare(alike.firstWeights[r], alike.secondWeights[s]);
    });
}

/// Partners of the rows, or of the columns where there are fewer of them.
std::vector<Eigen::Index> pairing(const MatrixXd& scores, RunControl& control)
{
    return bestPairing(scores.rows() > scores.cols() ? MatrixXd(scores.transpose()) : scores, control);
}

/// The mean score of the best pairing over some orders of the rows: fewer where each costs more, and has more pairs to average.
double chanceScore(const Likeness& alike, const MatrixXd& shares, RunControl& control)
{
    constexpr double affordable = 2e8; // multiplications
    const auto rank = static_cast<double>(std::max(shares.rows(), shares.cols()));
    double rows = rank;
    for (const auto& mode : alike.smallModes)
        rows += static_cast<double>(mode.first.rows());
    const auto draws = alike.smallModes.empty() ? 1 : static_cast<std::uint64_t>(std::clamp(affordable / (rows * rank * rank), 1.0, 64.0));
    double sum = 0;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        control.checkpoint();
        MatrixXd scores = shares.cwiseProduct(alike.largeModes);
        for (std::size_t n = 0; n < alike.smallModes.size(); ++n) {
            const auto& [a, b] = alike.smallModes[n];
            scores.array() *= (a.transpose() * reordered(b, draw, n)).array().abs();
        }
        const auto partners = pairing(scores, control);
        const bool turned = scores.rows() > scores.cols();
        for (std::size_t i = 0; i < partners.size(); ++i) {
            const auto own = static_cast<Eigen::Index>(i);
            sum += (turned ? scores(partners[i], own) : scores(own, partners[i])) / static_cast<double>(partners.size());
        }
    }
    return sum / static_cast<double>(draws);
}

/// (found − chance) / (all − chance)
double beyondChance(double found, double chance, double all)
{
    return all > 0 && chance < allByChance * all ? (found - chance) / (all - chance) : std::numeric_limits<double>::quiet_NaN();
}

ModelMatch matchComponents(const Model& first, const Model& second, RunControl& control)
{
    const Likeness alike = likeness(first, second, control);
    const MatrixXd shares = weightShares(alike), scores = alike.congruence.cwiseProduct(shares);
    const bool turned = scores.rows() > scores.cols();
    const auto partners = pairing(scores, control);

    ModelMatch match;
    match.ofComponents = true;
    match.firstRank = static_cast<std::size_t>(scores.rows());
    match.secondRank = static_cast<std::size_t>(scores.cols());
    for (std::size_t i = 0; i < partners.size(); ++i) {
        const auto own = static_cast<Eigen::Index>(i);
        const Eigen::Index r = turned ? partners[i] : own, s = turned ? own : partners[i];
        match.pairs.push_back(
            {static_cast<std::size_t>(r), static_cast<std::size_t>(s), alike.congruence(r, s), scores(r, s), alike.chance(r, s)});
        match.score += scores(r, s) / static_cast<double>(partners.size());
        match.congruence += alike.congruence(r, s) / static_cast<double>(partners.size());
    }
    std::sort(match.pairs.begin(), match.pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    match.agreement = beyondChance(match.score, chanceScore(alike, shares, control), 1);
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

/// What the column spaces of two factors of one mode have in common.
struct SpaceMatch {
    std::vector<double> cosines; ///< of the principal angles, largest first
    std::size_t trivial = 0;
    double squares = 0, chance = 0; ///< of the cosines' squares the sum, and its mean over all orders of the rows
};

/// The square of the part of the direction (1, …, 1) that lies in the space.
double meanPart(const MatrixXd& orthonormaliser, const Matrix& a, RunControl& control)
{
    const double square = (orthonormaliser.transpose() * columnSums(a, control)).squaredNorm() / static_cast<double>(a.rows);
    return std::min(square, 1.0);
}

SpaceMatch matchSpace(const Matrix& a, const Matrix& b, RunControl& control)
{
    const MatrixXd left = orthonormaliser(a, control), right = orthonormaliser(b, control);
    MatrixXd between = left.transpose() * columnProducts(a, b, control) * right;
    if (between.rows() > between.cols())
        between.transposeInPlace();
    SpaceMatch match;
    for (const double square : symmetricEigen(between * between.transpose(), control).values) {
        match.cosines.push_back(std::sqrt(std::clamp(square, 0.0, 1.0)));
        match.squares += std::clamp(square, 0.0, 1.0);
    }
    std::sort(match.cosines.begin(), match.cosines.end(), std::greater<>());
    const auto widths = static_cast<std::size_t>(left.cols() + right.cols());
    match.trivial = widths > a.rows ? widths - a.rows : 0;
    const double u = meanPart(left, a, control), v = meanPart(right, b, control);
    match.chance = u * v;
    if (a.rows > 1)
        match.chance += (static_cast<double>(left.cols()) - u) * (static_cast<double>(right.cols()) - v) / static_cast<double>(a.rows - 1);
    return match;
}

/// Modes count as much as chance leaves in them to agree on.
ModelMatch matchSpaces(const Model& first, const Model& second, RunControl& control)
{
    ModelMatch match;
    std::size_t count = 0;
    double squares = 0, chance = 0;
    for (unsigned n = 0; n < first.order(); ++n) {
        SpaceMatch space = matchSpace(first.factors[n], second.factors[n], control);
        for (const double cosine : space.cosines)
            match.score += cosine;
        count += space.cosines.size();
        squares += space.squares;
        chance += space.chance;
        match.cosines.push_back(std::move(space.cosines));
        match.trivial.push_back(space.trivial);
    }
    match.score /= static_cast<double>(std::max<std::size_t>(count, 1));
    match.agreement = beyondChance(squares, chance, static_cast<double>(count));
    return match;
}

} // namespace

bool ComponentPair::isDefined() const { return chance < allByChance; }

bool ComponentPair::isSame() const { return isDefined() && beyondChance(congruence, chance, 1) >= sameCongruence; }

ModelMatch matchModels(const Model& first, const Model& second, RunControl& control)
{
    requireSameDims(first, second);
    const bool components = first.kind == ModelKind::Cp && second.kind == ModelKind::Cp;
    return components ? matchComponents(first, second, control) : matchSpaces(first, second, control);
}

} // namespace kernels
