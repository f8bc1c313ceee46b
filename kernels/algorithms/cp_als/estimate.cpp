// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/algorithms/cp_als/cuda_sizes.h"
#include "kernels/algorithms/cp_als/dense_gram.h"
#include "kernels/algorithms/cp_als/group.h"
#include "kernels/algorithms/cp_als/nvecs.h"
#include "kernels/base/dispatch.h"

#include <algorithm>
#include <limits>
#include <thread>

namespace kernels::cp_als {
namespace {

struct RowCounts {
    std::uint64_t all = 0;
    Index longest = 0;
};

RowCounts rowsOf(const ProblemShape& shape)
{
    RowCounts rows;
    for (const Index size : shape.dims) {
        rows.all += size;
        rows.longest = std::max(rows.longest, size);
    }
    return rows;
}

mttkrp::Settings settingsOf(const RunConfig& config) { return {config.largestRank(), config.deterministic}; }

/// The start while the format is built and the factors are laid out, later a copy that is given away; the factors as they are
/// and as they were best, the products of the longest mode, an inverse of three parts, sums of parts of the rows.
template <class T> RunPlan planOnCpu(const RunConfig& config, const ProblemShape& shape, std::uint64_t room)
{
    const std::uint64_t rank = config.largestRank(), stride = mttkrp::hostStride<T>(rank);
    const RowCounts rows = rowsOf(shape);
    std::uint64_t sums = 0;
    for (const Index size : shape.dims)
        sums = std::max(sums, rowParts(size, config.largestRank()).numbers);
    const std::uint64_t dense = ((2 * rows.all + rows.longest) * stride + 3 * stride * stride) * sizeof(T) + sums * sizeof(double);
    const std::uint64_t threads = config.threads ? config.threads : std::max(1U, std::thread::hardware_concurrency());
    const std::uint64_t chunks = // the largest of each, rows between two products
        (rows.longest / rowsAtOnce + std::min<std::uint64_t>(threads, rows.longest / rowsAtOnce + 1) * rowsBetween) * stride * sizeof(T);
    // AᵀA of every mode and what an inverse takes.
    const std::uint64_t squares = rank < 256 ? 0 : (shape.dims.size() + 8) * rank * rank * sizeof(double);
    const std::uint64_t always = rows.all * rank * sizeof(T) + squares + (std::uint64_t{4} << 10); // arrays begin at whole cache lines
    RunPlan plan;
    plan.products = mttkrp::planFor(DeviceKind::Cpu, config.format, shape, settingsOf(config), sizeof(T),
                                    {room > always ? room - always : 0, dense + chunks});
    plan.memory.hostBytes = always + plan.products.bytes;
    return plan;
}

/// All entries, or pieces of them, the format, and of the dense part what the back end allocates. What streams is on the host.
template <class T> RunPlan planOnCuda(const RunConfig& config, const ProblemShape& shape, std::uint64_t room)
{
    const std::uint64_t rank = config.largestRank(), vector = 16 / sizeof(T), stride = (rank + vector - 1) / vector * vector;
    const RowCounts rows = rowsOf(shape);
    const std::uint64_t dense =
        ((2 * rows.all + rows.longest + gpu::rowsBetween(rows.longest, stride)) * stride + 3 * rank * stride) * sizeof(T)
        + (gpu::sumNumbers(config.largestRank()) + rank + 3 * gpu::evaluateBlocks) * sizeof(double);
    RunPlan plan;
    plan.products = mttkrp::planFor(DeviceKind::Cuda, config.format, shape, settingsOf(config), sizeof(T), {room, dense});
    plan.memory = {plan.products.bytes, rows.all * rank * sizeof(T) + plan.products.hostBytes + (std::uint64_t{4} << 10)};
    return plan;
}

bool startsFromVectors(const RunConfig& config)
{
    const auto start = config.parameters.find("start");
    return start != config.parameters.end() && start->second == ParameterValue(std::string("nvecs"));
}

/// Before the back end has anything: the start, and what its last mode takes.
std::uint64_t startBytes(const RunConfig& config, const ProblemShape& shape, unsigned valueBytes)
{
    std::uint64_t most = 0;
    for (unsigned n = 0; n < shape.dims.size() && startsFromVectors(config); ++n)
        most = std::max(most,
                        leadingVectorsBytes(shape.dims, n, shape.trainEntries, config.largestRank(),
                                            shape.tensorValueBytes ? shape.tensorValueBytes : valueBytes));
    return rowsOf(shape).all * config.largestRank() * valueBytes + most + (std::uint64_t{4} << 10);
}

} // namespace

RowParts rowParts(Index rows, unsigned rank)
{
    constexpr Count fewest = 16, most = 256, leastRows = 256;
    constexpr std::uint64_t roomNumbers = std::uint64_t{1} << 23;
    const std::uint64_t stride = mttkrp::hostStride<double>(rank), square = stride * stride;
    const Count parts = std::clamp<Count>(roomNumbers / square, fewest, most);
    RowParts result;
    result.rows = std::max<Count>(leastRows, (Count{rows} + parts - 1) / parts);
    result.count = std::max<Count>(1, (rows + result.rows - 1) / result.rows);
    result.numbers = result.count * square;
    return result;
}

RunPlan planBackEnd(const RunConfig& config, const ProblemShape& shape, std::uint64_t room)
{
    return dispatchMasterType(config.precision, [&](auto type) {
        using T = typename decltype(type)::type;
        return config.devices.front().kind == DeviceKind::Cpu ? planOnCpu<T>(config, shape, room) : planOnCuda<T>(config, shape, room);
    });
}

RunPlan planRun(const RunConfig& config, const ProblemShape& shape, std::uint64_t room)
{
    RunPlan plan = config.devices.size() > 1 ? planGroup(config, shape, room) : planBackEnd(config, shape, room);
    const unsigned valueBytes = config.precision == Precision::Fp64 ? 8 : 4;
    plan.memory.hostBytes = std::max(plan.memory.hostBytes, startBytes(config, shape, valueBytes));
    return plan;
}

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    return planRun(config, shape, config.memoryLimit ? config.memoryLimit : std::numeric_limits<std::uint64_t>::max()).memory;
}

} // namespace kernels::cp_als
