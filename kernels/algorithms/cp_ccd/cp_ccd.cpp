// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_ccd/back_end.h"
#include "kernels/algorithms/cp_completion_als/memory.h"

#include <algorithm>

/// What the rest of the program knows of CP by coordinate descent over observed entries.
namespace kernels::cp_ccd {
namespace {

constexpr std::int64_t defaultColumns = 8, mostColumns = 128;

ParameterSpec whole(const char* id, const char* label, const char* help, std::int64_t value, double maximum, bool advanced)
{
    return {id, label, help, ParameterType::Integer, value, 1, maximum, {}, {}, advanced};
}

std::int64_t given(const RunConfig& config, const char* id, std::int64_t otherwise)
{
    const auto found = config.parameters.find(id);
    return found == config.parameters.end() ? otherwise : std::get<std::int64_t>(found->second);
}

std::vector<ParameterSpec> parameters()
{
    std::vector<ParameterSpec> specs = cp_completion_als::penaltyParameters();
    const ParameterSpec columns = whole("columns", "Columns at once",
                                        "Columns that are solved for together, all others kept: 1 is coordinate descent; more take fewer "
                                        "iterations, each of more work; the rank: alternating least squares.",
                                        defaultColumns, static_cast<double>(mostColumns), false);
    specs.insert(specs.begin() + 2, columns);
    specs.push_back(whole("inner-sweeps", "Inner sweeps",
                          "How often the columns at work are renewed, mode after mode, before the next ones.", 1, 100, true));
    return specs;
}

AlgorithmPreset paperPreset(const char* id, const char* title, std::int64_t columns)
{
    ParameterMap parameters = cp_completion_als::paperParameters(0.1);
    parameters["columns"] = columns;
    parameters["inner-sweeps"] = std::int64_t{1};
    return {id, title, "ccd", parameters};
}

/// Columns are multiplied and added, renewed, and taken away, in every mode's list; residuals once an iteration.
double flopsPerIteration(const RunConfig& config, const ProblemShape& problem)
{
    const double rank = config.largestRank(), order = static_cast<double>(problem.dims.size()), columns = columnsOf(config);
    const double sweeps = static_cast<double>(given(config, "inner-sweeps", 1)), subsets = rank / columns;
    const double ofEntry =
        order * order * rank + subsets * order * (2 * order * columns + sweeps * (order * columns + columns * columns + 4 * columns));
    double flops = static_cast<double>(problem.trainEntries) * ofEntry;
    for (const Index rows : problem.dims)
        flops += rows * subsets * sweeps * columns * columns * columns / 3;
    return flops;
}

double bytesPerIteration(const RunConfig& config, const ProblemShape& problem)
{
    const unsigned columns = columnsOf(config);
    const double order = static_cast<double>(problem.dims.size()), subsets = static_cast<double>(config.largestRank()) / columns;
    const double passes = subsets * order * (2 + static_cast<double>(given(config, "inner-sweeps", 1)));
    return cp_completion_als::bytesOfPasses(config, problem, order, config.largestRank())
        + cp_completion_als::bytesOfPasses(config, problem, passes, columns);
}

} // namespace

unsigned columnsOf(const RunConfig& config)
{
    return std::min(static_cast<unsigned>(given(config, "columns", defaultColumns)), config.largestRank());
}

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "CP CCD";
    info.paperName = "CDTF, SALS";
    info.family = "CP";
    info.summary = "Coordinate descent for a sum of R rank-one terms over the observed entries: some columns of all modes after others, by "
                   "what the rest leaves of the entries.";
    info.objective = Objective::Observed;
    info.model = ModelKind::Cp;
    info.maxRank = maxRank;
    info.variants = {{"ccd", "CCD", "CDTF, SALS", "Columns in subsets, each renewed mode after mode against kept residuals."}};
    info.formats = {"coo"};
    info.parameters = parameters();
    info.presets = {paperPreset("cdtf", "CDTF (paper)", 1), paperPreset("sals", "SALS (paper)", 10)};
    info.equation = cp_completion_als::equation;
    info.supports = [](const Choice& choice) { return cp_completion_als::supportsChoice(choice, "CP CCD"); };
    info.estimateMemory = [](const RunConfig& config, const ProblemShape& problem) {
        return cp_completion_als::estimateWithLists(config, problem, {columnsOf(config), true});
    };
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = bytesPerIteration;
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return std::string(config.precision == Precision::Fp64 ? "Try" : "Try precision=fp64,") + " a smaller rank or a larger penalty.";
    };
    return info;
}

} // namespace kernels::cp_ccd
