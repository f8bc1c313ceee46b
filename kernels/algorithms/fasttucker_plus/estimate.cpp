// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cpu_work.h"
#include "kernels/algorithms/fasttucker_plus/device_group.h"
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"
#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/device/device_list.h"
#include "kernels/device/shared_memory.h"
#include "kernels/formats/coo.h"

#include <algorithm>
#include <optional>

namespace kernels::fasttucker_plus {
namespace {

Count batchOf(const RunConfig& config, const ProblemShape& shape)
{
    const auto batch = config.parameters.find("batch");
    const bool given = batch != config.parameters.end() && std::holds_alternative<std::int64_t>(batch->second);
    const std::int64_t chosen = given ? std::get<std::int64_t>(batch->second) : 0;
    return config.deterministic ? std::min(shape.trainEntries, chosen > 0 ? Count(chosen) : Count{16384}) : 0;
}

/// Rows of all modes together, and the model as it is given away: unpadded.
struct Rows {
    std::uint64_t count = 0, publicBytes = 0;
};

Rows rowsOf(const RunConfig& config, const ProblemShape& shape, unsigned valueBytes)
{
    Rows rows;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        rows.count += shape.dims[n];
        rows.publicBytes += (shape.dims[n] + std::uint64_t{config.effectiveCoreRank()}) * config.rankOfMode(n) * valueBytes;
    }
    return rows;
}

std::vector<unsigned> ranksOf(const RunConfig& config, const ProblemShape& shape)
{
    std::vector<unsigned> ranks;
    for (unsigned n = 0; n < shape.dims.size(); ++n)
        ranks.push_back(config.rankOfMode(n));
    return ranks;
}

bool wantsGroups(const RunConfig& config)
{
    return config.algorithm == algorithmId && (config.variant.empty() || config.variant == "grouped") && canArrange(config);
}

bool gradientApart(const RunConfig& config)
{
    const auto gradient = config.parameters.find("core-gradient");
    return gradient != config.parameters.end() && gradient->second == ParameterValue(std::string("own-pass"));
}
unsigned widestOf(const RunConfig& config) { return std::max(config.largestRank(), config.effectiveCoreRank()); }
/// A GPU cannot take that of wide ranks with the updates.
bool gradientApartOnGpu(const RunConfig& config, std::size_t order)
{
    return gradientApart(config) || !updatesTakeGradient(widestOf(config), order);
}

/// As the CPU does; nothing where it groups no entries. Parts of a large tensor are grouped that would not be if they were all of it,
/// so that memory for it counts whatever gainsByGroups() says.
std::optional<CpuGrouping> groupingOnCpu(const RunConfig& config, const ProblemShape& shape)
{
    if (!wantsGroups(config) || !worthGrouping(shape.trainEntries))
        return {};
    return chooseCpuGrouping(shape.dims, ranksOf(config, shape), config.effectiveCoreRank(), shape.trainEntries);
}

/// While entries are sorted, and stored as they were; nothing else is there then but the start.
template <class T> std::uint64_t sortingTogether(unsigned order, Count entries)
{
    return std::max(sortingBytes(entries), entries * sizeof(Count) + formats::cooBytes(order, entries, sizeof(T)));
}

/// The most a run holds at once beside the tensors it is given: both sets of entries, the padded model as it is and as it
/// was best, each with its cores twice, what the threads work in, the steps of hot rows, and the unpadded model: the
/// start while it is loaded, the best when it is given away.
template <class T> std::uint64_t hostBytesOnCpu(const RunConfig& config, const ProblemShape& shape)
{
    const TileProblem<T> problem = problemShape<T>(ranksOf(config, shape), config.effectiveCoreRank());
    const std::optional<CpuGrouping> grouping = groupingOnCpu(config, shape);
    const WorkSizes work = workSizes(problem, config.threads, config.deterministic, grouping ? &*grouping : nullptr);
    std::uint64_t elements = work.threads * (work.scratch + work.gradient) + batchOf(config, shape) * work.rows;
    for (unsigned n = 0; n < problem.order; ++n) {
        const std::uint64_t cores =
            std::uint64_t{problem.rank[n]} * problem.coreStride + std::uint64_t{problem.coreRank} * problem.stride[n];
        elements += 2 * (std::uint64_t{shape.dims[n]} * problem.stride[n] + cores);
    }
    const Rows rows = rowsOf(config, shape, sizeof(T));
    elements += config.variant == "store"
        ? rows.count * problem.coreStride
        : projectedElements(shape.dims, problem.stride, problem.coreStride, sizeof(T), shape.trainEntries);
    const std::uint64_t run = elements * sizeof(T) + std::uint64_t{work.lanes} * work.gradient * sizeof(double)
        + formats::cooBytes(problem.order, shape.trainEntries + shape.testEntries, sizeof(T))
        + (grouping ? grouping->mostGroups * sizeof(Count) : 0);
    const std::uint64_t sorting = orderingOf(config).sorts() || grouping ? sortingTogether<T>(problem.order, shape.trainEntries) : 0;
    return std::max(run, sorting) + rows.publicBytes + rows.count * sizeof(float);
}

/// Sums of gradients that the blocks of a GPU leave in memory, at most: only the device knows how many blocks
/// of a kernel it holds, never more than 8 of theirs a multiprocessor, and they stop at 256 MiB.
std::uint64_t gradientSums(std::uint64_t coreElements, const DeviceId& id)
{
    constexpr std::uint64_t most = std::uint64_t{256} << 20, blocksPerProcessor = 8;
    const auto at = std::find_if(devices().begin(), devices().end(), [&](const DeviceInfo& info) { return info.id == id; });
    if (at == devices().end() || at->processors <= 0)
        return most;
    return std::min(most, coreElements * sizeof(double) * blocksPerProcessor * static_cast<std::uint64_t>(at->processors));
}

/// Of the passes over grouped entries, which take no more blocks, and fewer for few entries.
std::uint64_t groupedSums(std::uint64_t coreElements, Count entries, const DeviceId& id)
{
    constexpr Count fewestOfABlock = 64; // entries in flight
    return std::min(gradientSums(coreElements, id), coreElements * sizeof(double) * (mostGroupedInFlight(entries) / fewestOfABlock + 1));
}

/// The cores as operands, twice, and the rows and products of all groups where a group's do not fit the shared memory that a
/// block may have (never more than 20 warps a multiprocessor work then).
std::uint64_t tensorBytes(const RunConfig& config, std::uint64_t cores, std::uint64_t rowElements, std::uint64_t coreColumns,
                          std::uint64_t order, unsigned valueBytes)
{
    const bool half = config.precision == Precision::Fp16 || config.precision == Precision::Bf16;
    const std::uint64_t operands = 2 * cores * (half ? 2 : config.precision == Precision::Fp32 ? 8 : valueBytes); // fp32's are two parts
    const DeviceId id = config.devices.front();
    const std::uint64_t sharedKiB = sharedKiBOfBlock(computeCapability(id));
    const std::uint64_t work = 16 * (rowElements + 2 * (order - 2) * coreColumns) * valueBytes;
    if (work
        < sharedKiB * 1024 - std::min<std::uint64_t>(sharedKiB * 1024, 48 * coreColumns * valueBytes)) // and what a tile needs beside it
        return operands;
    const auto at = std::find_if(devices().begin(), devices().end(), [&](const DeviceInfo& info) { return info.id == id; });
    const std::uint64_t processors = at == devices().end() ? 0 : static_cast<std::uint64_t>(std::max(at->processors, 0));
    return operands + processors * (20 * 16 / coreColumns + 1) * work;
}

/// As the GPU's back end decides it, steps being damped or not, which only the data says.
bool groups(const RunConfig& config, const ProblemShape& shape, bool damped)
{
    return wantsGroups(config)
        && bool(canGroup(config.precision, widestOf(config), shape.dims, shape.trainEntries, gradientApart(config) || damped,
                         computeCapability(config.devices.front()), damped));
}

/// Only the data says whether tiles share a row, and of which mode. Gradients are added up when arranging is over.
std::uint64_t groupedBytesAtMost(const RunConfig& config, const ProblemShape& shape, std::uint64_t coreElements)
{
    const std::uint64_t sums = groupedSums(coreElements, shape.trainEntries, config.devices.front());
    std::uint64_t most = 0;
    for (const Index rows : {Index{0}, *std::max_element(shape.dims.begin(), shape.dims.end())}) {
        const GroupedBytes bytes = groupedBytes(shape.dims, shape.trainEntries, rows);
        most = std::max({most, bytes.most, bytes.kept + sums});
    }
    return most;
}

/// The same on a GPU, where rows are padded to 16 (all alike where entries are grouped), every row has room for its step,
/// and the entries are shuffled through a buffer of one column, or sorted into groups. The host holds two unpadded models while the better
/// is brought there.
MemoryUse bytesOnCuda(const RunConfig& config, const ProblemShape& shape, unsigned valueBytes, bool grouped)
{
    constexpr std::uint64_t pinned = std::uint64_t{32} << 20;
    const unsigned widest = widestOf(config);
    const auto padded = [&](unsigned columns) { return std::uint64_t{((grouped ? widest : columns) + 15) / 16 * 16}; };
    const unsigned order = static_cast<unsigned>(shape.dims.size());
    const std::uint64_t coreColumns = padded(config.effectiveCoreRank());
    std::uint64_t factors = 0, cores = 0, rowElements = 0;
    std::vector<std::uint64_t> ranks;
    for (unsigned n = 0; n < order; ++n) {
        const std::uint64_t columns = padded(config.rankOfMode(n));
        ranks.push_back(columns);
        factors += shape.dims[n] * columns;
        cores += columns * coreColumns;
        rowElements += columns;
    }
    const Rows rows = rowsOf(config, shape, valueBytes);
    const Ordering ordering = orderingOf(config);
    const Count batch = batchOf(config, shape);
    constexpr std::uint64_t sortedItem = 3 * (sizeof(std::uint64_t) + sizeof(unsigned)); // as found, sorted, and what sorting takes
    std::uint64_t elements = 2 * factors + 3 * cores + batch * rowElements;
    if (config.variant == "store")
        elements += rows.count * coreColumns;
    elements += projectedElements(shape.dims, ranks, coreColumns, valueBytes, shape.trainEntries);
    MemoryUse use;
    use.deviceBytes = onTensorCores(config) ? tensorBytes(config, cores, rowElements, coreColumns, order, valueBytes) : 0;
    use.deviceBytes += elements * valueBytes + rows.count * sizeof(float) + batch * order * sortedItem
        + gradientSums(2, config.devices.front()) // of squared and absolute errors
        + formats::cooBytes(order, shape.trainEntries + shape.testEntries, valueBytes);
    // Where a pass works on rows in 16 bits, which gradients of their own do: only the data says whether steps are damped, and gradients
    // are apart then.
    if (grouped)
        use.deviceBytes += workingRowsBytes(shape.dims, static_cast<unsigned>(padded(widest)), true, true);
    use.deviceBytes += grouped ? groupedBytesAtMost(config, shape, cores) : gradientSums(cores, config.devices.front());
    const bool together = !grouped && wantsGroups(config) && canStandTogether(shape.trainEntries);
    if (together)
        use.deviceBytes += standingTogetherBytes(shape.dims, shape.trainEntries);
    if (!grouped && ordering.order == EntryOrder::Shuffled && !(together && gainsByGroups(shape.trainEntries)))
        use.deviceBytes += shape.trainEntries * std::max<std::uint64_t>(sizeof(Index), valueBytes);
    use.hostBytes = pinned + 2 * rows.publicBytes + 2 * rows.count * sizeof(float);
    use.hostBytes += !grouped && ordering.sorts() ? sortingBytes(shape.trainEntries) : 0;
    return use;
}

} // namespace

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    if (config.devices.size() > 1)
        return estimateGroup(config, shape);
    if (!config.devices.empty() && config.devices.front().kind == DeviceKind::Cuda) {
        const unsigned valueBytes = config.precision == Precision::Fp64 ? 8 : 4;
        const bool grouped = groups(config, shape, false);
        const bool dampedGrouped = groups(config, shape, true);
        MemoryUse use = bytesOnCuda(config, shape, valueBytes, dampedGrouped); // which holds wherever the other does
        if (!gainsByGroups(shape.trainEntries) || grouped != dampedGrouped) { // grouped only as a part of more
            const MemoryUse alone = bytesOnCuda(config, shape, valueBytes, false);
            use = {std::max(use.deviceBytes, alone.deviceBytes), std::max(use.hostBytes, alone.hostBytes)};
        }
        return use;
    }
    return {0,
            dispatchMasterType(config.precision, [&](auto type) { return hostBytesOnCpu<typename decltype(type)::type>(config, shape); })};
}

