// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_ccd/back_end.h"

#include "kernels/base/chunks.h"
#include "kernels/operations/core_contraction/walker.h"

#include <algorithm>

/// What the rest of the program knows of Tucker by coordinate descent over observed entries.
namespace kernels::tucker_ccd {
namespace {

using core_contraction::Room;
using core_contraction::Shape;
using tucker_als::RunPlan;

constexpr Count mostCoreParts = 64;

ParameterSpec real(const char* id, const char* label, const char* help, double value, double minimum, double maximum, bool advanced,
                   std::vector<ParameterCondition> onlyWhen)
{
    return {id, label, help, ParameterType::Real, value, minimum, maximum, {}, {}, advanced, std::move(onlyWhen)};
}

ParameterSpec whole(const char* id, const char* label, const char* help, std::int64_t value, double maximum)
{
    return {id, label, help, ParameterType::Integer, value, 1, maximum, {}, {}, true};
}

std::vector<ParameterSpec> parameters()
{
    std::vector<ParameterSpec> specs{
        ParameterSpec{"penalty-form",
                      "Penalty form",
                      "squares: numbers that say little become small (L2); sizes: they become exactly 0, or what Shrink to says (L1), and "
                      "may come back "
                      "until pruning begins.",
                      ParameterType::Choice,
                      std::string("squares"),
                      0,
                      0,
                      {},
                      {"squares", "sizes"},
                      false},
        ParameterSpec{
            "pruning",
            "Pruning",
            "automatic: numbers that the fit can do without become 0 until the training RMSE would rise too much; to-sparsity: until "
            "so many are 0; off: none.",
            ParameterType::Choice,
            std::string("automatic"),
            0,
            0,
            {},
            {"automatic", "to-sparsity", "off"},
            false},
        real("error-rise", "Error rise", "How far the training RMSE may rise by pruning, as a share of the least one before.", 0.01, 0, 10,
             false, {{"pruning", "automatic"}}),
        real("sparsity", "Sparsity", "Share of zeros that the core and every factor have in the end.", 0.9, 0, 0.9999, false,
             {{"pruning", "to-sparsity"}}),
        real("prune-rate", "Prune rate",
             "Share of the numbers left that goes at a time, of the core and of every factor: those that the loss rises least without.",
             0.1, 0.001, 0.9, true, {}),
        whole("prune-after", "Prune after", "Iterations before the first pruning.", 10, 1e6),
        whole("prune-every", "Prune every", "Iterations from one pruning to the next; those between fit what is left.", 2, 1e6),
        whole("row-sweeps", "Row sweeps", "How often the numbers of a row are renewed while what its entries say of it is at hand.", 3,
              100)};
    for (ParameterSpec& spec : tucker_als::penaltyParameters())
        specs.insert(spec.advanced ? specs.end() : specs.begin() + static_cast<std::ptrdiff_t>(spec.id == "penalty" ? 0 : 2), spec);
    return specs;
}

AlgorithmPreset paperPreset(const char* id, const char* title, const char* form, const char* pruning)
{
    return {id, title, "direct",
            ParameterMap{{"penalty", 0.01},
                         {"penalty-form", std::string(form)},
                         {"start", std::string("paper")},
                         {"shrink-to", std::string("zero")},
                         {"relative-penalty", false},
                         {"row-sweeps", std::int64_t{1}},
                         {"pruning", std::string(pruning)}}};
}

/// Of all columns of the core along that mode, an entry's products and a row's share in the sums.
double corePassFlops(const Shape& shape, unsigned mode)
{
    constexpr double ofEntry = 8;
    const double rank = shape.ranks[mode], entries = static_cast<double>(shape.entries);
    const double rows = std::min(static_cast<double>(shape.dims[mode]), entries);
    return static_cast<double>(shape.coreNumbers()) / rank * (entries * ofEntry + rows * (rank * rank + 4 * rank));
}

double flopsPerIteration(const RunConfig& config, const ProblemShape& problem)
{
    const RunPlan plan = tucker_als::planRun(config, problem, needs(true));
    double flops = plan.core.flops + corePassFlops(plan.shape, plan.core.modes.front());
    for (unsigned n = 0; n < plan.rows.size(); ++n) {
        const double rank = plan.shape.ranks[n];
        flops += static_cast<double>(problem.trainEntries) * tucker_als::flopsOfEntry(plan.rows[n], problem.trainEntries)
            + problem.dims[n] * 6 * rank * rank;
    }
    return flops;
}

} // namespace

unsigned coreMode(const Shape& shape)
{
    unsigned best = 0;
    for (unsigned mode = 1; mode < shape.dims.size(); ++mode)
        if (corePassFlops(shape, mode) < corePassFlops(shape, best))
            best = mode;
    return best;
}

Count coreSumParts(Count entries)
{
    constexpr Count leastEntries = Count{1} << 14;
    return std::min(mostCoreParts, chunkCount(entries, leastEntries));
}

/// First residuals, then they, products, columns of the rows, and sums.
std::uint64_t corePassBytes(const RunPlan& plan, unsigned valueBytes, unsigned threads)
{
    const Shape& shape = plan.shape;
    const unsigned own = plan.core.modes.front();
    std::uint64_t columns = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n)
        columns += n == own ? 0 : std::uint64_t{shape.dims[n]} * shape.ranks[n];
    const std::uint64_t products = std::max<std::uint64_t>(shape.dims.size() - 2, 1), rank = shape.ranks[own];
    const std::uint64_t room = valueBytes == sizeof(float) ? Room<float>::bytes(plan.core, false) : Room<double>::bytes(plan.core, false);
    const std::uint64_t residuals = shape.entries * (valueBytes + sizeof(Index)) + threads * room;
    const std::uint64_t descent =
        (shape.entries * (1 + products) + columns) * valueBytes + coreSumParts(shape.entries) * rank * (rank + 1) * sizeof(double);
    return std::max(residuals, descent) + shape.coreNumbers() * sizeof(float);
}

