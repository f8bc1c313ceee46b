// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "support/ntf_oracle.h"
#include "support/ntf_problems.h"

#include <algorithm>
#include <cmath>

/// Every kind of step of ntf, run on whatever device the configuration names.
namespace test::ntf {

using namespace kernels;

struct Case {
    Divergence divergence;
    Penalty penalty;
    bool paper = false;
    unsigned times = 1;
};

/// Every kind of step there is.
inline std::vector<Case> allCases()
{
    std::vector<Case> cases;
    for (const Divergence divergence : allDivergences)
        for (const Penalty penalty : {Penalty{0, false}, Penalty{0.05, false}, Penalty{0.05, true}})
            for (const bool paper : {false, true})
                cases.push_back({divergence, penalty, paper, paper ? 1U : 2U});
    return cases;
}

inline RunConfig configOf(const Case& c, unsigned rank, Precision precision)
{
    RunConfig config = test::ntf::configOf(c.divergence, rank, 1, precision);
    config.variant = c.paper ? "paper" : "ours";
    config.parameters["penalty"] = c.penalty.lambda;
    config.parameters["regularisation"] = std::string(c.penalty.weighted ? "weighted" : "plain");
    config.parameters["row-steps"] = std::int64_t{c.times};
    return config;
}

/// A solver at its start.
struct Prepared {
    Prepared(const RunConfig& chosen, const SparseTensor& tensor)
        : config(resolve(chosen, tensor.dims()))
        , solver(algorithm("ntf").makeSolver({config, tensor, nullptr}))
    {
        solver->prepare(control);
    }

    RunConfig config;
    std::unique_ptr<Solver> solver;
    RunControl control;
};

/// Of a factor's numbers, the farthest apart, relative to the largest of them.
inline double farthest(const Factors& one, const Factors& other)
{
    double most = 0;
    for (std::size_t n = 0; n < one.size(); ++n) {
        double apart = 0, size = 0;
        for (std::size_t i = 0; i < one[n].size(); ++i)
            for (std::size_t r = 0; r < one[n][i].size(); ++r) {
                const double difference = std::abs(one[n][i][r] - other[n][i][r]);
                apart = std::isfinite(difference) ? std::max(apart, difference) : INFINITY;
                if (apart == INFINITY)
                    return INFINITY;
                size = std::max(size, std::abs(other[n][i][r]));
            }
        most = std::max(most, size > 0 ? apart / size : apart);
    }
    return most;
}

inline QString nameOf(const Case& c)
{
    return QStringLiteral("%1, penalty %2%3%4")
        .arg(QString::fromUtf8(toString(c.divergence).data()), QString::number(c.penalty.lambda),
             c.penalty.weighted ? QStringLiteral(" weighted") : QString(), c.paper ? QStringLiteral(", paper") : QString());
}

/// Loss + penalty of a start and of some iterations after it. size: of the start's numbers, those that fit being about 1.
inline std::vector<double> objectives(const RunConfig& chosen, const SparseTensor& tensor, double size, unsigned iterations)
{
    const RunConfig config = resolve(chosen, tensor.dims());
    const std::unique_ptr<Solver> solver = algorithm("ntf").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    SolverState state;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        Matrix rows(tensor.dims()[n], config.largestRank(), config.precision == Precision::Fp64);
        for (std::size_t i = 0; i < rows.rows; ++i)
            for (std::size_t r = 0; r < rows.columns; ++r)
                rows.set(i, r, size * (0.2 + 1.6 * random::uniform(3, n, i * rows.columns + r)));
        state["factor_" + std::to_string(n)] = std::move(rows);
    }
    state["weights"] = Matrix(1, config.largestRank(), true);
    for (unsigned r = 0; r < config.largestRank(); ++r)
        state["weights"].set(0, r, 1);
    solver->restoreState(std::move(state), control);
    std::vector<double> objectives{solver->evaluate(control).objective};
    for (unsigned t = 0; t < iterations; ++t) {
        solver->iterate(t, control);
        objectives.push_back(solver->evaluate(control).objective);
    }
    return objectives;
}

/// The farthest that one rises above the one before it, relative to how large the sums are that it is made of.
inline double largestRise(const std::vector<double>& objectives, double size)
{
    double rise = 0;
    for (std::size_t t = 1; t < objectives.size(); ++t) {
        if (!std::isfinite(objectives[t]) || !std::isfinite(objectives[t - 1]))
            return INFINITY;
        rise = std::max(rise, (objectives[t] - objectives[t - 1]) / (std::abs(objectives[t - 1]) + size));
    }
    return rise;
}

} // namespace test::ntf
