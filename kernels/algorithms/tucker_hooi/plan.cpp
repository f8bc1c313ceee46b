// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/plan.h"

#include "kernels/algorithms/tucker_hooi/complete.h"
#include "kernels/algorithms/tucker_hooi/start.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/operations/ttm_chain/chain_sizes.h"
#include "kernels/operations/ttm_chain/ttm_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>

namespace kernels::tucker_hooi {
namespace {

/// Side of a Gram matrix whose eigenvectors are taken unasked. They are found on the host, where those of a side of 256 take longer
/// than all else that a GPU has to do for a mode.
constexpr std::uint64_t largestGram = 512, largestGramOfCuda = 128;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max() / 64; ///< what has no place stays one number

/// Counts that stay at "too many".
struct Bytes {
    double sum = 0;
    Bytes& add(double count, double each)
    {
        sum += count * each;
        return *this;
    }
    operator std::uint64_t() const { return sum < static_cast<double>(unlimited) ? static_cast<std::uint64_t>(sum) : unlimited; }
};

std::uint64_t product(std::uint64_t a, std::uint64_t b) { return Bytes().add(static_cast<double>(a), static_cast<double>(b)); }

/// Exact where a Gram matrix is small: of columns where they are few, which takes Y in any blocks; of rows where those are fewer.
Vectors vectorsFor(std::string_view asked, std::uint64_t rows, std::uint64_t width, bool whole, std::uint64_t largest)
{
    const bool byRows = whole && rows < width;
    if (asked == "range" || (asked == "auto" && (byRows ? rows : width) > largest))
        return Vectors::Range;
    return byRows ? Vectors::Rows : Vectors::Columns;
}

std::vector<ModePlan> modesOf(const RunConfig& config, const ProblemShape& shape, bool holdsY)
{
    const auto given = config.parameters.find("vectors");
    const std::string asked = given == config.parameters.end() ? "auto" : std::get<std::string>(given->second);
    const std::uint64_t largest = config.devices.front().kind == DeviceKind::Cpu ? largestGram : largestGramOfCuda;
    std::vector<ModePlan> modes;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        ModePlan mode;
        mode.slices = std::min<std::uint64_t>(shape.dims[n], shape.trainEntries);
        mode.width = std::min(unlimited, ttm::widthOf(config.ranks, n));
        mode.rank = config.ranks[n];
        mode.vectors = vectorsFor(asked, mode.slices, mode.width, holdsY, largest);
        // Those of a subspace iteration, which may have to stand in for a Gram matrix.
        mode.thinColumns = static_cast<unsigned>(std::min<std::uint64_t>(
            {mode.rank + columnsMore, std::max<std::uint64_t>(mode.slices, mode.rank), std::max<std::uint64_t>(mode.width, mode.rank)}));
        modes.push_back(mode);
    }
    return modes;
}

std::uint64_t factorNumbers(const RunConfig& config, const ProblemShape& shape)
{
    std::uint64_t sum = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n)
        sum += std::uint64_t{shape.dims[n]} * config.ranks[n];
    return sum;
}

/// A matrix in Eigen's hands: what its eigenvectors take beside it.
std::uint64_t eigenNumbers(const Plan& plan)
{
    std::uint64_t most = 0;
    for (const ModePlan& mode : plan.modes) {
        const std::uint64_t side = mode.vectors == Vectors::Columns ? mode.width : mode.vectors == Vectors::Rows ? mode.slices : 0;
        most = std::max(most, side < 256 ? 0 : product(4 * side, side));
    }
    return most;
}

