// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/tensor/sort.h"
#include "support/known_tensors.h"
#include "support/runs.h"

#include <Eigen/Dense>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

/// CP models over observed entries written down once more from the formulas, as plain fp64 loops over entries.
namespace test::cp {

struct Problem {
    std::vector<kernels::Index> dims;
    unsigned rank;
    kernels::Count entries;
    double shareOfFirst; ///< of the entries in one row of every mode
};

/// Orders 2 to 10; ranks that fill no vector, of 1 and above a mode's size; rows without entries, one that has nearly all.
inline const std::vector<std::pair<const char*, Problem>>& problems()
{
    static const std::vector<std::pair<const char*, Problem>> all{
        {"order 2", {{17, 12}, 5, 90, 0.1}},
        {"order 3", {{9, 8, 7}, 5, 200, 0.1}},
        {"order 3, rank 1", {{9, 8, 7}, 1, 60, 0}},
        {"order 2, rank 1", {{9, 8}, 1, 40, 0.1}},
        {"order 3, wide rows", {{6, 5, 4}, 19, 80, 0.2}},
        {"order 3, mostly empty", {{40, 30, 20}, 3, 25, 0}},
        {"order 4, nearly all in one row", {{6, 5, 7, 4}, 8, 300, 0.9}},
        {"order 5", {{4, 5, 3, 4, 3}, 4, 150, 0.1}},
        {"order 7", {std::vector<kernels::Index>(7, 4), 3, 120, 0.1}},
        {"order 10", {std::vector<kernels::Index>(10, 3), 9, 60, 0.1}},
    };
    return all;
}

/// Values from 1 to 5: of values about 0 a penalty would leave nothing to compare.
inline kernels::SparseTensor tensorOf(const Problem& problem)
{
    kernels::SparseTensor tensor = skewedTensor(problem.dims, problem.entries, problem.shareOfFirst, 7);
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        tensor.setValue(e, tensor.value(e) + 3);
    sortLexicographically(tensor);
    return tensor;
}

inline kernels::Matrix wide(const kernels::Matrix& matrix)
{
    kernels::Matrix to(matrix.rows, matrix.columns, true);
    for (std::size_t i = 0; i < matrix.rows; ++i)
        for (std::size_t j = 0; j < matrix.columns; ++j)
            to.set(i, j, matrix.at(i, j));
    return to;
}

/// A solver with its first model in fp64.
struct Begun {
    kernels::RunConfig config;
    std::unique_ptr<kernels::Solver> solver;
    kernels::RunControl control;
    kernels::Model model;

    Begun(const kernels::RunConfig& wished, const kernels::SparseTensor& tensor)
        : config(resolve(wished, tensor.dims()))
        , solver(kernels::algorithm(config.algorithm).makeSolver({config, tensor, nullptr}))
    {
        solver->prepare(control);
        model = solver->model(kernels::Snapshot::Latest);
        for (kernels::Matrix& factor : model.factors)
            factor = wide(factor);
    }
};

/// Two rows of the first mode have 30,000 entries each.
inline kernels::SparseTensor giantTensor() { return plantedProblem({2, 400, 300}, 60000, 2, 0.1).train; }

inline double largestDifference(const kernels::Model& a, const kernels::Model& b)
{
    double most = 0;
    for (std::size_t n = 0; n < a.factors.size(); ++n) {
        double apart = 0, size = 0;
        for (std::size_t i = 0; i < a.factors[n].rows; ++i)
            for (std::size_t j = 0; j < a.factors[n].columns; ++j) {
                apart = std::max(apart, std::abs(a.factors[n].at(i, j) - b.factors[n].at(i, j)));
                size = std::max(size, std::abs(b.factors[n].at(i, j)));
            }
        most = std::max(most, size > 0 ? apart / size : apart);
    }
    return most;
}

/// S: the products of the rows that all modes but one have for an entry; of all modes where `without` is none.
inline Eigen::VectorXd productsOf(const kernels::Model& model, const kernels::SparseTensor& tensor, kernels::Count entry, int without)
{
    Eigen::VectorXd product = Eigen::VectorXd::Ones(model.coreRank);
    for (unsigned n = 0; n < model.order(); ++n)
        for (unsigned r = 0; r < model.coreRank && int(n) != without; ++r)
            product[r] *= model.factors[n].at(tensor.indices[n][entry], r);
    return product;
}

struct Penalty {
    double lambda = 0;
    bool weighted = false;
    std::vector<Eigen::VectorXd> centres; ///< [mode]

