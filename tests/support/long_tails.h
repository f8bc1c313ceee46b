// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/random.h"
#include "support/runs.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace test {

using kernels::Count;
using kernels::Index;
using kernels::SparseTensor;
namespace random = kernels::random;

/// Counts whose rates are sums of products of log-normal rows: a few are hundreds of times the mean.
struct Counts {
    SparseTensor train, held;
    double ofMean = 0, ofRates = 0; ///< RMSE of held ones beside the mean of the others, and beside what they were drawn from
    double reach = 0; ///< largest over mean
};

inline double normalRow(unsigned mode, Index row, unsigned term) { return random::normal(7, 100 + mode, row * 8 + term); }

inline double rateOf(const std::vector<Index>& index, double spread)
{
    double rate = 0;
    for (unsigned r = 0; r < 4; ++r) {
        double exponent = 0;
        for (unsigned n = 0; n < index.size(); ++n)
            exponent += normalRow(n, index[n], r) + 0.5 * normalRow(n, index[n], 7);
        rate += std::exp(spread * exponent);
    }
    return rate;
}

/// By inversion where the rate is small, else rounded from a normal.
inline double poisson(double rate, std::uint64_t number)
{
    if (rate > 30)
        return std::max(0.0, std::round(rate + std::sqrt(rate) * random::normal(7, 2, number)));
    double left = random::uniform(7, 3, number), probability = std::exp(-rate), count = 0;
    for (left -= probability; left > 0 && count < 200; left -= probability)
        probability *= rate / ++count;
    return count;
}

inline Counts countsOf(double spread)
{
    const std::vector<Index> dims{300, 200, 60};
    constexpr Count drawn = 120000;
    std::vector<std::vector<Index>> indices;
    std::vector<double> rates;
    double mean = 0;
    for (Count e = 0; e < drawn; ++e) {
        std::vector<Index> index;
        for (unsigned n = 0; n < 3; ++n)
            index.push_back(static_cast<Index>(dims[n] * std::pow(random::uniform(7, 10 + n, e), 1.7)));
        rates.push_back(rateOf(index, spread));
        mean += rates.back() / drawn;
        indices.push_back(std::move(index));
    }
    std::vector<Count> seen;
    std::vector<double> values(drawn);
    for (Count e = 0; e < drawn; ++e) {
        rates[e] *= 3 / mean;
        values[e] = poisson(rates[e], e);
        if (values[e] > 0)
            seen.push_back(e);
    }
    const std::size_t held = seen.size() / 10;
    Counts counts{SparseTensor(dims, seen.size() - held), SparseTensor(dims, held)};
    double sum = 0, largest = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        SparseTensor& tensor = i < held ? counts.held : counts.train;
        const std::size_t to = i < held ? i : i - held;
        for (unsigned n = 0; n < 3; ++n)
            tensor.indices[n][to] = indices[seen[i]][n];
        tensor.setValue(to, values[seen[i]]);
        sum += i < held ? 0 : values[seen[i]];
        largest = std::max(largest, values[seen[i]]);
    }
    const double ofTrain = sum / double(seen.size() - held);
    for (std::size_t i = 0; i < held; ++i) {
        counts.ofMean += std::pow(values[seen[i]] - ofTrain, 2) / double(held);
        counts.ofRates += std::pow(values[seen[i]] - rates[seen[i]], 2) / double(held);
    }
    counts.ofMean = std::sqrt(counts.ofMean);
    counts.ofRates = std::sqrt(counts.ofRates);
    counts.reach = largest / ofTrain;
    return counts;
}

/// Algorithms, and variants, that default settings are to learn them by.
inline std::vector<std::pair<const char*, const char*>> tailLearners()
{
    return {{"fasttucker-plus", "grouped"},
            {"fasttucker-plus", "store"},
            {"fasttucker", "calculate"},
            {"fastertucker", "coo"},
            {"fastertucker", "full"},
            {"fastertucker", "bcsf-reuse"},
            {"cp-sgd", ""},
            {"tucker-sgd", ""},
            {"ntf", "ours"}};
}

/// Where the best of a run by default settings stands between what the counts were drawn from (0) and their mean (1), by held ones.
inline double standsAt(const Counts& counts, const std::string& algorithm, const std::string& variant, bool deterministic,
                       kernels::DeviceId device = {}, kernels::Precision precision = kernels::Precision::Fp32, unsigned ranks = 1,
                       unsigned iterations = 50)
{
    kernels::RunConfig config;
    config.algorithm = algorithm;
    config.variant = variant;
    config.format = variant == "full" || variant == "bcsf-reuse" ? "bcsf" : "coo";
    config.precision = precision;
    config.devices.assign(ranks, device);
    config.ranks = {6};
    config.coreRank = 6;
    config.threads = 1; // of two that race for rows of a tree one run in ten or so ends early
    config.deterministic = deterministic;
    config.stopping.iterations = iterations;
    const kernels::RunResult result = runOn(config, counts.train, &counts.held);
    return (result.history[result.bestIteration - 1].testRmse - counts.ofRates) / (counts.ofMean - counts.ofRates);
}

} // namespace test
