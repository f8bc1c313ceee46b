// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plus_problem.h"
#include "support/tolerance.h"

#include "kernels/algorithms/fasttucker_plus/grouped_records.h"

#include <algorithm>
#include <memory>
#include <vector>

/// Small problems for entries that stand together or are grouped.
namespace test {

inline std::vector<std::vector<float>> sharesOf(const kernels::SparseTensor& tensor)
{
    std::vector<std::vector<float>> shares;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        shares.emplace_back(tensor.dims()[n], 0.0F);
        for (const kernels::Index i : tensor.indices[n])
            shares[n][i] += 1.0F / float(tensor.entries());
    }
    return shares;
}

/// The busiest row of each mode changes by some such part of the way to its optimum.
inline kernels::fasttucker_plus::FactorPass smallPass(const std::vector<std::vector<float>>& shares, double part = 0.002)
{
    kernels::fasttucker_plus::FactorPass pass;
    pass.iteration = 3;
    for (const auto& ofMode : shares)
        pass.rates.push_back(part / (double(drawnEntries) * *std::max_element(ofMode.begin(), ofMode.end())));
    pass.lambda = 0.03;
    return pass;
}

/// Rounding of operands, and rows that move during the pass; at high orders a change of some 1e-6 of its row is itself
/// rounded, to 2^-24 of the row.
inline double allowed(kernels::Precision precision, unsigned order)
{
    return 4 * (order + 1) * operandRoundOff(precision) + (order < 7 ? 0.02 : 0.08);
}

inline std::unique_ptr<kernels::fasttucker_plus::PlusBackEnd>
load(kernels::Precision precision, const kernels::SparseTensor& train, const kernels::Model& start,
     const std::vector<std::vector<float>>& shares, kernels::fasttucker_plus::Gathering gathering, kernels::RunControl& control,
     bool narrowRows = false, bool onTensorCores = true, const char* algorithm = "fasttucker-plus",
     unsigned tiles = kernels::fasttucker_plus::mostTiles, bool damped = false)
{
    auto backEnd = makeCuda(precision, algorithm);
    kernels::fasttucker_plus::Problem problem{train, nullptr, start, 11};
    problem.onTensorCores = onTensorCores;
    problem.grouping = gathering;
    problem.shares = &shares;
    problem.narrowRows = narrowRows;
    problem.tilesOfGroups = tiles;
    problem.damped = damped;
    backEnd->load(problem, control);
    return backEnd;
}

} // namespace test
