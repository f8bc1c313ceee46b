// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"

#include "kernels/operations/mttkrp/mttkrp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

/// What the rest of the program knows of CP by alternating least squares.
namespace kernels::cp_als {
namespace {

/// Products of every mode, then of all rows with an R × R matrix, twice.
double flopsPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const double order = static_cast<double>(shape.dims.size()), rank = config.largestRank();
    double rows = 0;
    for (const Index size : shape.dims)
        rows += size;
    return order * (order + 1) * static_cast<double>(shape.trainEntries) * rank + rows * rank * (3 * rank + 6);
}

/// Of an entry and mode its other indices, value and the rows they name; factors and products are read and written some times.
double bytesPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const double value = config.precision == Precision::Fp64 ? 8 : 4;
    const double order = static_cast<double>(shape.dims.size()), row = config.largestRank() * value;
    double rows = 0;
    for (const Index size : shape.dims)
        rows += size;
    return static_cast<double>(shape.trainEntries) * order * ((order - 1) * (sizeof(Index) + row) + sizeof(Index) + value) + rows * row * 6;
}

Support supports(const Choice& choice)
{
    const bool onCpu = choice.device.kind == DeviceKind::Cpu;
    if (choice.precision == Precision::Fp16 || choice.precision == Precision::Bf16)
        return Support::no("CP-ALS computes in fp64, fp32 or tf32: it solves equations that 16 bits would spoil.");
    if (choice.precision == Precision::Tf32 && onCpu)
        return Support::no("A CPU has no tensor cores: choose fp32 or fp64, tf32 is for a GPU.");
    if (choice.precision == Precision::Tf32 && computeCapability(choice.device) < ComputeCapability{8, 0})
        return Support::no("tf32 needs tensor cores of compute capability 8.0 or later: choose fp32 or fp64.");
    const auto& formats = onCpu ? mttkrp::cpuFormats() : mttkrp::cudaFormats();
    if (std::find(formats.begin(), formats.end(), choice.format) != formats.end())
        return Support::yes();
    return Support::no(fmt::format("CP-ALS has no products of the format {} on {}: it has {} there.", choice.format,
                                   onCpu ? "the CPU" : "a GPU", fmt::join(formats, ", ")));
}

Support hasOneRank(const RunConfig& config)
{
    const bool alike = std::all_of(config.ranks.begin(), config.ranks.end(), [&](unsigned rank) { return rank == config.ranks.front(); });
    return alike && config.coreRank == config.ranks.front()
        ? Support::yes()
        : Support::no("A sum of rank-one terms has one rank: give one number, and no core rank beside it.");
}

/// Entries that are added in no certain order give other bits every time.
Support promisesBits(const RunConfig& config)
{
    const DeviceKind kind = config.devices.front().kind;
    if (!config.deterministic || mttkrp::promisesBits(config.format, kind))
        return Support::yes();
    std::vector<std::string> others;
    std::copy_if(mttkrp::cudaFormats().begin(), mttkrp::cudaFormats().end(), std::back_inserter(others),
                 [&](const std::string& format) { return mttkrp::promisesBits(format, kind); });
    return Support::no(fmt::format("On a GPU products in {} have other last bits every time: for a deterministic run choose the format {}.",
                                   config.format, fmt::join(others, " or ")));
}

Support supportsParameters(const RunConfig& config)
{
    const Support rank = hasOneRank(config);
    return rank ? promisesBits(config) : rank;
}

/// All there are, on the CPU, a GPU or both.
std::vector<std::string> allFormats()
{
    std::vector<std::string> formats = mttkrp::cpuFormats();
    for (const std::string& format : mttkrp::cudaFormats())
        if (std::find(formats.begin(), formats.end(), format) == formats.end())
            formats.push_back(format);
    return formats;
}

} // namespace

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "CP-ALS";
    info.paperName = "CP-ALS";
    info.family = "CP";
    info.summary =
        "Alternating least squares for a sum of R rank-one terms, over all cells of the tensor: those without an entry are zeros.";
    info.objective = Objective::All;
    info.model = ModelKind::Cp;
    info.maxRank = maxRank;
    info.variants = {{"als", "ALS", "CP-ALS", "One mode after another, each by the least squares of all its rows at once."}};
    info.formats = allFormats();
    info.parameters = {
        ParameterSpec{"ridge",
                      "Ridge",
                      "Added to the diagonal of the equations of every mode, so that terms that grow alike stay apart.",
                      ParameterType::Real,
                      0.0,
                      0.0,
                      1e12,
                      "",
                      {},
                      true},
        ParameterSpec{
            "evaluate-every",
            "Evaluate every",
            "Iterations from one pass over all entries, which RMSE and MAE need, to the next; fits between come from the products.",
            ParameterType::Integer,
            std::int64_t{1},
            1,
            1e9,
            "iterations",
            {},
            true},
        ParameterSpec{"start",
                      "Start",
                      "Factors of the first iteration: drawn from (0, 1); nvecs: each mode's leading eigenvectors; model: those of a "
                      "model file (--init FILE).",
                      ParameterType::Choice,
                      std::string("random"),
                      0,
                      0,
                      "",
                      {"random", "nvecs", "model"},
                      true}};
    info.severalDevices = true;
    info.equation = "x = sum_r w_r prod_n A(n)[i_n,r]";
    info.supports = supports;
    info.supportsParameters = supportsParameters;
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = bytesPerIteration;
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return std::string(config.precision == Precision::Fp64 ? "Try" : "Try precision=fp64,") + " a smaller rank or a larger ridge.";
    };
    return info;
}

} // namespace kernels::cp_als
