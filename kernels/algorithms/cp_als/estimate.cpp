// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/algorithms/cp_als/cuda_sizes.h"
#include "kernels/algorithms/cp_als/nvecs.h"
#include "kernels/base/dispatch.h"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <algorithm>

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
/// and as they were best, the products of the longest mode, an inverse, sums of parts of the rows.
template <class T> std::uint64_t bytesOnCpu(const RunConfig& config, const ProblemShape& shape)
{
    const std::uint64_t rank = config.largestRank(), stride = mttkrp::hostStride<T>(rank);
    const RowCounts rows = rowsOf(shape);
    const mttkrp::FormatBytes format = mttkrp::bytesOn(DeviceKind::Cpu, config.format, shape, settingsOf(config), sizeof(T));
    std::uint64_t sums = 0;
    for (const Index size : shape.dims)
        sums = std::max(sums, rowParts(size, config.largestRank()).numbers);
    const std::uint64_t dense = ((2 * rows.all + rows.longest) * stride + stride * stride) * sizeof(T) + sums * sizeof(double);
    const std::uint64_t chunks = rows.longest / 256 * stride * sizeof(T); // the largest of each
    // AᵀA of every mode and what an inverse takes.
    const std::uint64_t squares = rank < 256 ? 0 : (shape.dims.size() + 8) * rank * rank * sizeof(double);
    return rows.all * rank * sizeof(T) + std::max(format.most, format.kept + dense + chunks) + format.work + squares
        + (std::uint64_t{4} << 10); // arrays begin at whole cache lines
}

/// All entries, the format, and of the dense part what the back end allocates.
template <class T> std::uint64_t bytesOnCuda(const RunConfig& config, const ProblemShape& shape)
{
    const std::uint64_t rank = config.largestRank(), vector = 16 / sizeof(T), stride = (rank + vector - 1) / vector * vector;
    const RowCounts rows = rowsOf(shape);
    const std::uint64_t entries = (shape.trainEntries + shape.testEntries) * (shape.dims.size() * sizeof(Index) + sizeof(T));
    const mttkrp::FormatBytes format = mttkrp::bytesOn(DeviceKind::Cuda, config.format, shape, settingsOf(config), sizeof(T));
    const std::uint64_t dense = ((2 * rows.all + rows.longest) * stride + rank * stride) * sizeof(T)
        + (gpu::sumNumbers(config.largestRank()) + rank + 3 * gpu::evaluateBlocks) * sizeof(double);
    return entries + std::max(format.most, format.kept + format.work + dense);
}

bool startsFromVectors(const RunConfig& config)
{
    const auto start = config.parameters.find("start");
    return start != config.parameters.end() && start->second == ParameterValue(std::string("nvecs"));
}

/// Before the back end has anything: the start, and what its last mode takes. On a GPU that is all there is on the host.
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

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    return dispatchMasterType(config.precision, [&](auto type) {
        using T = typename decltype(type)::type;
        const std::uint64_t start = startBytes(config, shape, sizeof(T));
        if (config.devices.front().kind == DeviceKind::Cpu)
            return MemoryUse{0, std::max(start, bytesOnCpu<T>(config, shape))};
        return MemoryUse{bytesOnCuda<T>(config, shape), start};
    });
}

} // namespace kernels::cp_als
