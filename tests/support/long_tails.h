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

/// How counts are to be learnt; what is not said is as by default.
struct TailRun {
    std::string algorithm, variant;
    bool deterministic = false;
    kernels::DeviceId device = {};
    kernels::Precision precision = kernels::Precision::Fp32;
    unsigned ranks = 1, iterations = 50;
    std::uint64_t seed = 42;
};

/// Where the best iteration stands between what the counts were drawn from (0) and their mean (1), by held ones.
inline double standsAt(const Counts& counts, const TailRun& wish)
{
    kernels::RunConfig config;
    config.algorithm = wish.algorithm;
    config.variant = wish.variant;
    config.format = wish.variant == "full" || wish.variant == "bcsf-reuse" ? "bcsf" : "coo";
    config.precision = wish.precision;
    config.devices.assign(wish.ranks, wish.device);
    config.ranks = {6};
    config.coreRank = 6;
    config.threads = 2; // that race for rows, but for FasterTucker's
    config.deterministic = wish.deterministic;
    config.stopping.iterations = wish.iterations;
    config.seed = wish.seed;
    const kernels::RunResult result = runOn(config, counts.train, &counts.held);
    return (result.history[result.bestIteration - 1].testRmse - counts.ofRates) / (counts.ofMean - counts.ofRates);
}

} // namespace test
