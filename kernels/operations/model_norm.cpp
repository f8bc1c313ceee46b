// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/model_norm.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <Eigen/Dense>

#include <algorithm>

namespace kernels {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor gramMatrix(const Matrix& matrix, Progress* progress)
{
    const auto columns = static_cast<Eigen::Index>(matrix.columns);
    // Leaves of at least as many rows as columns, so that adding the parts never costs more than forming them.
    const std::size_t grain = std::max<std::size_t>(1024, matrix.columns);
    return tbb::parallel_deterministic_reduce(
        tbb::blocked_range<std::size_t>(0, matrix.rows, grain), RowMajor(RowMajor::Zero(columns, columns)),
        [&](const auto& range, RowMajor sum) {
            if (progress)
                progress->throwIfCancelled();
            std::visit(
                [&](const auto& data) {
                    using Element = typename std::decay_t<decltype(data)>::value_type;
                    using Rows = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
                    const Eigen::Map<const Rows> rows(data.data() + range.begin() * matrix.columns, static_cast<Eigen::Index>(range.size()),
                                                      columns);
                    const RowMajor doubles = rows.template cast<double>();
                    sum.noalias() += doubles.transpose() * doubles;
                },
                matrix.data);
            return sum;
        },
        [](RowMajor a, const RowMajor& b) {
            a += b;
            return a;
        });
}

RowMajor asDoubles(const Matrix& matrix)
{
    RowMajor result(matrix.rows, matrix.columns);
    for (std::size_t i = 0; i < matrix.rows; ++i)
        for (std::size_t j = 0; j < matrix.columns; ++j)
            result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = matrix.at(i, j);
    return result;
}

/// ‖Σ_r λ_r c_r^(1) ∘ … ∘ c_r^(N)‖² = λᵀ (∘_n C^(n)ᵀC^(n)) λ, for fasttucker with C^(n)ᵀC^(n) = Bᵀ(AᵀA)B.
double kruskalNorm(const Model& model, Progress* progress)
{
    const auto r = static_cast<Eigen::Index>(model.coreRank);
    RowMajor product = RowMajor::Ones(r, r);
    for (unsigned n = 0; n < model.order(); ++n) {
        const RowMajor ofMode = gramMatrix(model.factors[n], progress);
        if (model.kind == ModelKind::Cp) {
            product.array() *= ofMode.array();
        } else {
            const RowMajor b = asDoubles(model.coreFactors[n]);
            product.array() *= (b.transpose() * ofMode * b).array();
        }
    }
    Eigen::VectorXd weights = Eigen::VectorXd::Ones(r);
    if (!model.weights.empty())
        weights = Eigen::Map<const Eigen::VectorXd>(model.weights.data(), r);
    return weights.dot(product * weights);
}

/// ⟨G ×_1 A^(1)ᵀA^(1) … ×_N A^(N)ᵀA^(N), G⟩
double tuckerNorm(const Model& model, Progress* progress)
{
    Array<double> contracted = model.core;
    Eigen::Index left = 1;
    auto right = static_cast<Eigen::Index>(model.core.size());
    for (unsigned n = 0; n < model.order(); ++n) {
        const auto j = static_cast<Eigen::Index>(model.ranks[n]);
        const RowMajor ofMode = gramMatrix(model.factors[n], progress);
        right /= j;
        for (Eigen::Index slab = 0; slab < left; ++slab) {
            Eigen::Map<RowMajor> part(contracted.data() + slab * j * right, j, right);
            part = (ofMode * part).eval();
        }
        left *= j;
    }
    const auto size = static_cast<Eigen::Index>(model.core.size());
    return Eigen::Map<const Eigen::VectorXd>(contracted.data(), size).dot(Eigen::Map<const Eigen::VectorXd>(model.core.data(), size));
}

} // namespace

std::vector<double> gram(const Matrix& matrix, Progress* progress)
{
    const RowMajor result = gramMatrix(matrix, progress);
    return {result.data(), result.data() + result.size()};
}

double squaredNorm(const Model& model, Progress* progress)
{
    return model.kind == ModelKind::Tucker ? tuckerNorm(model, progress) : kruskalNorm(model, progress);
}

} // namespace kernels