    double of(kernels::Count entriesOfRow) const { return weighted ? lambda * static_cast<double>(entriesOfRow) : lambda; }
};
inline Penalty toZero(const kernels::Model& model, double lambda, bool weighted)
{
    return {lambda, weighted, std::vector<Eigen::VectorXd>(model.order(), Eigen::VectorXd::Zero(model.coreRank))};
}

/// Columns [first, first + count) of every row of a mode: a_S = (Σ S Sᵀ + λ)⁻¹ (Σ (x − x̂ + a_S·S) S + λ centre); without entries it
/// is the centre.
inline void renewRows(kernels::Model& model, const kernels::SparseTensor& tensor, unsigned mode, const Penalty& penalty, unsigned first,
                      unsigned count)
{
    for (kernels::Index row = 0; row < model.dims[mode]; ++row) {
        Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(count, count);
        Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
        const Eigen::VectorXd centre = penalty.centres[mode].segment(first, count);
        kernels::Count entries = 0;
        for (kernels::Count e = 0; e < tensor.entries(); ++e) {
            if (tensor.indices[mode][e] != row)
                continue;
            ++entries;
            const Eigen::VectorXd s = productsOf(model, tensor, e, int(mode)), mine = s.segment(first, count);
            double rest = tensor.value(e);
            for (unsigned r = 0; r < model.coreRank; ++r)
                if (r < first || r >= first + count)
                    rest -= s[r] * model.factors[mode].at(row, r);
            normal += mine * mine.transpose();
            right += rest * mine;
        }
        normal += penalty.of(entries) * Eigen::MatrixXd::Identity(count, count);
        right += penalty.of(entries) * centre;
        const Eigen::VectorXd solution = entries > 0 ? Eigen::VectorXd(normal.ldlt().solve(right)) : centre;
        for (unsigned r = 0; r < count; ++r)
            model.factors[mode].set(row, first + r, solution[r]);
    }
}

/// Σ (x − x̂)² + Σ λ |a − centre|²
inline double loss(const kernels::Model& model, const kernels::SparseTensor& tensor, const Penalty& penalty)
{
    double sum = 0;
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        sum += std::pow(tensor.value(e) - productsOf(model, tensor, e, -1).sum(), 2);
    for (unsigned n = 0; n < model.order(); ++n) {
        std::vector<kernels::Count> entries(model.dims[n], 0);
        for (const kernels::Index row : tensor.indices[n])
            ++entries[row];
        for (kernels::Index row = 0; row < model.dims[n]; ++row)
            for (unsigned r = 0; r < model.coreRank; ++r)
                sum += penalty.of(entries[row]) * std::pow(model.factors[n].at(row, r) - penalty.centres[n][r], 2);
    }
    return sum;
}

/// For every entry in the order it stands in, all its rows at once: a ← a − γ (e S + λ a), γ at most cap / Σ |S|² where there is a cap.
inline void stepRows(kernels::Model& model, const kernels::SparseTensor& tensor, const std::vector<kernels::Count>& order,
                     const std::vector<double>& rates, double lambda, double cap)
{
    for (const kernels::Count e : order) {
        const double error = productsOf(model, tensor, e, -1).sum() - tensor.value(e);
        std::vector<Eigen::VectorXd> products;
        double slope = 0;
        for (unsigned n = 0; n < model.order(); ++n) {
            products.push_back(productsOf(model, tensor, e, int(n)));
            slope += rates[n] * products.back().squaredNorm();
        }
        const double scale = cap > 0 && slope > cap ? cap / slope : 1;
        for (unsigned n = 0; n < model.order(); ++n)
            for (unsigned r = 0; r < model.coreRank; ++r) {
                const double a = model.factors[n].at(tensor.indices[n][e], r);
                model.factors[n].set(tensor.indices[n][e], r, a - scale * rates[n] * (error * products[n][r] + lambda * a));
            }
    }
}

} // namespace test::cp
