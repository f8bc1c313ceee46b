// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/models/model.h"
#include "kernels/operations/divergence.h"
#include "kernels/tensor/sparse_tensor.h"

#include <cmath>
#include <vector>

/// Non-negative CP as its formulas have it, in fp64 and in the order they are written.
namespace test::ntf {

using kernels::Divergence;

struct Penalty {
    double lambda = 0;
    bool weighted = false;
};

using Factors = std::vector<std::vector<std::vector<double>>>; ///< [mode][row][r]

inline Factors factorsOf(const kernels::Model& model)
{
    Factors factors(model.order());
    for (unsigned n = 0; n < model.order(); ++n)
        for (std::size_t i = 0; i < model.factors[n].rows; ++i) {
            factors[n].emplace_back();
            for (std::size_t r = 0; r < model.factors[n].columns; ++r)
                factors[n].back().push_back(model.factors[n].at(i, r) * (n == 0 && !model.weights.empty() ? model.weights[r] : 1.0));
        }
    return factors;
}

inline double productOfOthers(const Factors& factors, const kernels::SparseTensor& tensor, kernels::Count e, unsigned mode, std::size_t r)
{
    double product = 1;
    for (unsigned k = 0; k < tensor.order(); ++k)
        if (k != mode)
            product *= factors[k][tensor.indices[k][e]][r];
    return product;
}

inline double prediction(const Factors& factors, const kernels::SparseTensor& tensor, kernels::Count e)
{
    double sum = 0;
    for (std::size_t r = 0; r < factors[0][0].size(); ++r)
        sum += factors[0][tensor.indices[0][e]][r] * productOfOthers(factors, tensor, e, 0, r);
    return sum;
}

inline double meanOf(const kernels::SparseTensor& tensor)
{
    double sum = 0;
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        sum += tensor.value(e);
    return sum / double(tensor.entries());
}

/// One mode's rows, each from all of its entries, so many times.
inline void renewMode(Factors& factors, const kernels::SparseTensor& tensor, unsigned mode, Divergence divergence, Penalty penalty,
                      bool paper, unsigned times)
{
    const std::size_t rank = factors[0][0].size();
    const double least = 1e-12 * meanOf(tensor);
    std::vector<std::vector<kernels::Count>> entries(factors[mode].size());
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        entries[tensor.indices[mode][e]].push_back(e);
    for (std::size_t i = 0; i < entries.size(); ++i)
        for (unsigned t = 0; t < times && !entries[i].empty(); ++t) {
            std::vector<double> up(rank, 0.0), down(rank, 0.0);
            for (const kernels::Count e : entries[i]) {
                const double x = tensor.value(e), predicted = prediction(factors, tensor, e), floored = std::max(predicted, least);
                for (std::size_t r = 0; r < rank; ++r) {
                    const double s = productOfOthers(factors, tensor, e, mode, r);
                    up[r] += s
                        * (divergence == Divergence::Euclidean             ? x
                               : divergence == Divergence::KullbackLeibler ? (x > 0 ? x / floored : 0)
                                                                           : x / floored / floored);
                    down[r] += s
                        * (divergence == Divergence::Euclidean             ? predicted
                               : divergence == Divergence::KullbackLeibler ? 1
                                                                           : 1 / floored);
                }
            }
            const double lambda = penalty.lambda * (penalty.weighted ? double(entries[i].size()) : 1.0);
            for (std::size_t r = 0; r < rank; ++r) {
                double& a = factors[mode][i][r];
                const bool flat = down[r] == 0 && lambda == 0; // nothing says where to
                if (a == 0 || flat)
                    continue;
                if (paper || lambda == 0 || divergence == Divergence::Euclidean)
                    a = a * up[r] / (down[r] + lambda * a);
                else if (divergence == Divergence::KullbackLeibler)
                    a = up[r] == 0 ? 0 : 2 * a * up[r] / (down[r] + std::sqrt(down[r] * down[r] + 4 * lambda * a * up[r]));
                else
                    a = a * std::sqrt(up[r] / (down[r] + lambda * a));
            }
        }
}

inline double divergenceOf(Divergence divergence, double x, double predicted)
{
    switch (divergence) {
    case Divergence::KullbackLeibler:
        return (x > 0 ? x * std::log(x / predicted) : 0) - x + predicted;
    case Divergence::ItakuraSaito:
        return x / predicted - std::log(x / predicted) - 1;
    case Divergence::Euclidean:
        break;
    }
    return (x - predicted) * (x - predicted);
}

/// As the papers print it.
inline double lossOf(Divergence divergence, double x, double predicted)
{
    switch (divergence) {
    case Divergence::KullbackLeibler:
        return predicted - x * std::log(predicted);
    case Divergence::ItakuraSaito:
        return x / predicted + std::log(predicted);
    case Divergence::Euclidean:
        break;
    }
    return (x - predicted) * (x - predicted);
}

inline double penaltyOf(const Factors& factors, const kernels::SparseTensor& tensor, Divergence divergence, Penalty penalty)
{
    double sum = 0;
    for (unsigned n = 0; n < factors.size(); ++n) {
        std::vector<double> weights(factors[n].size(), penalty.weighted ? 0.0 : 1.0);
        for (kernels::Count e = 0; penalty.weighted && e < tensor.entries(); ++e)
            weights[tensor.indices[n][e]] += 1;
        for (std::size_t i = 0; i < factors[n].size(); ++i)
            for (const double a : factors[n][i])
                sum += weights[i] * a * a;
    }
    return penalty.lambda * sum * (divergence == Divergence::Euclidean ? 1 : 0.5);
}

} // namespace test::ntf
