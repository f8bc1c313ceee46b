// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/oracle.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace kernels;

namespace test::oracle {
namespace {

Matrix inDoubles(const Matrix& matrix)
{
    Matrix result(matrix.rows, matrix.columns, true);
    for (std::size_t i = 0; i < matrix.rows; ++i)
        for (std::size_t j = 0; j < matrix.columns; ++j)
            result.set(i, j, matrix.at(i, j));
    return result;
}

double distance(const Matrix& actual, const Matrix& expected)
{
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < expected.rows; ++i)
        for (std::size_t j = 0; j < expected.columns; ++j) {
            largest = std::max(largest, std::abs(expected.at(i, j)));
            const double d = std::abs(actual.at(i, j) - expected.at(i, j));
            difference = std::isnan(d) ? d : std::max(difference, d);
        }
    return difference / std::max(largest, 1e-30);
}

void clip(Matrix& matrix)
{
    for (std::size_t i = 0; i < matrix.rows; ++i)
        for (std::size_t j = 0; j < matrix.columns; ++j)
            matrix.set(i, j, std::max(0.0, matrix.at(i, j)));
}

} // namespace

Model inDoubles(const Model& model)
{
    Model result = model;
    for (auto* group : {&result.factors, &result.coreFactors})
        for (Matrix& matrix : *group)
            matrix = inDoubles(matrix);
    return result;
}

Projections projections(const Model& model, const SparseTensor& tensor, Count entry)
{
    const unsigned order = model.order();
    const unsigned terms = model.coreRank;
    Projections p;
    for (unsigned n = 0; n < order; ++n) {
        Vector c(terms, 0.0);
        for (unsigned r = 0; r < terms; ++r)
            for (unsigned j = 0; j < model.ranks[n]; ++j)
                c[r] += model.factors[n].at(tensor.indices[n][entry], j) * model.coreFactors[n].at(j, r);
        p.c.push_back(c);
    }
    for (unsigned n = 0; n < order; ++n) {
        Vector w(terms, 1.0), d(model.ranks[n], 0.0);
        for (unsigned r = 0; r < terms; ++r)
            for (unsigned k = 0; k < order; ++k)
                if (k != n)
                    w[r] *= p.c[k][r];
        for (unsigned j = 0; j < model.ranks[n]; ++j)
            for (unsigned r = 0; r < terms; ++r)
                d[j] += model.coreFactors[n].at(j, r) * w[r];
        p.w.push_back(w);
        p.d.push_back(d);
    }
    for (unsigned r = 0; r < terms; ++r)
        p.predicted += p.c[0][r] * p.w[0][r];
    return p;
}

void factorPass(Model& model, const SparseTensor& tensor, const std::vector<Count>& order, Count batch, const FactorStep& step)
{
    for (std::size_t first = 0; first < order.size(); first += batch) {
        const std::optional<Model> old = batch > 1 ? std::optional(model) : std::nullopt;
        const Model& before = old ? *old : model; // one entry is read before its rows change
        const std::size_t end = std::min<std::size_t>(order.size(), first + batch);
        for (std::size_t v = first; v < end; ++v) {
            const Count entry = order[v];
            const Projections p = projections(before, tensor, entry);
            const double error = p.predicted - tensor.value(entry);
            for (unsigned n = 0; n < model.order(); ++n) {
                if (step.mode >= 0 && n != unsigned(step.mode))
                    continue;
                const Index row = tensor.indices[n][entry];
                const double rate = step.rates[n] * (step.rowScales.empty() ? 1.0 : double(step.rowScales[n][row]));
                double squares = 0;
                for (const double w : p.w[n])
                    squares += w * w;
                const double damped = error / (1 + (step.damping.empty() ? 0 : step.damping[n] * squares));
                for (unsigned j = 0; j < model.ranks[n]; ++j) {
                    const double slope = damped * p.d[n][j] + step.lambda * before.factors[n].at(row, j);
                    const double value = model.factors[n].at(row, j) - rate * slope;
                    model.factors[n].set(row, j, step.nonnegative && !step.clipsBatches ? std::max(0.0, value) : value);
                }
            }
        }
        for (std::size_t v = first; v < end && step.nonnegative && step.clipsBatches; ++v) {
            const Index row = tensor.indices[step.mode][order[v]];
            for (unsigned j = 0; j < model.ranks[step.mode]; ++j)
                model.factors[step.mode].set(row, j, std::max(0.0, model.factors[step.mode].at(row, j)));
        }
    }
}

void corePass(Model& model, const SparseTensor& tensor, double rate, double lambda, bool nonnegative, int mode)
{
    std::vector<Matrix> gradient;
    for (const Matrix& core : model.coreFactors)
        gradient.emplace_back(core.rows, core.columns, true);
    for (Count entry = 0; entry < tensor.entries(); ++entry) {
        const Projections p = projections(model, tensor, entry);
        const double error = p.predicted - tensor.value(entry);
        for (unsigned n = 0; n < model.order(); ++n)
            for (unsigned j = 0; j < model.ranks[n] && (mode < 0 || n == unsigned(mode)); ++j)
                for (unsigned r = 0; r < model.coreRank; ++r)
                    gradient[n].set(j, r, gradient[n].at(j, r) + error * model.factors[n].at(tensor.indices[n][entry], j) * p.w[n][r]);
    }
    for (unsigned n = 0; n < model.order(); ++n) {
        if (mode >= 0 && n != unsigned(mode))
            continue;
        Matrix& core = model.coreFactors[n];
        for (std::size_t j = 0; j < core.rows; ++j)
            for (std::size_t r = 0; r < core.columns; ++r)
                core.set(j, r, core.at(j, r) - rate * (gradient[n].at(j, r) / double(tensor.entries()) + lambda * core.at(j, r)));
        if (nonnegative)
            clip(core);
    }
}

ErrorSums errors(const Model& model, const SparseTensor& tensor)
{
    ErrorSums sums;
    for (Count entry = 0; entry < tensor.entries(); ++entry) {
        const double error = projections(model, tensor, entry).predicted - tensor.value(entry);
        sums += ErrorSums{error * error, std::abs(error), 1};
    }
    return sums;
}

double distance(const Model& actual, const Model& expected)
{
    double worst = 0;
    for (unsigned n = 0; n < expected.order(); ++n)
        for (const double d : {distance(actual.factors[n], expected.factors[n]), distance(actual.coreFactors[n], expected.coreFactors[n])})
            worst = std::isnan(d) ? d : std::max(worst, d);
    return worst;
}

} // namespace test::oracle
