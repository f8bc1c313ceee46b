// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace test {

/// Remembers every checkpoint of a run.
struct Keeper : kernels::CheckpointKeeper {
    std::map<std::uint64_t, kernels::Checkpoint> kept; ///< by iteration
    bool wantsCheckpoint(std::uint64_t, bool) override { return true; }
    void keep(kernels::Checkpoint checkpoint) override
    {
        const std::uint64_t iteration = checkpoint.soFar.history.size();
        kept[iteration] = std::move(checkpoint);
    }
    void cannotKeep(const std::string&) override { }
};

/// NaN is itself here, and 0 is not -0.
inline bool sameBits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

inline bool sameBits(const kernels::Matrix& a, const kernels::Matrix& b)
{
    return a.rows == b.rows && a.columns == b.columns && a.data == b.data;
}

/// What differs between two runs beside the times; empty: nothing.
inline std::string difference(const kernels::RunResult& a, const kernels::RunResult& b)
{
    if (a.history.size() != b.history.size() || a.reason != b.reason || a.bestIteration != b.bestIteration)
        return "length " + std::to_string(a.history.size()) + " and " + std::to_string(b.history.size()) + ", best "
            + std::to_string(a.bestIteration) + " and " + std::to_string(b.bestIteration) + ", " + std::string(toString(a.reason)) + " and "
            + std::string(toString(b.reason));
    using Row = kernels::IterationRecord;
    for (std::size_t i = 0; i < a.history.size(); ++i) {
        const Row& left = a.history[i];
        const Row& right = b.history[i];
        for (double Row::*number : {&Row::trainRmse, &Row::testRmse, &Row::trainMae, &Row::testMae, &Row::fit, &Row::objective,
                                    &Row::divergence, &Row::learningRateA, &Row::learningRateB})
            if (!sameBits(left.*number, right.*number))
                return "a number of iteration " + std::to_string(i + 1);
        if (left.iteration != right.iteration || left.nonzeros != right.nonzeros)
            return "a count of iteration " + std::to_string(i + 1);
    }
    for (std::size_t n = 0; n < a.best.factors.size(); ++n)
        if (!sameBits(a.best.factors[n], b.best.factors[n]))
            return "factor " + std::to_string(n);
    for (std::size_t n = 0; n < a.best.coreFactors.size(); ++n)
        if (!sameBits(a.best.coreFactors[n], b.best.coreFactors[n]))
            return "core factor " + std::to_string(n);
    if (a.best.weights != b.best.weights || a.best.core != b.best.core)
        return "weights or core";
    return {};
}

/// The same for all a solver holds after the last iteration.
inline std::string difference(const kernels::SolverState& a, const kernels::SolverState& b)
{
    for (const auto& [name, matrix] : a) {
        const auto other = b.find(name);
        if (other == b.end() || !sameBits(matrix, other->second))
            return name;
    }
    return a.size() == b.size() ? std::string() : std::string("number of arrays");
}

} // namespace test