/// Start and later the copy that is given away, or a factor that is completed; factors as they are and as they were best; trees; Y and what
/// belongs to it; the core four times: as it is, as it was best, in a tree's order, given away. And in turn what vectors are found with,
/// columns are completed with, and the model's norm is taken with: the core twice more.
template <class T> Plan planOnCpu(const RunConfig& config, const ProblemShape& shape, bool holdsY, bool holdsTrees)
{
    Plan plan;
    plan.holdsY = holdsY;
    plan.holdsTrees = holdsTrees;
    plan.modes = modesOf(config, shape, holdsY);
    const HostRooms rooms = hostRooms(plan, shape, config.ranks, sizeof(T));
    const auto threads = static_cast<double>(config.threads ? config.threads : std::max(1U, std::thread::hardware_concurrency()));
    const auto factors = static_cast<double>(factorNumbers(config, shape));
    std::uint64_t tall = 0;
    for (const ModePlan& mode : plan.modes)
        tall = std::max(tall, product(2 * mode.width, thinStride(mode.thinColumns)));
    Bytes dense;
    dense.add(2 * factors, sizeof(T)).add(static_cast<double>(rooms.y), sizeof(T)).add(static_cast<double>(rooms.by), sizeof(T));
    dense.add(static_cast<double>(rooms.z), 8).add(static_cast<double>(rooms.sums), 8).add(threads * static_cast<double>(rooms.work), 8);
    const double core = static_cast<double>(plan.modes.front().width) * plan.modes.front().rank;
    dense.add(4 * core, 8);
    dense.add(std::max({8 * (static_cast<double>(tall) + static_cast<double>(eigenNumbers(plan))),
                        static_cast<double>(completeBytes(*std::max_element(config.ranks.begin(), config.ranks.end()))), 16 * core}),
              1);

    double trees = 0, building = 0; // the most while trees are made, and what stays
    if (shape.testEntries > 0) {
        const auto bytes =
            ttm::chainBytes(shape.dims, smallestMode(shape.dims), shape.testEntries, config.ranks, shape.tensorValueBytes, sizeof(T));
        building = static_cast<double>(bytes.building);
        trees = static_cast<double>(bytes.kept);
    }
    double oneMore = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const auto bytes = ttm::chainBytes(shape.dims, n, shape.trainEntries, config.ranks, shape.tensorValueBytes, sizeof(T));
        if (!holdsTrees) {
            oneMore = std::max(oneMore, static_cast<double>(bytes.building));
            continue;
        }
        building = std::max(building, trees + static_cast<double>(bytes.building));
        trees += static_cast<double>(bytes.kept);
    }
    constexpr double margin = 4 << 10; // arrays begin at whole cache lines
    Bytes always;
    always.add(factors, sizeof(T)).add(1, margin);
    plan.memory.hostBytes = Bytes{always.sum + std::max(building, trees + oneMore + dense.sum)};
    return plan;
}

/// Entries while trees are built; trees; factors as they are and as they were best; Y and what belongs to it. On the host the start,
/// and the core four times.
template <class T> Plan planOnCuda(const RunConfig& config, const ProblemShape& shape, bool holdsY, bool holdsTrees)
{
    Plan plan;
    plan.holdsY = holdsY;
    plan.holdsTrees = holdsTrees;
    plan.modes = modesOf(config, shape, holdsY);
    const DeviceRooms rooms = deviceRooms(plan, sizeof(T));
    const auto factors = static_cast<double>(factorNumbers(config, shape));
    const double core = static_cast<double>(plan.modes.front().width) * plan.modes.front().rank;
    std::uint64_t tall = 0;
    for (const ModePlan& mode : plan.modes)
        tall = std::max(tall, product(2 * mode.width, thinStride(mode.thinColumns)));
    Bytes dense;
    dense.add(2 * factors, sizeof(T)).add(static_cast<double>(rooms.y), sizeof(T)).add(2 * static_cast<double>(rooms.z), 8);
    dense.add(static_cast<double>(rooms.small), 8).add(static_cast<double>(rooms.sums), 8).add(core, 8);
    const auto entryBytes = [&](Count entries) {
        return static_cast<double>(entries) * (static_cast<double>(shape.dims.size()) * sizeof(Index) + sizeof(T));
    };
    double trees = 0, building = 0;
    if (shape.testEntries > 0) {
        const auto bytes = ttm::gpu::chainBytes(shape.dims, smallestMode(shape.dims), shape.testEntries, config.ranks, sizeof(T));
        building = entryBytes(shape.testEntries) + static_cast<double>(bytes.building);
        trees = static_cast<double>(bytes.kept);
    }
    double oneMore = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const auto bytes = ttm::gpu::chainBytes(shape.dims, n, shape.trainEntries, config.ranks, sizeof(T));
        const double most = entryBytes(shape.trainEntries) + static_cast<double>(bytes.building);
        if (!holdsTrees) {
            oneMore = std::max(oneMore, most);
            continue;
        }
        building = std::max(building, trees + most);
        trees += static_cast<double>(bytes.kept);
    }
    plan.memory.deviceBytes = Bytes{std::max(building, trees + oneMore + dense.sum)};
    Bytes host;
    host.add(factors, sizeof(T))
        .add(4 * core, 8)
        .add(static_cast<double>(tall), 8)
        .add(static_cast<double>(eigenNumbers(plan)), 8)
        .add(1, 8 << 10);
    plan.memory.hostBytes = host;
    return plan;
}

