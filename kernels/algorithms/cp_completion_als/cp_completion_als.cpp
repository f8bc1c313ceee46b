// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/back_end.h"

/// What the rest of the program knows of CP by alternating least squares over observed entries.
namespace kernels::cp_completion_als {
namespace {

ParameterSpec choice(const char* id, const char* label, const char* help, std::vector<std::string> choices, bool advanced)
{
    return ParameterSpec{id, label, help, ParameterType::Choice, choices.front(), 0, 0, {}, choices, advanced};
}

double flopsPerIteration(const RunConfig& config, const ProblemShape& problem)
{
    const double rank = config.largestRank();
    double flops = 0;
    for (const Index rows : problem.dims)
        flops += static_cast<double>(problem.trainEntries) * flopsOfEntry(problem.dims.size(), config.largestRank())
            + rows * rank * rank * rank / 3;
    return flops;
}

} // namespace

std::vector<ParameterSpec> penaltyParameters()
{
    return {
        ParameterSpec{"penalty",
                      "Penalty",
                      "λ of the rows; larger values fit the entries less closely.",
                      ParameterType::Real,
                      2.0,
                      0.0,
                      1e12,
                      {},
                      {},
                      false},
        choice("regularisation", "Regularisation",
               "plain: every row's penalty counts once; weighted: once for each of its entries, for which a penalty of 0.01 to 0.1 suits.",
               {"plain", "weighted"}, false),
        choice("start", "Start", "balanced: every prediction near the mean value; paper: uniform in (0, 1) as in the papers.",
               {"balanced", "paper"}, false),
        choice("shrink-to", "Shrink to",
               "Where the penalty draws rows. mean: to the row whose predictions are near the mean value, which rows without entries "
               "have then; zero: to zero, as in the papers.",
               {"mean", "zero"}, true),
        ParameterSpec{
            "relative-penalty",
            "Relative penalty",
            "Measure the penalty by the spread of the values, so that the default suits tensors of any kind; off: use it as it is.",
            ParameterType::Boolean,
            true,
            0,
            0,
            {},
            {},
            true}};
}

ParameterMap paperParameters(double penalty)
{
    return {{"penalty", penalty},
            {"regularisation", std::string("plain")},
            {"start", std::string("paper")},
            {"shrink-to", std::string("zero")},
            {"relative-penalty", false}};
}

Support supportsChoice(const Choice& choice, const std::string& title)
{
    if (choice.precision != Precision::Fp32 && choice.precision != Precision::Fp64)
        return Support::no(title + " computes in fp32 or fp64.");
    if (choice.format != "coo")
        return Support::no(title + " arranges the entries itself: choose the format coo.");
    return Support::yes();
}

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "CP completion ALS";
    info.paperName = "SPLATT";
    info.family = "CP";
    info.summary = "Alternating least squares for a sum of R rank-one terms over the observed entries: every row by the equations of its "
                   "own entries.";
    info.objective = Objective::Observed;
    info.model = ModelKind::Cp;
    info.maxRank = 512;
    info.variants = {{"als", "ALS", "SPLATT ALS", "One mode after another, each row by the least squares of its entries."}};
    info.formats = {"coo"};
    info.parameters = penaltyParameters();
    info.presets = {{"paper", "SPLATT ALS (paper)", "als", paperParameters(0.01)}};
    info.equation = equation;
    info.supports = [](const Choice& choice) { return supportsChoice(choice, "CP completion ALS"); };
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = [](const RunConfig& config, const ProblemShape& problem) {
        return bytesOfPasses(config, problem, static_cast<double>(problem.dims.size()), config.largestRank());
    };
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return std::string(config.precision == Precision::Fp64 ? "Try" : "Try precision=fp64,") + " a smaller rank or a larger penalty.";
    };
    return info;
}

} // namespace kernels::cp_completion_als
