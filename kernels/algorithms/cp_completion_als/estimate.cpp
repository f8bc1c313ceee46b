// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/back_end.h"
#include "kernels/algorithms/cp_completion_als/device_memory.h"
#include "kernels/algorithms/cp_completion_als/memory.h"
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/operations/observed_rows/row_parts.h"
#include "kernels/tensor/radix_sort.h"

#include <algorithm>
#include <thread>

namespace kernels::cp_completion_als {
namespace {

/// What is kept, and the most of load, passes and export beside it.
template <class T> MemoryUse onCpu(const RunConfig& config, const ProblemShape& problem, const ListNeeds& needs)
{
    const auto order = static_cast<unsigned>(problem.dims.size());
    const unsigned rank = config.largestRank(), threads = threadsOf(config);
    std::uint64_t rows = 0, lists = 0, building = 0;
    for (const Index length : problem.dims) {
        rows += length;
        building = std::max(building, lists + fastertucker::arrangeRowsBytes(order, problem.trainEntries, length, sizeof(T), problem.dims));
        lists += fastertucker::rowEntriesBytes(order, problem.trainEntries, length, sizeof(T));
    }
    building += chunkCount(problem.trainEntries, radix::entriesPerChunk) * sizeof(Count) << radix::widestDigit; // counts of digits
    const std::uint64_t factors = rows * rank * sizeof(T);
    std::uint64_t kept = 2 * factors + lists;
    if (needs.residuals)
        kept += (problem.trainEntries * order + 2 * rows * needs.columns) * sizeof(T);
    const Count pieces = observed_rows::piecesAtOnce(problem.trainEntries, flopsOfEntry(order, needs.columns));
    const std::uint64_t judging = threads * kruskal_rows::Room<T>::bytes(order, rank);
    const std::uint64_t renewing = renewingBytes<T>(order, needs.columns, threads, pieces), loading = factors + building;
    constexpr std::uint64_t small = std::uint64_t{4} << 10; // arrays begin at whole cache lines
    return {0, kept + std::max({loading > kept ? loading - kept : 0, factors, judging, renewing}) + small};
}

} // namespace

unsigned threadsOf(const RunConfig& config) { return config.threads ? config.threads : std::max(1U, std::thread::hardware_concurrency()); }

ProblemShape shapeOf(const SolverInput& input)
{
    return {input.train.dims(), input.train.entries(), input.test ? input.test->entries() : 0, input.train.hasDoubleValues() ? 8U : 4U};
}

MemoryUse estimateWithLists(const RunConfig& config, const ProblemShape& problem, const ListNeeds& needs)
{
    if (config.devices.front().kind == DeviceKind::Cuda)
        return gpu::estimateWithLists(config, problem, needs);
    return dispatchMasterType(config.precision, [&](auto type) { return onCpu<typename decltype(type)::type>(config, problem, needs); });
}

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& problem)
{
    return estimateWithLists(config, problem, {config.largestRank(), false});
}

double flopsOfEntry(std::size_t order, unsigned columns)
{
    constexpr double least = 64; // what an entry's indices and rows take to be fetched
    const double c = columns;
    return std::max(least, static_cast<double>(order) * c + c * c + 4 * c);
}

double bytesOfPasses(const RunConfig& config, const ProblemShape& problem, double passes, unsigned columns)
{
    const double value = config.precision == Precision::Fp64 ? 8 : 4, order = static_cast<double>(problem.dims.size());
    double rows = 0;
    for (const Index length : problem.dims)
        rows += length;
    const double pass = order * sizeof(Index) + value + order * columns * value;
    return static_cast<double>(problem.trainEntries) * pass * passes + 2 * rows * config.largestRank() * value;
}

} // namespace kernels::cp_completion_als
