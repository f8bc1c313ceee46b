// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/back_end.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

/// What the rest of the program knows of Tucker by alternating least squares over observed entries.
namespace kernels::tucker_als {
namespace {

ParameterSpec choice(const char* id, const char* label, const char* help, std::vector<std::string> choices, bool advanced)
{
    return ParameterSpec{id, label, help, ParameterType::Choice, choices.front(), 0, 0, {}, choices, advanced};
}

std::vector<ParameterSpec> parameters()
{
    std::vector<ParameterSpec> specs = penaltyParameters();
    specs.insert(specs.begin() + 1,
                 {choice("core", "Core",
                         "fitted: some steps a sweep lower the loss by the core, too; kept: it stays as it was drawn, as in the paper.",
                         {"fitted", "kept"}, false),
                  ParameterSpec{"core-steps",
                                "Core steps",
                                "Steps of conjugate gradients on the core a sweep; each takes a pass over the entries.",
                                ParameterType::Integer,
                                std::int64_t{2},
                                1,
                                1000,
                                {},
                                {},
                                true,
                                {{"core", "fitted"}}}});
    return specs;
}

AlgorithmPreset paperPreset(const char* id, const char* title, const char* variant)
{
    return {id, title, variant,
            ParameterMap{{"penalty", 0.01},
                         {"core", std::string("kept")},
                         {"start", std::string("paper")},
                         {"shrink-to", std::string("zero")},
                         {"relative-penalty", false}}};
}

} // namespace

std::vector<ParameterSpec> penaltyParameters()
{
    return {
        ParameterSpec{"penalty",
                      "Penalty",
                      "λ of the rows, and of the core where it is fitted; larger values fit the entries less closely.",
                      ParameterType::Real,
                      1.0,
                      0.0,
                      1e12,
                      {},
                      {},
                      false},
        choice("start", "Start", "balanced: every prediction near the mean value; paper: rows and core uniform in (0, 1) as in the paper.",
               {"balanced", "paper"}, false),
        choice("shrink-to", "Shrink to",
               "Where the penalty draws rows. mean: to the row whose predictions are near the mean value, which rows without entries "
               "have then; zero: to zero, as in the paper.",
               {"mean", "zero"}, true),
        ParameterSpec{"relative-penalty",
                      "Relative penalty",
                      "Measure the penalty by the spread of the values and by the numbers there are for an entry, and weigh all modes and "
                      "the core alike, so that the default suits tensors of any kind; off: use it as it is.",
                      ParameterType::Boolean,
                      true,
                      0,
                      0,
                      {},
                      {},
                      true}};
}

Support supportsChoice(const Choice& choice, const std::string& title, OnGpu onGpu)
{
    if (onGpu == OnGpu::No && choice.device.kind != DeviceKind::Cpu)
        return Support::no(title + " runs on the CPU in this version.");
    const bool tensorCores = onGpu == OnGpu::TensorCores && choice.device.kind == DeviceKind::Cuda;
    if (choice.precision != Precision::Fp32 && choice.precision != Precision::Fp64 && !tensorCores)
        return Support::no(title + " computes in fp32 or fp64"
                           + (onGpu == OnGpu::TensorCores ? " on the CPU; tf32, fp16 and bf16 need a GPU." : "."));
    const ComputeCapability has = computeCapability(choice.device), needs{8, 0};
    if (choice.precision != Precision::Fp32 && choice.precision != Precision::Fp64 && has != ComputeCapability{} && has < needs)
        return Support::no(fmt::format("{} products of {} need compute capability {}.{} or higher; {} has {}.{}.",
                                       toString(choice.precision), title, needs.major, needs.minor, toString(choice.device), has.major,
                                       has.minor));
    if (choice.format != "coo")
        return Support::no(title + " arranges the entries by rows itself: choose the format coo.");
    return Support::yes();
}

Support supportsCore(const RunConfig& config)
{
    Count numbers = 1;
    for (const unsigned rank : config.ranks) {
        numbers *= rank;
        if (numbers > mostCoreNumbers)
            return Support::no(fmt::format("A core of {} numbers is too large: at most {} are kept. Choose smaller ranks.",
                                           fmt::join(config.ranks, " x "), mostCoreNumbers));
    }
    return Support::yes();
}

std::vector<AlgorithmVariant> variants(const std::string& cachedPaperName, const std::string& directPaperName)
{
    return {
        {"cached", "Cached", cachedPaperName,
         "The core contracted with every row of the shortest other mode is kept while a mode is renewed, where it fits and saves work."},
        {"direct", "Direct", directPaperName,
         "The core is contracted again for every run of neighbouring entries; needs the least memory."}};
}

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "Tucker ALS";
    info.paperName = "P-Tucker, GTA";
    info.family = "Tucker";
    info.summary = "Alternating least squares for a Tucker model over the observed entries: every row by the equations of its own entries, "
                   "then the core.";
    info.objective = Objective::Observed;
    info.model = ModelKind::Tucker;
    info.maxRank = 128;
    info.variants = variants("P-Tucker-Cache", "P-Tucker");
    info.formats = {"coo"};
    info.parameters = parameters();
    info.presets = {paperPreset("paper", "P-Tucker (paper)", "direct"), paperPreset("paper-cached", "P-Tucker-Cache (paper)", "cached")};
    info.equation = "x = sum_j1..jN G[j1,..,jN] prod_n A(n)[i_n,j_n]";
    info.supports = [](const Choice& choice) { return supportsChoice(choice, "Tucker ALS", OnGpu::Plain); };
    info.supportsParameters = supportsCore;
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = bytesPerIteration;
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return std::string(config.precision == Precision::Fp64 ? "Try" : "Try precision=fp64,") + " smaller ranks or a larger penalty.";
    };
    return info;
}

} // namespace kernels::tucker_als
