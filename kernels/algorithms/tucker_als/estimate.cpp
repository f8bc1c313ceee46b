// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/algorithms/tucker_als/cuda_sizes.h"
#include "kernels/base/dispatch.h"
#include "kernels/formats/csf.h"
#include "kernels/operations/core_contraction/walker.h"
#include "kernels/tensor/radix_sort.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>

namespace kernels::tucker_als {
namespace {

using core_contraction::paddedRank;
using core_contraction::Room;
using core_contraction::Shape;
using core_contraction::Walk;

Shape shapeOf(const RunConfig& config, const ProblemShape& problem)
{
    Shape shape{problem.dims, {}, problem.trainEntries};
    for (unsigned n = 0; n < problem.dims.size(); ++n)
        shape.ranks.push_back(config.rankOfMode(n));
    return shape;
}

bool fitsCore(const RunConfig& config)
{
    const auto found = config.parameters.find("core");
    return found == config.parameters.end() || found->second == ParameterValue(std::string("fitted"));
}

unsigned coreSteps(const RunConfig& config)
{
    const auto found = config.parameters.find("core-steps");
    return found == config.parameters.end() ? 1 : static_cast<unsigned>(std::get<std::int64_t>(found->second));
}

std::uint64_t equationBytes(unsigned stride) { return std::uint64_t{stride} * (stride + 1) * sizeof(double); }

/// Everything but tables: what is kept, and the most of load, passes and export beside it.
template <class T> struct HostBytes {
    HostBytes(const RunConfig& config, const ProblemShape& problem, const Needs& algorithm, const RunPlan& plan)
        : needs(algorithm)
        , threads(config.threads ? config.threads : std::max(1U, std::thread::hardware_concurrency()))
    {
        const auto order = static_cast<unsigned>(problem.dims.size());
        const Count core = plan.shape.coreNumbers();
        for (unsigned n = 0; n < order; ++n)
            factors += std::uint64_t{problem.dims[n]} * plan.shape.ranks[n] * sizeof(T);
        std::uint64_t lists = 0, building = 0;
        for (const Index rows : problem.dims) {
            building =
                std::max(building, lists + fastertucker::arrangeRowsBytes(order, problem.trainEntries, rows, sizeof(T), problem.dims));
            lists += fastertucker::rowEntriesBytes(order, problem.trainEntries, rows, sizeof(T));
        }
        kept = 2 * factors + lists + (core + core_contraction::vectorNumbers<T>)*sizeof(T) + 2 * core * sizeof(double);
        building += chunkCount(problem.trainEntries, radix::entriesPerChunk) * sizeof(Count) << radix::widestDigit; // counts of digits
        const std::uint64_t loading = factors + 2 * core * sizeof(double) + building;
        const std::uint64_t exporting = factors + core * sizeof(double);
        beside = std::max({loading > kept ? loading - kept : 0, exporting, fitting(plan), judging(plan)});
    }

    /// Of the pass over rows of one mode, the table apart.
    std::uint64_t renewing(const RunPlan& plan, unsigned mode) const
    {
        const Walk& walk = plan.rows[mode];
        const unsigned stride = paddedRank<T>(walk.openRank());
        const Count pieces = piecesAtOnce(plan.shape.entries, flopsOfEntry(walk, plan.shape.entries));
        return threads * (Room<T>::bytes(walk, false) + needs.ofTask(stride, sizeof(T))) + (pieces + 1) * needs.ofPiece(stride, sizeof(T))
            + plan.shape.dims[mode] * std::uint64_t{walk.openRank()} * needs.ofRowNumber;
    }

    std::uint64_t factors = 0, kept = 0, beside = 0;

private:
    /// Gradients of the parts of the entries, and what else is as large as the core.
    std::uint64_t fitting(const RunPlan& plan) const
    {
        const Count core = plan.shape.coreNumbers();
        if (needs.ofCorePass)
            return needs.ofCorePass(plan, sizeof(T), threads);
        if (needs.coreVectors == 0)
            return 0;
        return threads * Room<T>::bytes(plan.core, true) + coreParts(plan, sizeof(T)) * core * sizeof(T)
            + needs.coreVectors * core * sizeof(double) + plan.shape.entries * sizeof(Index);
    }
    std::uint64_t judging(const RunPlan& plan) const
    {
        return threads * Room<T>::bytes(plan.core, false) + plan.shape.entries * sizeof(Index);
    }

    Needs needs;
    unsigned threads;
};

template <class T> RunPlan planOnCpu(const RunConfig& config, const ProblemShape& problem, const Needs& needs, std::uint64_t room)
{
    RunPlan plan;
    plan.shape = shapeOf(config, problem);
    plan.core = needs.coreMode ? core_contraction::closedWalk(plan.shape, formats::rootedAt(plan.shape.dims, needs.coreMode(plan.shape)))
                               : core_contraction::cheapestClosedWalk(plan.shape);
    std::vector<unsigned> asStored(problem.dims.size());
    std::iota(asStored.begin(), asStored.end(), 0U);
    plan.test = core_contraction::closedWalk({problem.dims, plan.shape.ranks, std::max<Count>(problem.testEntries, 1)}, asStored);
    for (unsigned n = 0; n < problem.dims.size(); ++n)
        plan.rows.push_back(core_contraction::openWalk(plan.shape, n, 0));
    const HostBytes<T> bytes(config, problem, needs, plan);
    std::uint64_t most = bytes.beside;
    for (unsigned n = 0; n < problem.dims.size(); ++n) {
        const std::uint64_t without = bytes.kept + bytes.renewing(plan, n);
        const Count forTable = config.variant == "cached" && room > without ? (room - without) / sizeof(T) : 0;
        plan.rows[n] = core_contraction::openWalk(plan.shape, n, forTable);
        most = std::max(most, bytes.renewing(plan, n) + core_contraction::tableNumbers(plan.rows[n], problem.dims) * sizeof(T));
    }
    constexpr std::uint64_t small = std::uint64_t{8} << 10; // arrays begin at whole cache lines
    plan.memory.hostBytes = bytes.kept + most + small;
    return plan;
}

} // namespace

Count RunPlan::tableNumbers() const
{
    Count most = 0;
    for (const Walk& walk : rows)
        most = std::max(most, core_contraction::tableNumbers(walk, shape.dims));
    return most;
}

RunPlan planRun(const RunConfig& config, const ProblemShape& problem, const Needs& needs, std::uint64_t room)
{
    if (config.devices.front().kind != DeviceKind::Cpu)
        return gpu::planOnDevice(config, problem, needs, room);
    return dispatchMasterType(config.precision,
                              [&](auto type) { return planOnCpu<typename decltype(type)::type>(config, problem, needs, room); });
}

RunPlan planRun(const RunConfig& config, const ProblemShape& problem, const Needs& needs)
{
    return planRun(config, problem, needs, config.memoryLimit ? config.memoryLimit : std::numeric_limits<std::uint64_t>::max() / 2);
}

/// Equations, kept for a second attempt, and the row; the directions and sums of conjugate gradients.
Needs needs(bool coreIsFitted)
{
    return {[](unsigned stride, unsigned value) { return 2 * equationBytes(stride) + std::uint64_t{stride} * value; },
            [](unsigned stride, unsigned) { return equationBytes(stride); }, coreIsFitted ? 4U : 0U};
}

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& problem)
{
    return planRun(config, problem, needs(fitsCore(config))).memory;
}

