// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/device_memory.h"
#include "kernels/algorithms/cp_completion_als/memory.h"
#include "kernels/algorithms/cp_sgd/back_end.h"
#include "kernels/base/dispatch.h"
#include "kernels/tensor/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

/// What the rest of the program knows of CP by stochastic gradient descent over observed entries.
namespace kernels::cp_sgd {
namespace {

ParameterSpec real(const char* id, const char* label, const char* help, double value, double maximum, bool advanced)
{
    return {id, label, help, ParameterType::Real, value, 0, maximum, {}, {}, advanced};
}

std::vector<ParameterSpec> parameters()
{
    return {
        real("learning-rate-a", "Learning rate A",
             "Step of the rows. Relative: the share of an entry's error that one of its rows takes away at the start; without a "
             "step cap no more than the values bear, the less the further the largest stands out.",
             0.06, 1e6, false),
        real("decay", "Decay", "β in rate(t) = rate / (1 + β t^1.5), t counting iterations from 0.", 0.1, 1e6, false),
        real("lambda-a", "Penalty A", "λ of the rows, applied once per entry; larger values fit the training entries less closely.", 0.06,
             1e6, false),
        ParameterSpec{"start",
                      "Start",
                      "balanced: every prediction near the mean value; paper: uniform in (0, 1).",
                      ParameterType::Choice,
                      std::string("balanced"),
                      0,
                      0,
                      {},
                      {"balanced", "paper"},
                      false},
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
        real(
            "step-cap", "Step cap",
            "No entry's rows take away more than this share of its error together: steep ones would overshoot above 2; 0: there is no cap.",
            0.5, 1e9, true)};
}

AlgorithmPreset paperPreset()
{
    return {"paper", "Hogwild! (paper)", "hogwild",
            ParameterMap{{"learning-rate-a", 0.001},
                         {"lambda-a", 0.01},
                         {"decay", 0.05},
                         {"start", std::string("paper")},
                         {"relative-rates", false},
                         {"mode-balance", 0.0},
                         {"step-cap", 0.0}}};
}

/// Products from both sides, the error, and steps.
double flopsPerIteration(const RunConfig& config, const ProblemShape& problem)
{
    const double order = static_cast<double>(problem.dims.size());
    return static_cast<double>(problem.trainEntries) * config.largestRank() * (9 * order + 1);
}

template <class T> MemoryUse onCpu(const RunConfig& config, const ProblemShape& problem)
{
    const auto order = static_cast<unsigned>(problem.dims.size());
    const unsigned rank = config.largestRank();
    std::uint64_t factors = 0;
    for (const Index rows : problem.dims)
        factors += std::uint64_t{rows} * rank * sizeof(T);
    const std::uint64_t entries = problem.trainEntries * (order * sizeof(Index) + sizeof(T));
    const std::uint64_t threads = cp_completion_als::threadsOf(config), work = threads * order * rank * sizeof(T);
    const std::uint64_t judging = threads * kruskal_rows::Room<T>::bytes(order, rank);
    constexpr std::uint64_t small = std::uint64_t{4} << 10; // arrays begin at whole cache lines
    return {0, 2 * factors + entries + work + std::max(factors, judging) + small};
}

/// Entries are shuffled column after column. On the host the start lies beside what rows are counted into, then beside what slows hot ones.
MemoryUse onGpu(const RunConfig& config, const ProblemShape& problem)
{
    constexpr std::uint64_t small = std::uint64_t{64} << 10; // arrays begin at whole blocks
    const std::uint64_t value = config.precision == Precision::Fp64 ? 8 : 4;
    const std::uint64_t ofEntry = problem.dims.size() * sizeof(Index) + value,
                        stride = kruskal_rows::gpu::deviceStride(config.largestRank());
    std::uint64_t factors = 0, scales = 0;
    for (const Index rows : problem.dims) {
        factors += std::uint64_t{rows} * stride * value;
        scales += std::uint64_t{rows} * sizeof(float);
    }
    const std::uint64_t train = problem.trainEntries * ofEntry, test = problem.testEntries * ofEntry;
    const std::uint64_t kept = train + test + 2 * factors + scales + cp_completion_als::gpu::sumNumbers * sizeof(double);
    const std::uint64_t& shares = scales; // of entries, as many and as long
    const std::uint64_t choosing = shares + std::max(sliceCountsBytes(problem.dims), scales);
    return {std::max(kept, train + problem.trainEntries * value) + small, factors + std::max(factors + scales, choosing) + small};
}

/// Steps of a row are added in no certain order.
Support supportsParameters(const RunConfig& config)
{
    return config.deterministic && config.devices.front().kind == DeviceKind::Cuda
        ? Support::no("On a GPU the workers' steps have other last bits every time: for a deterministic run choose the CPU.")
        : Support::yes();
}

} // namespace

unsigned workersOf(unsigned threads, bool deterministic, Count entries)
{
    constexpr Count entriesOfAWorker = 8192; // at least, else one alone is as fast
    return deterministic ? 1 : static_cast<unsigned>(std::min<Count>(threads, 1 + entries / entriesOfAWorker));
}

unsigned workersOnGpu(unsigned rank, Count entries, double meeting)
{
    constexpr Count lanesOfGpu = Count{132} * 2048, entriesOfAWorker = 1024;
    constexpr double mostAtOnce = 4; // of a row, on the average
    const Count lanes = std::clamp<Count>(std::bit_ceil((rank + 3) / 4), 1, 32);
    const Count fitting = std::min(lanesOfGpu / lanes, 1 + entries / entriesOfAWorker);
    return static_cast<unsigned>(std::clamp<Count>(static_cast<Count>(mostAtOnce / std::max(meeting, 1e-6)), 1, fitting));
}

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& problem)
{
    if (config.devices.front().kind == DeviceKind::Cuda)
        return onGpu(config, problem);
    return dispatchMasterType(config.precision, [&](auto type) { return onCpu<typename decltype(type)::type>(config, problem); });
}

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "CP SGD";
    info.paperName = "Hogwild!";
    info.family = "CP";
    info.summary = "Stochastic gradient descent for a sum of R rank-one terms over the observed entries: all rows of an entry at once, by "
                   "workers that lock nothing.";
    info.objective = Objective::Observed;
    info.model = ModelKind::Cp;
    info.maxRank = maxRank;
    info.variants = {
        {"hogwild", "Hogwild!", "Hogwild!",
         "Workers share the rows without locks, so that no two runs are alike; deterministic runs have one worker, on the CPU."}};
    info.formats = {"coo"};
    info.parameters = parameters();
    info.presets = {paperPreset()};
    info.equation = cp_completion_als::equation;
    info.supports = [](const Choice& choice) { return cp_completion_als::supportsChoice(choice, "CP SGD"); };
    info.supportsParameters = supportsParameters;
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = [](const RunConfig& config, const ProblemShape& problem) {
        const double value = config.precision == Precision::Fp64 ? 8 : 4, order = static_cast<double>(problem.dims.size());
        return static_cast<double>(problem.trainEntries) * (order * sizeof(Index) + value + 2 * order * config.largestRank() * value);
    };
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return fmt::format("Lower the learning rate (learning-rate-a is {}), for instance to a third.",
                           realParameter(config.parameters, "learning-rate-a"));
    };
    return info;
}

} // namespace kernels::cp_sgd
