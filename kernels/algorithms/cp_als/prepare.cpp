// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/prepare.h"

#include "kernels/algorithms/cp_als/nvecs.h"
#include "kernels/base/chunks.h"
#include "kernels/base/random.h"
#include "kernels/device/require_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernels::cp_als {

Model drawStart(const SolverInput& input, RunControl& control)
{
    const unsigned rank = input.config.largestRank();
    Model start;
    start.kind = ModelKind::Cp;
    start.dims = input.train.dims();
    start.ranks.assign(input.train.order(), rank);
    start.coreRank = rank;
    start.weights.assign(rank, 1);
    const bool doubles = input.config.precision == Precision::Fp64;
    for (unsigned n = 0; n < input.train.order(); ++n) {
        if (choiceParameter(input.config.parameters, "start") == "nvecs") {
            start.factors.push_back(leadingVectors(input.train, n, rank, input.config.seed, doubles, control));
            continue;
        }
        start.factors.push_back(Matrix::unfilled(start.dims[n], rank, doubles));
        std::visit(
            [&](auto& numbers) {
                forEachChunk(numbers.size(), Count{1} << 14, control, [&](Count, Count begin, Count end) {
                    for (Count i = begin; i < end; ++i)
                        numbers[i] = static_cast<std::decay_t<decltype(numbers[0])>>(random::uniform(input.config.seed, n, i));
                });
            },
            start.factors.back().data);
    }
    return start;
}

RunPlan planThatFits(const SolverInput& input, std::uint64_t free)
{
    const RunConfig& config = input.config;
    const ProblemShape shape{input.train.dims(), input.train.entries(), input.test ? input.test->entries() : 0,
                             input.train.hasDoubleValues() ? 8U : 4U};
    const RunPlan plan = planRun(config, shape, config.memoryLimit ? std::min(free, config.memoryLimit) : free);
    const bool onCpu = config.devices.front().kind == DeviceKind::Cpu;
    requireMemory(config, plan.memory, free,
                  fmt::format("choose a smaller rank, the format {} or fewer entries.", onCpu ? "coo" : "blco, which streams them,"));
    return plan;
}

} // namespace kernels::cp_als
