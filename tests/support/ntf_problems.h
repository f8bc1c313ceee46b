// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/operations/divergence.h"
#include "support/known_tensors.h"
#include "support/runs.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

/// Runs of ntf, and tensors it takes.
namespace test::ntf {

constexpr kernels::Divergence allDivergences[] = {kernels::Divergence::Euclidean, kernels::Divergence::KullbackLeibler,
                                                  kernels::Divergence::ItakuraSaito};

inline kernels::RunConfig configOf(kernels::Divergence divergence, unsigned rank, std::uint64_t iterations,
                                   kernels::Precision precision = kernels::Precision::Fp64)
{
    kernels::RunConfig config;
    config.algorithm = "ntf";
    config.variant = "ours";
    config.threads = 2;
    config.precision = precision;
    config.ranks = {rank};
    config.parameters["divergence"] = std::string(toString(divergence));
    config.parameters["row-steps"] = std::int64_t{1};
    fixIterations(config, iterations);
    return config;
}

/// The last slice of every mode is empty; values from 0.1 to 2.1, or with zeros among them.
inline kernels::SparseTensor positiveTensor(const std::vector<kernels::Index>& dims, kernels::Count entries, std::uint64_t seed,
                                            bool zeros = false, double shareOfFirst = 0.1)
{
    kernels::SparseTensor tensor = skewedTensor(dims, entries, shareOfFirst, seed, true);
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        tensor.setValue(e, zeros && e % 5 == 0 ? 0 : 0.1 + std::abs(tensor.value(e)));
    return tensor;
}

/// A model of some large and many small numbers, so that its terms differ.
inline kernels::Model plantedParts(const std::vector<kernels::Index>& dims, unsigned rank, std::uint64_t seed, double size = 1)
{
    kernels::Model model;
    model.kind = kernels::ModelKind::Cp;
    model.dims = dims;
    model.ranks.assign(dims.size(), rank);
    model.coreRank = rank;
    model.weights.assign(rank, 1);
    for (unsigned n = 0; n < dims.size(); ++n) {
        model.factors.emplace_back(dims[n], rank, true);
        for (std::size_t i = 0; i < dims[n]; ++i)
            for (unsigned r = 0; r < rank; ++r)
                model.factors[n].set(i, r, size * 3 * std::pow(kernels::random::uniform(seed, 7 + n, i * rank + r), 3));
    }
    return model;
}

/// Entries of a model at places drawn at random: draw(x̂, entry) makes the value.
inline kernels::SparseTensor drawnFrom(const kernels::Model& model, kernels::Count entries, std::uint64_t seed,
                                       const std::function<double(double, kernels::Count)>& draw)
{
    kernels::SparseTensor tensor(model.dims, entries, true);
    const kernels::Predictor predict(model);
    for (kernels::Count e = 0; e < entries; ++e) {
        std::vector<kernels::Index> index;
        for (unsigned n = 0; n < model.order(); ++n)
            index.push_back(tensor.indices[n][e] = static_cast<kernels::Index>(kernels::random::uniform(seed, 70 + n, e) * model.dims[n]));
        tensor.setValue(e, draw(predict(index), e));
    }
    return tensor;
}

inline kernels::SparseTensor exactValues(const kernels::Model& model, kernels::Count entries, std::uint64_t seed)
{
    return drawnFrom(model, entries, seed, [](double x, kernels::Count) { return x; });
}

/// By the inverse of its distribution.
inline double poisson(double mean, double u)
{
    double probability = std::exp(-mean), sum = probability;
    double count = 0;
    while (u > sum && count < 1000)
        sum += probability *= mean / ++count;
    return count;
}

inline std::string refusalOf(const kernels::RunConfig& config, const kernels::SparseTensor& tensor)
{
    try {
        runOn(config, tensor);
    } catch (const kernels::Error& error) {
        return error.what();
    }
    return {};
}

} // namespace test::ntf
