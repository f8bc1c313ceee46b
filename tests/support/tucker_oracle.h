// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/tensor/sort.h"
#include "support/known_tensors.h"
#include "support/random_tensor.h"
#include "support/runs.h"

#include <Eigen/Dense>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

/// Tucker models written down once more from the formulas, as plain fp64 loops over all elements of the core.
namespace test::tucker {

struct Problem {
    std::vector<kernels::Index> dims;
    std::vector<unsigned> ranks;
    kernels::Count entries;
    double shareOfFirst; ///< of the entries in one row of every mode
};

/// Orders 2 to 10; ranks that fill no vector, of 1 and above a mode's size; rows without entries, one that has nearly all.
inline const std::vector<std::pair<const char*, Problem>>& problems()
{
    static const std::vector<std::pair<const char*, Problem>> all{
        {"order 2", {{17, 12}, {5, 3}, 90, 0.1}},
        {"order 3", {{9, 8, 7}, {5, 2, 9}, 200, 0.1}},
        {"order 3, ranks of 1", {{9, 8, 7}, {1, 1, 1}, 60, 0}},
        {"order 3, wide rows", {{6, 5, 4}, {17, 3, 2}, 80, 0.2}},
        {"order 3, mostly empty", {{40, 30, 20}, {2, 3, 4}, 25, 0}},
        {"order 4, nearly all in one row", {{6, 5, 7, 4}, {3, 2, 4, 2}, 300, 0.9}},
        {"order 5", {{4, 5, 3, 4, 3}, {2, 3, 1, 2, 3}, 150, 0.1}},
        {"order 7", {std::vector<kernels::Index>(7, 4), {2, 2, 3, 1, 2, 2, 2}, 120, 0.1}},
        {"order 10", {std::vector<kernels::Index>(10, 3), std::vector<unsigned>(10, 2), 60, 0.1}},
    };
    return all;
}

/// Rows for the columns number, variant, doubles.
inline void addProblems(kernels::Count largestCore = 1 << 20)
{
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("variant");
    QTest::addColumn<bool>("doubles");
    for (std::size_t i = 0; i < problems().size(); ++i)
        for (const char* variant : {"direct", "cached"})
            for (const bool doubles : {true, false}) {
                const std::vector<unsigned>& ranks = problems()[i].second.ranks;
                if (std::accumulate(ranks.begin(), ranks.end(), kernels::Count{1}, std::multiplies<>()) > largestCore)
                    continue;
                QTest::addRow("%s, %s, %s", problems()[i].first, variant, doubles ? "fp64" : "fp32") << int(i) << variant << doubles;
            }
}

inline kernels::SparseTensor tensorOf(const Problem& problem)
{
    kernels::SparseTensor tensor = skewedTensor(problem.dims, problem.entries, problem.shareOfFirst, 7);
    sortLexicographically(tensor);
    return tensor;
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
        for (kernels::Matrix& factor : model.factors) {
            kernels::Matrix wide(factor.rows, factor.columns, true);
            for (std::size_t i = 0; i < factor.rows; ++i)
                for (std::size_t j = 0; j < factor.columns; ++j)
                    wide.set(i, j, factor.at(i, j));
            factor = std::move(wide);
        }
    }
};

/// Two rows of the first mode have 30,000 entries each; with the ranks of giantConfig() both are cut into pieces.
inline kernels::SparseTensor giantTensor() { return plantedProblem({2, 400, 300}, 60000, 2, 0.1).train; }
inline kernels::RunConfig giantConfig(const char* algorithm)
{
    kernels::RunConfig config;
    config.algorithm = algorithm;
    config.variant = "direct";
    config.ranks = {48, 48, 48};
    return config;
}
/// The pieces that giant rows of the first mode are worked on in, entries counted in the order of that mode's rows.
inline std::vector<std::vector<kernels::tucker_als::RowPart>>
giantsOf(const kernels::RunConfig& wished, const kernels::SparseTensor& tensor, const kernels::tucker_als::Needs& needs)
{
    const kernels::RunConfig config = resolve(wished, tensor.dims());
    const kernels::tucker_als::RunPlan plan =
        kernels::tucker_als::planRun(config, {tensor.dims(), tensor.entries(), 0, tensor.hasDoubleValues() ? 8U : 4U}, needs);
    kernels::Array<kernels::Count> begins(tensor.dims()[0] + 1, 0);
    for (const kernels::Index row : tensor.indices[0])
        ++begins[row + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    return kernels::tucker_als::splitRows(begins, kernels::tucker_als::flopsOfEntry(plan.rows[0], tensor.entries()), config.ranks[0])
        .giants;
}

inline double largestDifference(const kernels::Matrix& a, const kernels::Matrix& b)
{
    double most = 0, size = 0;
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.columns; ++j) {
            most = std::max(most, std::abs(a.at(i, j) - b.at(i, j)));
            size = std::max(size, std::abs(b.at(i, j)));
        }
    return most / size;
}

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

