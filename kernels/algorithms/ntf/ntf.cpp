// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/back_end.h"

#include "kernels/algorithms/ntf/start_number.h"

#include <algorithm>

/// What the rest of the program knows of non-negative CP by multiplicative updates.
namespace kernels::ntf {
namespace {

ParameterSpec choice(const char* id, const char* label, const char* help, std::vector<std::string> choices, bool advanced)
{
    return {id, label, help, ParameterType::Choice, choices.front(), 0, 0, {}, choices, advanced};
}

std::vector<ParameterSpec> parameters()
{
    return {
        choice("divergence", "Divergence",
               "What is minimised. euclidean: (x − x̂)², for noise of the same size everywhere; kl: Kullback-Leibler, for counts; is: "
               "Itakura-Saito, for positive values whose noise grows with them; auto: what the values look like.",
               {"auto", "euclidean", "kl", "is"}, false),
        ParameterSpec{"penalty",
                      "Penalty",
                      "λ of the squares of all factors; larger values fit the entries less closely.",
                      ParameterType::Real,
                      0.0,
                      0.0,
                      1e12,
                      {},
                      {},
                      false},
        choice("regularisation", "Regularisation",
               "plain: every row is penalised by λ; weighted: by λ times the number of its entries, so that long rows are held, too.",
               {"plain", "weighted"}, true),
        ParameterSpec{"row-steps",
                      "Row steps",
                      "How often a row is renewed while its entries are at hand: more take longer and need fewer iterations.",
                      ParameterType::Integer,
                      std::int64_t{2},
                      1,
                      100,
                      {},
                      {},
                      true},
        choice(
            "start", "Start",
            "Factors of the first iteration: random: uniform, so that predictions are about the mean value; model: those of a model file "
            "(--init FILE).",
            {"random", "model"}, true)};
}

/// The paper tells no λ of its measurements.
AlgorithmPreset paperPreset(const char* id, const char* title, const char* divergence)
{
    return {id, title, "paper", ParameterMap{{"divergence", std::string(divergence)}, {"row-steps", std::int64_t{1}}}};
}

Support supports(const Choice& choice)
{
    const bool narrow = choice.precision == Precision::Bf16;
    if (choice.precision != Precision::Fp32 && choice.precision != Precision::Fp64 && !narrow)
        return Support::no("Non-negative CP computes in fp32 or fp64, on a GPU in bf16, too.");
    if (narrow && choice.device.kind == DeviceKind::Cpu)
        return Support::no("Rows are read in bf16 on a GPU only: choose fp32 on the CPU.");
    if (choice.format != "coo")
        return Support::no("Non-negative CP arranges the entries by rows itself: choose the format coo.");
    return Support::yes();
}

Support hasOneRank(const RunConfig& config)
{
    const bool alike = std::all_of(config.ranks.begin(), config.ranks.end(), [&](unsigned rank) { return rank == config.ranks.front(); });
    return alike && config.coreRank == config.ranks.front()
        ? Support::yes()
        : Support::no("A sum of rank-one terms has one rank: give one number, and no core rank beside it.");
}

} // namespace

double startNumber(std::uint64_t seed, unsigned mode, Count row, unsigned rank, unsigned r, double size)
{
    return startNumberOf(seed, mode, row, rank, r, size);
}

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "Non-negative CP";
    info.paperName = "GSSNTF";
    info.family = "CP";
    info.summary = "Multiplicative updates for a sum of R rank-one terms without negative numbers, over the observed entries; for counts, "
                   "intensities and ratings whose empty cells are unknown. Its terms are parts that add up.";
    info.objective = Objective::Observed;
    info.model = ModelKind::Cp;
    info.maxRank = maxRank;
    info.variants = {{"ours", "Never rising", "", "Loss and penalty together never rise, whatever the divergence and the penalty."},
                     {"paper", "Paper", "GSSNTF",
                      "The paper's rule. The same without a penalty and for euclidean; with one, steps of kl and is may raise the loss."}};
    info.formats = {"coo"};
    info.parameters = parameters();
    info.presets = {paperPreset("paper-euclidean", "GSSNTF_Eu (paper)", "euclidean"), paperPreset("paper-kl", "GSSNTF_KL (paper)", "kl"),
                    paperPreset("paper-is", "GSSNTF_IS (paper)", "is")};
    info.severalDevices = true;
    info.equation = "x = sum_r w_r prod_n A(n)[i_n,r]";
    info.supports = supports;
    info.supportsParameters = hasOneRank;
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = bytesPerIteration;
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return std::string(config.precision == Precision::Fp64 ? "Try" : "Try precision=fp64,") + " variant=ours or a smaller penalty.";
    };
    return info;
}

} // namespace kernels::ntf