void requireWithinLimit(const Problem& problem, Precision precision)
{
    if (problem.memoryLimit == 0)
        return;
    RunConfig config;
    config.algorithm = algorithmId;
    config.precision = precision;
    config.ranks = problem.start.ranks;
    config.coreRank = problem.start.coreRank;
    config.variant = problem.storeProjections ? "store" : problem.grouping == Gathering::None ? "calculate" : "grouped";
    config.deterministic = problem.deterministic;
    config.threads = problem.threads;
    config.parameters["entry-order"] = problem.grouping == Gathering::None ? nameOf(problem.ordering.order) : "auto";
    config.parameters["batch"] = static_cast<std::int64_t>(problem.batchEntries);
    const std::uint64_t needed =
        estimateMemory(config, {problem.start.dims, problem.train.entries(), problem.test ? problem.test->entries() : 0}).hostBytes;
    if (needed > problem.memoryLimit)
        throw OutOfMemory("cpu, within the memory limit", needed, problem.memoryLimit,
                          "Raise the memory limit, or choose smaller ranks or fewer entries.");
}

/// On the CPU, where the gradient comes with the updates. An entry: of pairs M a, Mᵀ a and S, else C, D and Gr of all modes but the
/// shared one; a group: what its row takes, and of pairs M, Mᵀ, P and Gr.
double groupedFlops(const RunConfig& config, const ProblemShape& shape, const CpuGrouping& grouping)
{
    const double terms = config.effectiveCoreRank(), entries = static_cast<double>(shape.trainEntries);
    double sum = 0, productOfOthers = 1, others = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const double rank = config.rankOfMode(n);
        others += n == grouping.shared ? 0 : rank;
        productOfOthers *= n == grouping.shared ? 1 : rank;
        sum += n == grouping.shared ? 0 : 6 * rank * terms + 5 * terms;
    }
    const double ofEntry = 4 * others + (grouping.pairs ? 6 * productOfOthers + others : sum);
    const double shared = grouping.shares() ? 6 * config.rankOfMode(grouping.shared) * terms : 0;
    const double ofGroup = shared + (grouping.pairs ? 4 * productOfOthers * terms + 4 * others * terms : 0);
    return entries * (ofEntry + ofGroup / grouping.most);
}