/// Entries in the order of `modes`' indices, the first mode's rows one after another.
inline std::vector<kernels::Count> orderOfRows(const kernels::SparseTensor& tensor, const std::vector<unsigned>& modes)
{
    std::vector<kernels::Count> entries(tensor.entries());
    std::iota(entries.begin(), entries.end(), kernels::Count{0});
    std::stable_sort(entries.begin(), entries.end(), [&](kernels::Count a, kernels::Count b) {
        for (const unsigned mode : modes)
            if (tensor.indices[mode][a] != tensor.indices[mode][b])
                return tensor.indices[mode][a] < tensor.indices[mode][b];
        return false;
    });
    return entries;
}

/// Every row of a mode, by its entries in the order of the other modes' indices, modes as they are given, the mode itself first:
/// a ← a − γ (e δ + λ a), γ at most cap / |δ|² where there is a cap.
inline void stepRows(kernels::Model& model, const kernels::SparseTensor& tensor, const std::vector<unsigned>& modes, double rate,
                     double lambda, double cap)
{
    const unsigned mode = modes.front();
    for (const kernels::Count e : orderOfRows(tensor, modes)) {
        const kernels::Index row = tensor.indices[mode][e];
        const Eigen::VectorXd d = delta(model, indexOf(tensor, e), mode);
        double error = -tensor.value(e);
        for (unsigned j = 0; j < model.ranks[mode]; ++j)
            error += d[j] * model.factors[mode].at(row, j);
        const double step = cap > 0 ? std::min(rate, cap / d.squaredNorm()) : rate;
        for (unsigned j = 0; j < model.ranks[mode]; ++j) {
            const double a = model.factors[mode].at(row, j);
            model.factors[mode].set(row, j, a - step * (error * d[j] + lambda * a));
        }
    }
}

/// A row of the first of three modes as its pieces leave it: each steps through its entries from the row as it was, and the row becomes
/// their mean, weighted by their entries. Quick for large cores: G times a row of the second mode is made once for all entries in it.
inline Eigen::VectorXd stepRowByPieces(const kernels::Model& model, const kernels::SparseTensor& tensor,
                                       const std::vector<kernels::Count>& entries, const std::vector<kernels::tucker_als::RowPart>& pieces,
                                       double rate, double lambda, double cap)
{
    const Eigen::Index ranks[] = {model.ranks[0], model.ranks[1], model.ranks[2]};
    std::vector<Eigen::MatrixXd> contracted(model.dims[1]);
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(ranks[0]), third(ranks[2]);
    kernels::Count all = 0;
    for (const kernels::tucker_als::RowPart& piece : pieces) {
        Eigen::VectorXd row(ranks[0]);
        for (Eigen::Index j = 0; j < ranks[0]; ++j)
            row[j] = model.factors[0].at(piece.firstRow, static_cast<std::size_t>(j));
        for (kernels::Count at = piece.begin; at < piece.end; ++at) {
            const std::vector<kernels::Index> index = indexOf(tensor, entries[at]);
            Eigen::MatrixXd& part = contracted[index[1]];
            if (part.size() == 0) {
                part = Eigen::MatrixXd::Zero(ranks[0], ranks[2]);
                const double* number = model.core.data();
                for (Eigen::Index i = 0; i < ranks[0]; ++i)
                    for (Eigen::Index j = 0; j < ranks[1]; ++j)
                        for (Eigen::Index k = 0; k < ranks[2]; ++k)
                            part(i, k) += *number++ * model.factors[1].at(index[1], static_cast<std::size_t>(j));
            }
            for (Eigen::Index k = 0; k < ranks[2]; ++k)
                third[k] = model.factors[2].at(index[2], static_cast<std::size_t>(k));
            const Eigen::VectorXd d = part * third;
            const double step = cap > 0 ? std::min(rate, cap / d.squaredNorm()) : rate;
            row -= step * ((d.dot(row) - tensor.value(entries[at])) * d + lambda * row);
        }
        mean += static_cast<double>(piece.end - piece.begin) * row;
        all += piece.end - piece.begin;
    }
    return mean / static_cast<double>(all);
}

/// G ← G − γ (Σ e ⊗ a / |Ω| + λ G)
inline void stepCore(kernels::Model& model, const kernels::SparseTensor& tensor, double rate, double lambda)
{
    Eigen::Map<Eigen::VectorXd> core(model.core.data(), static_cast<Eigen::Index>(model.core.size()));
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(core.size());
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        const Eigen::VectorXd w = weights(model, indexOf(tensor, e));
        gradient += (w.dot(core) - tensor.value(e)) * w;
    }
    core -= rate * (gradient / static_cast<double>(tensor.entries()) + lambda * core);
}

/// Σ (x − x̂)² + λ_A Σ |a|² + λ_G |G|², or numbers' sizes in place of their squares
struct Penalties {
    double rows = 0, core = 0;
    bool sizes = false;
};
inline double loss(const kernels::Model& model, const kernels::SparseTensor& tensor, const Penalties& penalties)
{
    double sum = 0;
    const Eigen::Map<const Eigen::VectorXd> core(model.core.data(), static_cast<Eigen::Index>(model.core.size()));
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        sum += std::pow(tensor.value(e) - weights(model, indexOf(tensor, e)).dot(core), 2);
    for (const kernels::Matrix& factor : model.factors)
        for (std::size_t i = 0; i < factor.rows; ++i)
            for (std::size_t j = 0; j < factor.columns; ++j)
                sum += penalties.rows * (penalties.sizes ? std::abs(factor.at(i, j)) : factor.at(i, j) * factor.at(i, j));
    return sum + penalties.core * (penalties.sizes ? core.lpNorm<1>() : core.squaredNorm());
}