template <class T> Plan planOn(DeviceKind kind, const RunConfig& config, const ProblemShape& shape, bool holdsY, bool holdsTrees)
{
    return kind == DeviceKind::Cpu ? planOnCpu<T>(config, shape, holdsY, holdsTrees) : planOnCuda<T>(config, shape, holdsY, holdsTrees);
}

} // namespace

DeviceRooms deviceRooms(const Plan& plan, unsigned valueBytes)
{
    DeviceRooms rooms;
    const auto small = [&](std::uint64_t numbers, std::uint64_t depth) {
        rooms.small = std::max(rooms.small, numbers);
        const unsigned parts = deviceParts(numbers, depth);
        rooms.sums = std::max(rooms.sums, parts > 1 ? product(parts, numbers) : 0);
    };
    for (const ModePlan& mode : plan.modes) {
        const std::uint64_t rows = plan.holdsY ? mode.slices : deviceBlockRows(mode, valueBytes);
        rooms.y = std::max(rooms.y, product(rows, mode.width));
        rooms.z = std::max(rooms.z, product(mode.slices, mode.thinColumns));
        for (unsigned columns = 1; columns <= mode.thinColumns; ++columns) { // Z may have fewer than at most
            small(product(mode.width, columns), rows);
            small(std::uint64_t{columns} * columns, mode.slices);
        }
        if (mode.vectors == Vectors::Columns)
            small(product(mode.width, mode.width), rows);
        if (mode.vectors == Vectors::Rows)
            small(product(mode.slices, mode.slices), mode.width);
    }
    return rooms;
}

std::uint64_t deviceBlockRows(const ModePlan& mode, unsigned valueBytes)
{
    constexpr std::uint64_t blockBytes = std::uint64_t{256} << 20;
    return std::min(mode.slices, std::max<std::uint64_t>(1, blockBytes / product(mode.width, valueBytes)));
}

unsigned deviceParts(std::uint64_t numbers, std::uint64_t depth)
{
    constexpr std::uint64_t roomNumbers = std::uint64_t{1} << 22, most = 128, fewestTerms = 1024;
    const std::uint64_t parts = std::min(roomNumbers / std::max<std::uint64_t>(numbers, 1), depth / fewestTerms);
    return static_cast<unsigned>(std::clamp<std::uint64_t>(parts, 1, most));
}

std::string_view toString(Vectors vectors)
{
    return vectors == Vectors::Columns ? "gram of columns" : vectors == Vectors::Rows ? "gram of rows" : "range";
}

unsigned smallestMode(const std::vector<Index>& dims)
{
    return static_cast<unsigned>(std::min_element(dims.begin(), dims.end()) - dims.begin());
}

std::uint64_t hostStride(std::uint64_t columns, unsigned valueBytes)
{
    const std::uint64_t line = 64 / valueBytes;
    return (columns + line - 1) / line * line;
}

std::uint64_t thinStride(std::uint64_t columns) { return (columns + 15) / 16 * 16; }

std::uint64_t blockRows(const ModePlan& mode, unsigned valueBytes)
{
    constexpr std::uint64_t blockBytes = std::uint64_t{16} << 20;
    const std::uint64_t atOnce = rowsAtOnce(mode.width);
    const std::uint64_t rows = blockBytes / product(hostStride(mode.width, valueBytes), valueBytes) / atOnce * atOnce;
    return std::min(mode.slices, std::max(atOnce, rows));
}

