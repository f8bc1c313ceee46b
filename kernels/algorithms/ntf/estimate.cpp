// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/algorithms/ntf/cuda_sizes.h"
#include "kernels/algorithms/ntf/group.h"
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/device/tile_group.h"
#include "kernels/operations/mttkrp/mttkrp.h"
#include "kernels/tensor/radix_sort.h"

#include <algorithm>
#include <limits>
#include <thread>

namespace kernels::ntf {
namespace {

double rowsOf(const ProblemShape& shape)
{
    double rows = 0;
    for (const Index size : shape.dims)
        rows += size;
    return rows;
}

double rowSteps(const RunConfig& config)
{
    const auto found = config.parameters.find("row-steps");
    return found == config.parameters.end() ? 2.0 : static_cast<double>(std::get<std::int64_t>(found->second));
}

/// A copy of the entries for every mode, the rows as they are and as they were best, what tasks and pieces of giant rows add up;
/// while the copies are made the sort of one of them, in the end a model that is given away.
template <class T> std::uint64_t hostBytes(const RunConfig& config, const ProblemShape& shape)
{
    const auto order = static_cast<unsigned>(shape.dims.size());
    const std::uint64_t rank = config.largestRank(), stride = mttkrp::hostStride<T>(rank);
    std::uint64_t lists = 0, building = 0, rows = 0;
    for (const Index size : shape.dims) {
        building = std::max(building, lists + fastertucker::arrangeRowsBytes(order, shape.trainEntries, size, sizeof(T), shape.dims));
        lists += fastertucker::rowEntriesBytes(order, shape.trainEntries, size, sizeof(T));
        rows += size;
    }
    building += chunkCount(shape.trainEntries, radix::entriesPerChunk) * sizeof(Count) << radix::widestDigit; // counts of digits
    const std::uint64_t threads = config.threads ? config.threads : std::max(1U, std::thread::hardware_concurrency());
    const Count pieces = tucker_als::piecesAtOnce(shape.trainEntries, rowSteps(config) * flopsOfEntry(order, config.largestRank()));
    const std::uint64_t renewing =
        threads * ((entriesAtOnce + 2) * stride * sizeof(T) + 2 * stride * sizeof(double)) + (pieces + 1) * 2 * stride * sizeof(double);
    const std::uint64_t kept = lists + 2 * rows * stride * sizeof(T), exporting = rows * rank * sizeof(T);
    constexpr std::uint64_t small = std::uint64_t{4} << 10;
    return std::max(building, kept + std::max(renewing, exporting)) + small;
}

/// A copy of the entries for every mode, built of all of them at once, and one of those to test with; the rows as they are and as they were
/// best, with bf16 as passes read them, too, how many entries each has, what teams leave of rows that are cut, sums of blocks. On the host
/// a model that is given away. parts: that a pass is made in.
template <class T> MemoryUse onDevice(const RunConfig& config, const ProblemShape& shape, unsigned parts = 1)
{
    const unsigned rank = config.largestRank(), order = static_cast<unsigned>(shape.dims.size());
    const auto teamsOf = [&](Count entries) { return gpu::teamsOf(entries, parts, rank, sizeof(T)); };
    const auto teamBytes = [&](Count entries, std::uint64_t each) { return teamsOf(entries) * each; };
    constexpr std::uint64_t cutRow = 12, teamEnds = 16, small = std::uint64_t{64} << 10;
    std::uint64_t copies = 0, rows = 0, building = 0;
    for (const Index size : shape.dims)
        rows += size;
    const auto addCopy = [&](unsigned mode, Count entries) {
        if (entries == 0)
            return;
        const formats::RunsPlan plan = gpu::planOf(shape.dims, mode, entries, parts, rank, sizeof(T));
        const std::uint64_t loaded = entries * (order * sizeof(Index) + sizeof(T)), cut = teamBytes(entries, cutRow);
        const std::uint64_t kept = formats::runsBytes(plan, shape.dims, entries, sizeof(T)) + cut;
        const std::uint64_t passing = formats::deviceRunsBuildBytes(plan, shape.dims, entries, sizeof(T));
        building = std::max(building, loaded + copies + std::max(passing, kept + teamBytes(entries, teamEnds)));
        copies += kept;
    };
    for (unsigned n = 0; n < order; ++n)
        addCopy(n, shape.trainEntries);
    addCopy(static_cast<unsigned>(std::max_element(shape.dims.begin(), shape.dims.end()) - shape.dims.begin()), shape.testEntries);
    const std::uint64_t row = gpu::strideOf(rank, sizeof(T)),
                        factors = rows * row * (2 * sizeof(T) + (config.precision == Precision::Bf16 ? sizeof(std::uint16_t) : 0));
    const std::uint64_t beside = gpu::partialNumbers(teamsOf(shape.trainEntries), rank, sizeof(T)) * sizeof(T)
        + gpu::sumNumbers(std::max(teamsOf(shape.trainEntries), gpu::teamsOf(shape.testEntries, 1, rank, sizeof(T))), rank, sizeof(T))
            * sizeof(double);
    return {rows * sizeof(Count) + std::max(building, copies + factors + beside) + small,
            rows * rank * sizeof(T) + teamBytes(std::max(shape.trainEntries, shape.testEntries), teamEnds) + small};
}

} // namespace

double flopsOfEntry(unsigned order, unsigned rank) { return (order + 4.0) * rank; }

namespace {

/// Ranks on the CPU: of their entries one copy in all, of rows that no grid divides one each, and sums for the longest mode's.
MemoryUse ofCpuRanks(const RunConfig& config, const ProblemShape& shape)
{
    const std::size_t ranks = config.devices.size();
    ProblemShape all = shape;
    std::uint64_t longest = 0;
    for (Index& size : all.dims) {
        longest = std::max<std::uint64_t>(longest, size);
        size = static_cast<Index>(std::min<std::uint64_t>(std::uint64_t{size} * ranks, std::numeric_limits<Index>::max()));
    }
    RunConfig one = config;
    one.devices.resize(1);
    MemoryUse use = estimateMemory(one, all);
    use.hostBytes += groupHostBytes(config, shape) + ranks * 2 * longest * config.largestRank() * sizeof(double);
    return use;
}

/// Each of several GPUs, the fullest of them a little above its share: it may have all rows of a mode, and has sums for them.
MemoryUse ofGpus(const RunConfig& config, const ProblemShape& shape)
{
    const std::size_t gpus = config.devices.size();
    MemoryUse use = dispatchMasterType(config.precision, [&](auto type) {
        return onDevice<typename decltype(type)::type>(config, fullestTile(shape, gpus), gpu::mostRowParts);
    });
    const std::uint64_t longest = *std::max_element(shape.dims.begin(), shape.dims.end()),
                        number = config.precision == Precision::Fp64 ? 8 : 4;
    use.deviceBytes += 2 * longest * config.largestRank() * number + static_cast<std::uint64_t>(rowsOf(shape)) * sizeof(Index);
    use.hostBytes = gpus * use.hostBytes + groupHostBytes(config, shape);
    return use;
}

} // namespace

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    if (config.devices.size() > 1)
        return config.devices.front().kind == DeviceKind::Cpu ? ofCpuRanks(config, shape) : ofGpus(config, shape);
    return dispatchMasterType(config.precision, [&](auto type) -> MemoryUse {
        using T = typename decltype(type)::type;
        if (config.devices.front().kind == DeviceKind::Cuda)
            return onDevice<T>(config, shape);
        return {0, hostBytes<T>(config, shape)};
    });
}

double flopsPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const auto order = static_cast<unsigned>(shape.dims.size());
    const double rank = config.largestRank();
    return rowSteps(config)
        * (order * static_cast<double>(shape.trainEntries) * flopsOfEntry(order, config.largestRank()) + 5 * rowsOf(shape) * rank);
}

/// Of an entry and mode its other indices, value and the rows they name; rows are read and written, each for a step.
double bytesPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const double value = config.precision == Precision::Fp64 ? 8 : 4;
    const double order = static_cast<double>(shape.dims.size()), row = config.largestRank() * value,
                 read = config.precision == Precision::Bf16 ? row / 2 : row;
    return rowSteps(config)
        * (order * static_cast<double>(shape.trainEntries) * ((order - 1) * (sizeof(Index) + read) + value) + 2 * rowsOf(shape) * row);
}

} // namespace kernels::ntf
