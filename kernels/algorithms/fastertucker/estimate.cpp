// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/fastertucker.h"
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/formats/coo.h"
#include "kernels/formats/csf.h"

#include <algorithm>
#include <bit>

namespace kernels::fastertucker {
namespace {

/// The model as the CPU keeps it, twice, with its cores twice each; and as it is given away.
struct ModelElements {
    std::uint64_t kept = 0, projections = 0, given = 0, gradient = 0, rows = 0;
};

template <class T> ModelElements elementsOf(const RunConfig& config, const ProblemShape& shape)
{
    const std::uint64_t coreStride = fasttucker_plus::paddedColumns<T>(config.effectiveCoreRank());
    ModelElements e;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const std::uint64_t rank = config.rankOfMode(n), stride = fasttucker_plus::paddedColumns<T>(config.rankOfMode(n));
        e.kept += 2 * (shape.dims[n] * stride + rank * coreStride + config.effectiveCoreRank() * stride);
        e.projections += shape.dims[n] * coreStride;
        e.given += (shape.dims[n] + std::uint64_t{config.effectiveCoreRank()}) * rank;
        e.gradient = std::max(e.gradient, stride * coreStride);
        e.rows += shape.dims[n];
    }
    return e;
}

/// Entries are arranged one mode after another, with what each takes while it is done; the model comes after them.
template <class T> std::uint64_t hostBytesOnCpu(const RunConfig& config, const ProblemShape& shape)
{
    const bool trees = !config.variant.empty() && variantOf(config.variant) != Variant::Coo;
    const unsigned order = static_cast<unsigned>(shape.dims.size());
    const ModelElements e = elementsOf<T>(config, shape);
    const std::uint64_t start = e.given * sizeof(T), shares = e.rows * sizeof(float);
    std::uint64_t kept = 0, most = 0;
    const auto stage = [&](std::uint64_t taken, std::uint64_t left) {
        most = std::max(most, kept + taken);
        kept += left;
    };
    for (const Index rows : shape.dims)
        stage(arrangeRowsBytes(order, shape.trainEntries, rows, sizeof(T), trees ? shape.dims : std::vector{rows}),
              rowEntriesBytes(order, shape.trainEntries, rows, sizeof(T)));
    const formats::BcsfLimits limits = fasttucker_plus::limitsOf(config);
    const unsigned parts = fibreParts(config.threads, shape.trainEntries);
    for (unsigned n = 0; trees && !config.deterministic && n < order; ++n)
        stage(arrangeFibresBytes(shape.dims, n, shape.trainEntries, shape.tensorValueBytes ? shape.tensorValueBytes : sizeof(T), sizeof(T),
                                 limits, parts),
              fibreEntriesBytes(shape.dims, n, shape.trainEntries, sizeof(T), limits, parts));
    if (shape.testEntries > 0)
        stage(arrangeRowsBytes(order, shape.testEntries, shape.dims[0], sizeof(T), {shape.dims[0]}),
              rowEntriesBytes(order, shape.testEntries, shape.dims[0], sizeof(T)));
    const std::uint64_t lanes = gradientLanes(shape.trainEntries);
    const std::uint64_t gram = std::uint64_t{config.effectiveCoreRank()} * fasttucker_plus::paddedColumns<T>(config.effectiveCoreRank());
    const std::uint64_t model = (e.kept + e.projections + gram) * sizeof(T);
    return std::max(most, kept + model) + start + 2 * shares + lanes * e.gradient * sizeof(double);
}

/// Of the entries on a GPU: what is kept, and the most at once while they are arranged, one mode after another.
struct ArrangedBytes {
    std::uint64_t kept = 0, most = 0;