namespace {

constexpr std::uint64_t sumNumbers = std::uint64_t{1} << 19, mostSumParts = 32;

/// No less than what sums of fewer numbers take in their parts.
std::uint64_t sumRoom(std::uint64_t numbers) { return std::max(numbers, std::min(sumNumbers, product(mostSumParts, numbers))); }

} // namespace

std::uint64_t sumParts(std::uint64_t numbers)
{
    return std::clamp<std::uint64_t>(sumNumbers / std::max<std::uint64_t>(numbers, 1), 1, mostSumParts);
}

HostRooms hostRooms(const Plan& plan, const ProblemShape& shape, const std::vector<unsigned>& ranks, unsigned valueBytes)
{
    HostRooms rooms;
    rooms.work = ttm::workNumbers(shape.dims, ranks);
    const auto sums = [&](std::uint64_t rows, std::uint64_t stride) { rooms.sums = std::max(rooms.sums, sumRoom(product(rows, stride))); };
    for (const ModePlan& mode : plan.modes) {
        const std::uint64_t stride = hostStride(mode.width, valueBytes), thin = thinStride(mode.thinColumns);
        rooms.y = std::max(rooms.y, product(plan.holdsY ? mode.slices : blockRows(mode, valueBytes), stride));
        rooms.by = std::max(rooms.by, product(mode.width, thin));
        rooms.z = std::max(rooms.z, product(mode.slices, thin));
        sums(mode.width, thin);
        sums(thin, thin);
        if (mode.vectors == Vectors::Columns)
            sums(mode.width, stride);
        if (mode.vectors == Vectors::Rows)
            sums(mode.slices, hostStride(mode.slices, valueBytes));
        rooms.work = std::max({rooms.work, rowsAtOnce(mode.width) * thin,
                               mode.vectors == Vectors::Rows ? columnsAtOnce * hostStride(mode.slices, valueBytes) : 0});
    }
    return rooms;
}

Plan planRun(const RunConfig& config, const ProblemShape& shape, std::uint64_t room)
{
    return dispatchMasterType(config.precision, [&](auto type) {
        using T = typename decltype(type)::type;
        const DeviceKind kind = config.devices.front().kind;
        const auto taken = [&](const Plan& plan) { return kind == DeviceKind::Cpu ? plan.memory.hostBytes : plan.memory.deviceBytes; };
        Plan plan = planOn<T>(kind, config, shape, true, true);
        if (taken(plan) > room)
            plan = planOn<T>(kind, config, shape, false, true);
        if (taken(plan) > room)
            plan = planOn<T>(kind, config, shape, false, false);
        plan.memory.hostBytes = std::max(plan.memory.hostBytes, startBytes(config, shape, sizeof(T)));
        return plan;
    });
}

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    const bool onCpu = config.devices.front().kind == DeviceKind::Cpu;
    const std::uint64_t room = onCpu ? availableHostMemory() : std::numeric_limits<std::uint64_t>::max();
    return planRun(config, shape, config.memoryLimit ? config.memoryLimit : room).memory;
}

Plan planThatFits(const SolverInput& input, std::uint64_t free)
{
    const RunConfig& config = input.config;
    const ProblemShape shape{input.train.dims(), input.train.entries(), input.test ? input.test->entries() : 0,
                             input.train.hasDoubleValues() ? 8U : 4U};
    const Plan plan = planRun(config, shape, config.memoryLimit ? std::min(free, config.memoryLimit) : free);
    const std::string instead = fmt::format("choose smaller ranks (the core has {} numbers) or fewer entries.",
                                            product(plan.modes.front().width, plan.modes.front().rank));
    const DeviceId& device = config.devices.front();
    const bool onCpu = device.kind == DeviceKind::Cpu;
    const std::string name = onCpu ? "the CPU" : toString(device);
    const std::uint64_t limited = onCpu ? plan.memory.hostBytes : plan.memory.deviceBytes;
    if (config.memoryLimit && limited > config.memoryLimit)
        throw OutOfMemory(name, limited, config.memoryLimit, "Raise the run's memory limit, or " + instead);
    if (!onCpu && limited > free)
        throw OutOfMemory(name, limited, free, "Use the CPU, or " + instead);
    requireHostMemory(plan.memory.hostBytes, "Close other programs, or " + instead);
    return plan;
}

} // namespace kernels::tucker_hooi
