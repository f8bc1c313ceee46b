// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"
#include "support/random_tensor.h"

#include <Eigen/Dense>

#include <vector>

/// Tucker models written down once more from the formulas, as plain fp64 loops over all elements of the core.
namespace test::tucker {

/// Π of an entry's rows at one element of the core, `without` left out; where says the element's place in every mode.
inline double productOfRows(const kernels::Model& model, const std::vector<kernels::Index>& index, std::size_t element, int without,
                            std::vector<unsigned>& place)
{
    double product = 1;
    std::size_t rest = element;
    for (unsigned n = model.order(); n-- > 0; rest /= model.ranks[n]) {
        place[n] = static_cast<unsigned>(rest % model.ranks[n]);
        if (int(n) != without)
            product *= model.factors[n].at(index[n], place[n]);
    }
    return product;
}

/// δ: the core times the rows of all modes but one.
inline Eigen::VectorXd delta(const kernels::Model& model, const std::vector<kernels::Index>& index, unsigned mode)
{
    Eigen::VectorXd result = Eigen::VectorXd::Zero(model.ranks[mode]);
    std::vector<unsigned> place(model.order());
    for (std::size_t element = 0; element < model.core.size(); ++element) {
        const double product = productOfRows(model, index, element, int(mode), place);
        result[place[mode]] += model.core[element] * product;
    }
    return result;
}

/// ⊗ a: what the core's elements are multiplied by.
inline Eigen::VectorXd weights(const kernels::Model& model, const std::vector<kernels::Index>& index)
{
    Eigen::VectorXd result(static_cast<Eigen::Index>(model.core.size()));
    std::vector<unsigned> place(model.order());
    for (std::size_t element = 0; element < model.core.size(); ++element)
        result[static_cast<Eigen::Index>(element)] = productOfRows(model, index, element, -1, place);
    return result;
}

/// Every row of a mode: a = (Σ δδᵀ + λ)⁻¹ (Σ x δ + λ centre).
inline void renewRows(kernels::Model& model, const kernels::SparseTensor& tensor, unsigned mode, double lambda,
                      const Eigen::VectorXd& centre)
{
    const Eigen::Index rank = model.ranks[mode];
    for (kernels::Index row = 0; row < model.dims[mode]; ++row) {
        Eigen::MatrixXd normal = lambda * Eigen::MatrixXd::Identity(rank, rank);
        Eigen::VectorXd right = lambda * centre;
        for (kernels::Count e = 0; e < tensor.entries(); ++e) {
            if (tensor.indices[mode][e] != row)
                continue;
            const Eigen::VectorXd d = delta(model, indexOf(tensor, e), mode);
            normal += d * d.transpose();
            right += tensor.value(e) * d;
        }
        const Eigen::VectorXd solution = normal.ldlt().solve(right);
        for (Eigen::Index j = 0; j < rank; ++j)
            model.factors[mode].set(row, static_cast<std::size_t>(j), solution[j]);
    }
}

/// The core that minimises Σ (x − x̂)² + λ |G − centre|² with the rows as they are.
inline Eigen::VectorXd bestCore(const kernels::Model& model, const kernels::SparseTensor& tensor, double lambda, double centre)
{
    const auto numbers = static_cast<Eigen::Index>(model.core.size());
    Eigen::MatrixXd normal = lambda * Eigen::MatrixXd::Identity(numbers, numbers);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(numbers);
    right[0] = lambda * centre;
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        const Eigen::VectorXd w = weights(model, indexOf(tensor, e));
        normal += w * w.transpose();
        right += tensor.value(e) * w;
    }
    return normal.ldlt().solve(right);
}

} // namespace test::tucker