/// Multiplications and additions an iteration cannot do without, padding not counted.
double flopsPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const bool onGpu = !config.devices.empty() && config.devices.front().kind == DeviceKind::Cuda;
    const auto grouping = groupingOnCpu(config, shape);
    if (grouping && !onGpu && !gradientApart(config) && gainsByGroups(shape.trainEntries))
        return groupedFlops(config, shape, *grouping);
    const double order = static_cast<double>(shape.dims.size());
    const double terms = config.effectiveCoreRank();
    const double entries = static_cast<double>(shape.trainEntries);
    double products = 0, rows = 0, projecting = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const double rank = config.rankOfMode(n);
        products += 2 * rank * terms; // one of C = A B, D = W Bᵀ, Gr += aᵀ w
        rows += 4 * rank; // a ← (1 − γλ) a − (γ e) d, and its scalars
        projecting += 2 * rank * terms * shape.dims[n];
    }
    const double combining = 3 * (order - 1) * terms + terms; // products from left and right, sum over r
    const double factor = entries * (2 * products + combining + rows);
    const double core = entries * (products + combining + order * terms);
    return factor + core + (config.variant == "store" ? projecting : entries * products);
}

/// Of both passes, an entry: indices and value; in the factor pass N rows gathered and N read and written by the update; in
/// the core pass N rows, or with "store" N projections, which are made once a row before. A fused gradient reads nothing more, a pass of
/// its own of grouped entries on a GPU rows in 16 bits (once, however many launches share it).
double bytesPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const bool onGpu = !config.devices.empty() && config.devices.front().kind == DeviceKind::Cuda;
    const bool grouped =
        gainsByGroups(shape.trainEntries) && (onGpu ? groups(config, shape, false) : groupingOnCpu(config, shape).has_value());
    const double valueBytes = config.precision == Precision::Fp64 ? 8 : 4;
    const double rowBytes = grouped && shape.workingNumberBytes > 0 ? shape.workingNumberBytes : valueBytes;
    const double order = static_cast<double>(shape.dims.size());
    const double terms = config.effectiveCoreRank();
    const double entry = order * sizeof(Index) + valueBytes;
    double rows = 0, projecting = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        rows += config.rankOfMode(n) * rowBytes;
        projecting += shape.dims[n] * (config.rankOfMode(n) + terms) * valueBytes;
    }
    const double entries = static_cast<double>(shape.trainEntries);
    const double factor = entries * (entry + 3 * rows);
    if (config.variant == "store")
        return factor + entries * (entry + order * terms * valueBytes) + projecting;
    const bool apart = onGpu ? gradientApartOnGpu(config, shape.dims.size()) : gradientApart(config);
    if (grouped && !apart)
        return factor;
    return factor + entries * (entry + (grouped && onGpu ? rows * 2 / rowBytes : rows));
}

} // namespace kernels::fasttucker_plus
