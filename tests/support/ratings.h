// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/runs.h"

#include "kernels/base/random.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace test {

/// Whole numbers from 1 to 5 that three terms explain up to a little noise, where few rows have most of the entries. What the terms have
/// in common is most of it and learnt in a moment; the rest asks for many steps of every row. A twentieth are for testing.
inline kernels::SyntheticProblem ratingsOfThreeTerms(const std::vector<kernels::Index>& dims, kernels::Count entries)
{
    using namespace kernels;
    constexpr unsigned terms = 3;
    const auto draw = [&](std::uint64_t stream, Count count) {
        SparseTensor tensor(dims, count);
        std::vector<double> popular;
        for (unsigned n = 0; n < dims.size(); ++n) {
            popular.assign(dims[n], 0); // up to each row
            double sum = 0;
            for (Index i = 0; i < dims[n]; ++i)
                popular[i] = sum += std::pow(i + 1 + 0.02 * dims[n], -0.8);
            for (Count e = 0; e < count; ++e) {
                const double at = random::uniform(stream, n, e) * sum;
                tensor.indices[n][e] = static_cast<Index>(std::upper_bound(popular.begin(), popular.end() - 1, at) - popular.begin());
            }
        }
        for (Count e = 0; e < count; ++e) {
            double value = 0;
            for (unsigned r = 0; r < terms; ++r) {
                double product = 1;
                for (unsigned n = 0; n < dims.size(); ++n)
                    product *= 0.7 + 0.4 * random::normal(8, n, std::uint64_t{tensor.indices[n][e]} * terms + r);
                value += product;
            }
            constexpr double mean = 1.03, deviation = 0.78; // of the sums
            const double rating = 3.4 + 0.9 * (value - mean) / deviation + 0.3 * random::normal(stream, 9, e);
            tensor.setValue(e, std::clamp(std::round(rating), 1.0, 5.0));
        }
        return tensor;
    };
    SyntheticProblem problem;
    problem.train = draw(1, entries);
    problem.test = draw(2, entries / 20);
    return problem;
}

/// Test error at its best in so many iterations of this variant, rank 16, else at default settings.
inline double learntOfRatings(const kernels::SyntheticProblem& problem, const char* variant, kernels::DeviceId device,
                              std::uint64_t iterations)
{
    kernels::RunConfig config;
    config.algorithm = "fasttucker-plus";
    config.variant = variant;
    config.ranks = {16};
    config.devices = {device};
    config.threads = 2; // the more race, the smaller steps are
    fixIterations(config, iterations);
    const kernels::RunResult result = runOn(config, problem.train, &problem.test);
    return result.history.at(result.bestIteration - 1).testRmse;
}

} // namespace test