/// Equations and the row; equations of a piece of a giant row.
tucker_als::Needs needs(bool prunes)
{
    return {[](unsigned stride, unsigned value) {
                return std::uint64_t{stride} * (stride + 1) * sizeof(double) + std::uint64_t{stride} * value;
            },
            [](unsigned stride, unsigned) { return std::uint64_t{stride} * (stride + 1) * sizeof(double); },
            0,
            prunes ? static_cast<unsigned>(sizeof(float)) : 0U,
            corePassBytes,
            coreMode};
}

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "Tucker CCD";
    info.paperName = "Vest";
    info.family = "Tucker";
    info.summary =
        "Coordinate descent for a Tucker model over the observed entries; number after number of rows and core is fitted, and what "
        "the fit can do without is pruned, so that both are sparse.";
    info.objective = Objective::Observed;
    info.model = ModelKind::Tucker;
    info.maxRank = 128;
    info.variants = tucker_als::variants("", "Vest");
    info.formats = {"coo"};
    info.parameters = parameters();
    info.presets = {paperPreset("paper", "Vest, L2, to a sparsity (paper)", "squares", "to-sparsity"),
                    paperPreset("paper-automatic", "Vest, L2, automatic (paper)", "squares", "automatic"),
                    paperPreset("paper-l1", "Vest, L1, to a sparsity (paper)", "sizes", "to-sparsity"),
                    paperPreset("paper-l1-automatic", "Vest, L1, automatic (paper)", "sizes", "automatic")};
    info.equation = "x = sum_j1..jN G[j1,..,jN] prod_n A(n)[i_n,j_n]";
    info.supports = [](const Choice& choice) { return tucker_als::supportsChoice(choice, "Tucker CCD"); };
    info.supportsParameters = tucker_als::supportsCore;
    info.estimateMemory = [](const RunConfig& config, const ProblemShape& problem) {
        const auto pruning = config.parameters.find("pruning");
        const bool prunes = pruning == config.parameters.end() || pruning->second != ParameterValue(std::string("off"));
        return tucker_als::planRun(config, problem, needs(prunes)).memory;
    };
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = [](const RunConfig& config, const ProblemShape& problem) {
        return tucker_als::bytesOfPasses(config, problem, 1);
    };
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return std::string(config.precision == Precision::Fp64 ? "Try" : "Try precision=fp64,") + " smaller ranks or a larger penalty.";
    };
    return info;
}

} // namespace kernels::tucker_ccd