struct CoordinateRule {
    double lambda = 0;
    bool sizes = false; ///< are penalised, not squares
    bool keepsZeros = true;
};

/// What a number with Σ over the entries of (x − x̂ + a d) d and of d² becomes: a ← Σ (…) d / (Σ d² + λ). Where sizes are penalised the
/// loss is a parabola on either side of 0: the best of their lowest points and 0.
inline double coordinateStep(double a, double sumOfErrors, double sumOfSquares, const CoordinateRule& rule)
{
    const double pull = sumOfErrors + sumOfSquares * a;
    if (!rule.sizes)
        return pull / (sumOfSquares + rule.lambda);
    const auto loss = [&](double b) { return sumOfSquares * b * b - 2 * pull * b + rule.lambda * std::abs(b); };
    double best = 0;
    for (const double side : {-1.0, 1.0})
        if (const double lowest = (2 * pull - side * rule.lambda) / (2 * sumOfSquares); sumOfSquares > 0 && loss(lowest) < loss(best))
            best = lowest;
    return best;
}

/// Number after number of every row of a mode, `sweeps` times.
inline void stepRowsByCoordinates(kernels::Model& model, const kernels::SparseTensor& tensor, unsigned mode, const CoordinateRule& rule,
                                  unsigned sweeps)
{
    kernels::Matrix& factor = model.factors[mode];
    std::vector<Eigen::VectorXd> deltas;
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        deltas.push_back(delta(model, indexOf(tensor, e), mode));
    for (unsigned sweep = 0; sweep < sweeps; ++sweep)
        for (kernels::Index row = 0; row < model.dims[mode]; ++row)
            for (unsigned j = 0; j < model.ranks[mode]; ++j) {
                double errors = 0, squares = 0;
                for (kernels::Count e = 0; e < tensor.entries(); ++e) {
                    if (tensor.indices[mode][e] != row)
                        continue;
                    double error = tensor.value(e);
                    for (unsigned k = 0; k < model.ranks[mode]; ++k)
                        error -= deltas[e][k] * factor.at(row, k);
                    errors += error * deltas[e][j];
                    squares += deltas[e][j] * deltas[e][j];
                }
                if ((factor.at(row, j) != 0 || !rule.keepsZeros) && squares + rule.lambda > 0)
                    factor.set(row, j, coordinateStep(factor.at(row, j), errors, squares, rule));
            }
}

/// Element after element of the core, `own`'s place fastest, the other modes' in their order. Returns what the loss would rise by without
/// each, at its turn.
inline std::vector<double> stepCoreByCoordinates(kernels::Model& model, const kernels::SparseTensor& tensor, unsigned own,
                                                 const CoordinateRule& rule)
{
    std::vector<std::size_t> elements(model.core.size());
    std::iota(elements.begin(), elements.end(), std::size_t{0});
    const auto place = [&](std::size_t element, unsigned mode) {
        for (unsigned n = model.order(); n-- > mode + 1;)
            element /= model.ranks[n];
        return element % model.ranks[mode];
    };
    std::stable_sort(elements.begin(), elements.end(), [&](std::size_t a, std::size_t b) {
        for (unsigned n = 0; n < model.order(); ++n)
            if (n != own && place(a, n) != place(b, n))
                return place(a, n) < place(b, n);
        return false;
    });
    const auto numbers = static_cast<Eigen::Index>(model.core.size()), entries = static_cast<Eigen::Index>(tensor.entries());
    Eigen::MatrixXd all(entries, numbers);
    Eigen::VectorXd residuals(entries);
    for (Eigen::Index e = 0; e < entries; ++e) {
        all.row(e) = weights(model, indexOf(tensor, static_cast<kernels::Count>(e)));
        residuals[e] = tensor.value(static_cast<kernels::Count>(e));
    }
    Eigen::Map<Eigen::VectorXd> core(model.core.data(), numbers);
    residuals -= all * core;
    std::vector<double> rises(model.core.size(), 0.0);
    for (const std::size_t element : elements) {
        const auto i = static_cast<Eigen::Index>(element);
        const double squares = all.col(i).squaredNorm(), before = core[i];
        if ((before == 0 && rule.keepsZeros) || !(squares + rule.lambda > 0))
            continue;
        core[i] = coordinateStep(before, residuals.dot(all.col(i)), squares, rule);
        residuals -= (core[i] - before) * all.col(i);
        rises[element] = (residuals + core[i] * all.col(i)).squaredNorm() - residuals.squaredNorm()
            - rule.lambda * (rule.sizes ? std::abs(core[i]) : core[i] * core[i]);
    }
    return rises;
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
