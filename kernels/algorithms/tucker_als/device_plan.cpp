// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cuda_sizes.h"
#include "kernels/base/dispatch.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>

namespace kernels::tucker_als::gpu {
namespace {

using core_contraction::Walk;

constexpr std::uint64_t positionBytes = 4;
/// A table saves arithmetic by its mode's rank, but where entries are not grouped its parts come from the cache for every entry: that
/// takes about as long as so many times the arithmetic.
constexpr unsigned leastRankForTable = 8;

/// What the back end's load() has at once at most, and what is left of it; then a table and gradients of the core.
template <class T> struct DeviceBytes {
    DeviceBytes(const ProblemShape& problem, const RunPlan& plan, const PieceNeeds& pieceNeeds)
    {
        const unsigned order = static_cast<unsigned>(problem.dims.size());
        const Count entries = problem.trainEntries, core = plan.shape.coreNumbers();
        const std::uint64_t uploaded = entries * (order * sizeof(Index) + sizeof(T));
        std::uint64_t lists = 0, building = 0, deltas = 0, pieces = 0, widest = 2, padded = 0;
        std::vector<Count> entriesAtOnce;
        for (const unsigned rank : plan.shape.ranks)
            entriesAtOnce.push_back(passSizes(entries, core, rank, sizeof(T), pieceNeeds).entriesAtOnce);
        const std::vector<bool> grouped = groupedModes(plan, entriesAtOnce);
        for (unsigned n = 0; n < order; ++n) {
            const unsigned rank = plan.shape.ranks[n];
            const PassSizes sizes = passSizes(entries, core, rank, sizeof(T), pieceNeeds);
            const bool keepsOwn = plan.core.modes.front() == n;
            constexpr std::uint64_t pieceBytes = 2 * 12; // with its share of the cut rows
            std::uint64_t rest = (std::uint64_t{problem.dims[n]} + 1) * positionBytes + sizes.mostPieces * pieceBytes;
            std::uint64_t onHost = rest;
            if (grouped[n]) {
                const Walk& walk = plan.rows[n];
                const Count batches = mostBatches(sizes, entries, problem.dims[n]);
                const std::uint64_t runs = (batches * (std::uint64_t{problem.dims[walk.tupleMode()]} + 1) + 2) * positionBytes;
                const std::uint64_t groups = mostGroups(walk, problem.dims, entries, batches) * sizeof(core_contraction::gpu::Group);
                rest += runs + groups;
                onHost += runs + groups;
            }
            cutting = std::max(cutting, onHost);
            const std::uint64_t list =
                entries * ((order - 1) * sizeof(Index) + sizeof(T)) + rest + (keepsOwn ? entries * positionBytes : 0);
            const std::uint64_t sorting =
                entries * (6 * positionBytes) + entries / 4 + (std::uint64_t{1} << 20); // keys and positions thrice
            building = std::max(building, uploaded + lists + std::max(sorting + rest, list + entries * positionBytes));
            lists += list;
            factors += std::uint64_t{problem.dims[n]} * deviceStride(rank) * sizeof(T);
            const Count atOnce = std::min(sizes.entriesAtOnce, std::max(entries, problem.testEntries));
            deltas = std::max(deltas, atOnce * deviceStride(rank) * sizeof(T));
            pieces = std::max(pieces, sizes.mostPieces * pieceNumbers(pieceNeeds, rank, sizeof(T)) * sizeof(double));
            widest = std::max(widest, std::uint64_t{rank} * rank);
            padded = std::max(padded, paddedCore(core, rank));
        }
        const std::uint64_t test = problem.testEntries * (order * sizeof(Index) + sizeof(T));
        kept = lists + test + 2 * factors + deltas + pieces + padded * sizeof(T) + std::max(core, widest) * sizeof(double)
            + sumNumbers(plan.shape.ranks) * sizeof(double) + 128 * sizeof(double);
        if (grouped[plan.core.modes.front()])
            kept += groupNumbers(plan.core, problem.dims, entries) * sizeof(double);
        beside = building > kept ? building - kept : 0;
    }

    std::uint64_t factors = 0, kept = 0, beside = 0;
    std::uint64_t cutting = 0; ///< on the host, while rows are cut
};

std::uint64_t tableBytes(const RunPlan& plan, const Walk& walk, unsigned valueBytes)
{
    return core_contraction::tableNumbers(walk, plan.shape.dims) / walk.openRank() * deviceStride(walk.openRank()) * valueBytes;
}

template <class T> RunPlan plan(const RunConfig& config, const ProblemShape& problem, const Needs& needs, std::uint64_t room)
{
    constexpr std::uint64_t small = std::uint64_t{64} << 10; // arrays begin at whole blocks
    RunPlan plan;
    plan.shape = {problem.dims, {}, problem.trainEntries};
    for (unsigned n = 0; n < problem.dims.size(); ++n)
        plan.shape.ranks.push_back(config.rankOfMode(n));
    const auto walksWithTables = [&](std::uint64_t bytes) {
        plan.rows.clear();
        for (unsigned n = 0; n < problem.dims.size(); ++n) {
            const unsigned rank = plan.shape.ranks[n];
            const Walk direct = core_contraction::openWalk(plan.shape, n, 0);
            const Walk table = core_contraction::openWalk(plan.shape, n, bytes / (deviceStride(rank) * sizeof(T)) * rank);
            const PassSizes sizes = passSizes(problem.trainEntries, plan.shape.coreNumbers(), rank, sizeof(T), needs.pieces);
            const bool pays = plan.shape.ranks[direct.modes[1]] >= leastRankForTable
                || groupsPay(table, problem.dims, problem.trainEntries, sizes.entriesAtOnce);
            plan.rows.push_back(pays ? table : direct);
        }
        plan.core = *std::min_element(plan.rows.begin(), plan.rows.end(), [](const Walk& a, const Walk& b) { return a.flops < b.flops; });
    };
    walksWithTables(0);
    const Count core = plan.shape.coreNumbers();
    const auto bytesBeside = [&] { // the numbers that gradients take are those of the mode which the core's passes are over
        const Count padded = paddedCore(core, plan.core.openRank());
        return needs.coreVectors > 0 ? core_contraction::gpu::gradientParts(padded) * padded * sizeof(double) : 0;
    };
    std::uint64_t without = 0;
    for (const Walk& walk : plan.rows) { // whichever that will be
        plan.core = walk;
        without = std::max(without, DeviceBytes<T>(problem, plan, needs.pieces).kept + bytesBeside() + small);
    }
    walksWithTables(config.variant == "cached" && room > without ? room - without : 0);
    DeviceBytes<T> bytes(problem, plan, needs.pieces);
    const auto deviceBytes = [&] {
        std::uint64_t table = 0;
        for (const Walk& walk : plan.rows)
            table = std::max(table, tableBytes(plan, walk, sizeof(T)));
        return bytes.kept + std::max(bytes.beside, table + bytesBeside()) + small;
    };
    if (deviceBytes() > room) { // groups take some room, too
        walksWithTables(0);
        bytes = DeviceBytes<T>(problem, plan, needs.pieces);
    }
    plan.test = plan.core;
    plan.memory.deviceBytes = deviceBytes();
    // The start while rows are cut, later a copy that is given away; the core, its best, sums and steps.
    constexpr std::uint64_t coresOnHost = 12;
    plan.memory.hostBytes = std::max(bytes.factors + bytes.cutting, sliceCountsBytes(problem.dims))
        + (coresOnHost * core + paddedCore(core, plan.core.openRank())) * sizeof(double) + small;
    return plan;
}

} // namespace

RunPlan planOnDevice(const RunConfig& config, const ProblemShape& problem, const Needs& needs, std::uint64_t room)
{
    return dispatchMasterType(config.precision,
                              [&](auto type) { return plan<typename decltype(type)::type>(config, problem, needs, room); });
}

} // namespace kernels::tucker_als::gpu