    void stage(std::uint64_t taken, std::uint64_t left)
    {
        most = std::max(most, kept + taken);
        kept += left;
    }
};

ArrangedBytes arrangedOnCuda(const RunConfig& config, const ProblemShape& shape, unsigned valueBytes)
{
    const auto order = static_cast<unsigned>(shape.dims.size());
    const Count entries = shape.trainEntries;
    ArrangedBytes bytes;
    bytes.kept = formats::cooBytes(order, entries + shape.testEntries, valueBytes);
    for (const Count rows : shape.dims) {
        const Count pieces = std::min<Count>(entries, rows + entries / chunkEntries(entries));
        const Count whole = config.deterministic ? std::min<Count>(entries, rows + entries / wholeRowEntries) : 0;
        const std::uint64_t left = entries * ((order - 1) * sizeof(Index) + valueBytes) + (pieces + whole) * 16;
        bytes.stage(std::max(entries * 4 * sizeof(Index), left + (entries * 2 + rows) * sizeof(Index)), left);
    }
    const bool trees = !config.variant.empty() && variantOf(config.variant) != Variant::Coo;
    for (unsigned n = 0; trees && !config.deterministic && n < order; ++n) {
        const std::vector<Count> nodes = mostNodes(shape.dims, n, entries, fasttucker_plus::limitsOf(config));
        const Count fibres = nodes.back();
        const std::vector<unsigned> modeOrder = formats::leavesAt(shape.dims, n);
        const std::uint64_t left = fibres * order * sizeof(Index) + entries * (sizeof(Index) + valueBytes);
        const std::uint64_t sorting = (4 * fibres + shape.dims[n]) * sizeof(Index); // by the row each begins with
        const std::uint64_t tree = formats::csfBytes(nodes, entries, valueBytes);
        bytes.stage(std::max(formats::treeBuildBytes(shape.dims, modeOrder, entries, valueBytes), tree + left + sorting), left);
    }
    return bytes;
}

/// On a GPU: entries as they came and arranged, the model as it is and as it was best, all rows of one width. The model comes
/// after the entries.
MemoryUse bytesOnCuda(const RunConfig& config, const ProblemShape& shape)
{
    const bool half = config.precision == Precision::Fp16 || config.precision == Precision::Bf16;
    const std::uint64_t valueBytes = config.precision == Precision::Fp64 ? 8 : 4, keptBytes = half ? 2 : valueBytes;
    const std::uint64_t width = std::max(16u, std::bit_ceil(std::max(config.largestRank(), config.effectiveCoreRank())));
    const auto order = static_cast<unsigned>(shape.dims.size());
    std::uint64_t rows = 0, given = 0, longest = 0;
    for (unsigned n = 0; n < order; ++n) {
        rows += shape.dims[n];
        longest = std::max<std::uint64_t>(longest, shape.dims[n]);
        given += (shape.dims[n] + std::uint64_t{config.effectiveCoreRank()}) * config.rankOfMode(n) * valueBytes;
    }
    const ArrangedBytes arranged = arrangedOnCuda(config, shape, static_cast<unsigned>(valueBytes));
    const std::uint64_t sums =
        std::min<Count>(shape.trainEntries, longest + shape.trainEntries / chunkEntries(shape.trainEntries)) * width * valueBytes;
    const std::uint64_t model = (2 * rows * width + 3 * order * width * width) * valueBytes + rows * width * keptBytes
        + (half ? longest * width * valueBytes : 0) + sums + width * width * (valueBytes + outerBlocks * sizeof(double))
        + (2 * order + 1) * width * width * sizeof(float) + rows * sizeof(float) // operands of tensor cores, steps of rows
        + fasttucker_plus::projectedElements(shape.dims, std::vector<std::uint64_t>(order, width), width, valueBytes, shape.trainEntries)
            * valueBytes;
    MemoryUse use;
    use.deviceBytes = std::max(arranged.kept + model, arranged.most) + (std::uint64_t{4} << 20);
    constexpr std::uint64_t pinned = std::uint64_t{32} << 20;
    use.hostBytes = pinned + 2 * given + 2 * rows * sizeof(float);
    return use;
}

} // namespace

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    if (!config.devices.empty() && config.devices.front().kind == DeviceKind::Cuda)
        return bytesOnCuda(config, shape);
    return {0,
            dispatchMasterType(config.precision, [&](auto type) { return hostBytesOnCpu<typename decltype(type)::type>(config, shape); })};
}

MemoryUse memoryOf(const fasttucker_plus::Problem& problem, Precision precision, const DeviceId& device)
{
    RunConfig config;
    config.algorithm = algorithmId;
    config.precision = precision;
    config.devices = {device};
    config.ranks = problem.start.ranks;
    config.coreRank = problem.start.coreRank;
    config.variant = problem.variant;
    config.deterministic = problem.deterministic;
    config.threads = problem.threads;
    config.parameters["split"] = std::int64_t{problem.limits.fibreLeaves};
    return estimateMemory(config,
                          {problem.start.dims, problem.train.entries(), problem.test ? problem.test->entries() : 0,
                           problem.train.hasDoubleValues() ? 8U : 4U});
}

void requireWithinLimit(const fasttucker_plus::Problem& problem, Precision precision)
{
    if (problem.memoryLimit == 0)
        return;
    const std::uint64_t needed = memoryOf(problem, precision, DeviceId{}).hostBytes;
    if (needed > problem.memoryLimit)
        throw OutOfMemory("cpu, within the memory limit", needed, problem.memoryLimit,
                          "Raise the memory limit, or choose smaller ranks or fewer entries.");
}

} // namespace kernels::fastertucker