double flopsPerIteration(const RunConfig& config, const ProblemShape& problem)
{
    const RunPlan plan = planRun(config, problem, needs(fitsCore(config)));
    const double entries = static_cast<double>(problem.trainEntries);
    double flops = 0;
    for (unsigned n = 0; n < plan.rows.size(); ++n) {
        const double rank = plan.shape.ranks[n];
        flops += entries * flopsOfEntry(plan.rows[n], problem.trainEntries) + problem.dims[n] * rank * rank * rank / 3;
    }
    if (fitsCore(config))
        flops += (coreSteps(config) + 1) * 2 * plan.core.flops;
    return flops;
}

/// For every pass each entry's other indices, value and rows.
double bytesOfPasses(const RunConfig& config, const ProblemShape& problem, double corePasses)
{
    const double value = config.precision == Precision::Fp64 ? 8 : 4;
    const double order = static_cast<double>(problem.dims.size());
    double columns = 0, own = 0;
    for (unsigned n = 0; n < problem.dims.size(); ++n) {
        columns += config.rankOfMode(n);
        own += static_cast<double>(problem.dims[n]) * config.rankOfMode(n);
    }
    const double pass = order * sizeof(Index) + value + columns * value;
    return static_cast<double>(problem.trainEntries) * pass * (order + corePasses) + 2 * own * value;
}

double bytesPerIteration(const RunConfig& config, const ProblemShape& problem)
{
    return bytesOfPasses(config, problem, fitsCore(config) ? coreSteps(config) + 1 : 0);
}

} // namespace kernels::tucker_als
