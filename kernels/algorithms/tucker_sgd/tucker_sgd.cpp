// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_sgd/back_end.h"
#include "kernels/operations/core_contraction/device_sizes.h"

#include <fmt/format.h>

#include <algorithm>

/// What the rest of the program knows of Tucker by stochastic gradient descent over observed entries.
namespace kernels::tucker_sgd {
namespace {

using tucker_als::RunPlan;

ParameterSpec real(const char* id, const char* label, const char* help, double value, double maximum, bool advanced)
{
    return {id, label, help, ParameterType::Real, value, 0, maximum, {}, {}, advanced};
}

std::vector<ParameterSpec> parameters()
{
    return {
        real("learning-rate-a", "Learning rate A",
             "Step of the factor rows. Relative: the share of an entry's error that one row takes away when it is visited at the start; "
             "without a step cap no more than the values bear, the less the further the largest stands out.",
             0.06, 1e6, false),
        real("learning-rate-b", "Learning rate B",
             "Step of the core, taken once an iteration along the mean gradient. Relative: the share of the way to the core that would be "
             "best were entries spread evenly; above 2 it overshoots.",
             0.5, 1e6, false),
        real("decay", "Decay", "β in rate(t) = rate / (1 + β t^1.5), t counting iterations from 0.", 0.1, 1e6, false),
        real("lambda-a", "Penalty A", "λ of the factor rows, applied once per entry; larger values fit the training entries less closely.",
             0.06, 1e6, false),
        real("lambda-b", "Penalty B", "λ of the core.", 0.01, 1e6, false),
        ParameterSpec{"start",
                      "Start",
                      "balanced: every prediction near the mean value; paper: uniform random numbers as in the paper.",
                      ParameterType::Choice,
                      std::string("balanced"),
                      0,
                      0,
                      {},
                      {"balanced", "paper"},
                      false},
        ParameterSpec{"start-noise",
                      "Start noise",
                      "Relative standard deviation of the balanced start's rows.",
                      ParameterType::Real,
                      0.1,
                      0,
                      10,
                      {},
                      {},
                      true,
                      {{"start", "balanced"}}},
        ParameterSpec{
            "relative-rates",
            "Relative rates",
            "Measure rates and penalties by the slopes at the start, so that the defaults suit values of any size, and penalties and start "
            "noise by how far values lie apart, where that is little beside their mean; off: use them as they are.",
            ParameterType::Boolean,
            true,
            0,
            0,
            {},
            {},
            true},
        ParameterSpec{"mode-balance",
                      "Mode balance",
                      "Slows modes with many entries a row: their rate is multiplied by (fewest entries a row / theirs) to this power.",
                      ParameterType::Real,
                      0.5,
                      0,
                      1,
                      {},
                      {},
                      true},
        real("step-cap", "Step cap",
             "No entry's step takes away more than this share of its error: steep ones would overshoot above 2; 0: there is no cap.", 0.5,
             1e9, true)};
}

/// Uniform random start and rates as they are.
AlgorithmPreset paperPreset()
{
    return {"paper", "cuTucker (paper)", "direct",
            ParameterMap{{"learning-rate-a", 0.001},
                         {"learning-rate-b", 0.001},
                         {"lambda-a", 0.01},
                         {"lambda-b", 0.01},
                         {"decay", 0.05},
                         {"start", std::string("paper")},
                         {"relative-rates", false},
                         {"mode-balance", 0.0},
                         {"step-cap", 0.0}}};
}

double flopsPerIteration(const RunConfig& config, const ProblemShape& problem)
{
    const RunPlan plan = tucker_als::planRun(config, problem, needs());
    const double entries = static_cast<double>(problem.trainEntries);
    double flops = 2 * plan.core.flops;
    for (const core_contraction::Walk& walk : plan.rows)
        flops += walk.flops + entries * 8 * walk.openRank();
    return flops;
}

} // namespace

/// A row, padded; where it came to from a piece of a giant one; two sums as large as the core. On a GPU the map that a piece is, or where
/// a wide row came to.
tucker_als::Needs needs()
{
    tucker_als::Needs needs{[](unsigned stride, unsigned value) { return std::uint64_t{stride} * value; },
                            [](unsigned stride, unsigned) { return std::uint64_t{stride} * sizeof(double); }, 2};
    needs.pieces.least = [](unsigned rank) { // a mean had better be of few
        return rank <= widestMapped ? std::max<Count>(256, 32 * Count{rank}) : Count{1} << 14;
    };
    needs.pieces.numbers = [](unsigned rank, unsigned valueBytes) {
        const Count stride = core_contraction::gpu::deviceStride(rank);
        return rank <= widestMapped ? stride * (stride + 1) * valueBytes / sizeof(double) : stride;
    };
    return needs;
}

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "Tucker SGD";
    info.paperName = "cuTucker, SGD_Tucker";
    info.family = "Tucker";
    info.summary = "Stochastic gradient descent on the observed entries of a Tucker model with a dense core: every row by the entries it "
                   "has, mode after mode, then the core along its mean gradient.";
    info.objective = Objective::Observed;
    info.model = ModelKind::Tucker;
    info.maxRank = 128;
    info.variants = tucker_als::variants("", "cuTucker");
    info.formats = {"coo"};
    info.parameters = parameters();
    info.presets = {paperPreset()};
    info.equation = "x = sum_j1..jN G[j1,..,jN] prod_n A(n)[i_n,j_n]";
    info.supports = [](const Choice& choice) { return tucker_als::supportsChoice(choice, "Tucker SGD", tucker_als::OnGpu::TensorCores); };
    info.supportsParameters = tucker_als::supportsCore;
    info.estimateMemory = [](const RunConfig& config, const ProblemShape& problem) {
        return tucker_als::planRun(config, problem, needs()).memory;
    };
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = [](const RunConfig& config, const ProblemShape& problem) {
        return tucker_als::bytesOfPasses(config, problem, 1);
    };
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return fmt::format("Lower the learning rates (learning-rate-a is {}), for instance to a third.",
                           realParameter(config.parameters, "learning-rate-a"));
    };
    return info;
}

} // namespace kernels::tucker_sgd
