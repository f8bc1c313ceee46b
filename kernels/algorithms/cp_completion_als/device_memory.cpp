// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/device_memory.h"

#include "kernels/operations/kruskal_rows/device_sizes.h"

#include <algorithm>

namespace kernels::cp_completion_als::gpu {

/// What is kept, and the most of arranging the entries before the rest is there.
MemoryUse estimateWithLists(const RunConfig& config, const ProblemShape& problem, const ListNeeds& needs)
{
    using kruskal_rows::gpu::deviceStride;
    constexpr std::uint64_t position = 4, small = std::uint64_t{64} << 10; // arrays begin at whole blocks
    const std::uint64_t value = config.precision == Precision::Fp64 ? 8 : 4, order = problem.dims.size();
    const Count entries = problem.trainEntries;
    const unsigned rank = config.largestRank();
    const observed_rows::PieceLimits limits = observed_rows::gpu::pieceLimits(entries, needs.columns, static_cast<unsigned>(order));
    const std::uint64_t ofEntry = order * sizeof(Index) + value, uploaded = entries * ofEntry;
    const std::uint64_t sorting = entries * 6 * position + entries / 4 + (std::uint64_t{1} << 20); // keys and positions thrice
    std::uint64_t lists = 0, building = 0, factors = 0, columns = 0, cutting = 0;
    Count slots = 1;
    for (const Index rows : problem.dims) {
        const std::uint64_t pieces = observed_rows::mostPieces(entries, rows, limits) * sizeof(observed_rows::Piece);
        const std::uint64_t rest = 2 * (std::uint64_t{rows} + 1) * position + pieces;
        cutting = std::max(cutting, 2 * rest); // they grow
        building = std::max(building, uploaded + lists + std::max(sorting, entries * (ofEntry + position) + rest));
        lists += entries * ofEntry + rest;
        factors += std::uint64_t{rows} * deviceStride(rank) * value;
        columns += std::uint64_t{rows} * deviceStride(needs.columns) * value;
        slots = std::max(slots, observed_rows::gpu::slotsOf(entries, rows, limits));
    }
    std::uint64_t kept = lists + problem.testEntries * ofEntry + 2 * factors + rank * sizeof(double) + sumNumbers * sizeof(double);
    kept += (slots * observed_rows::gpu::ridgeNumbers(needs.columns) + observed_rows::gpu::solverRoom(needs.columns)) * sizeof(double);
    kept += residualsAtOnce(entries, needs.columns, static_cast<unsigned>(value), limits) * value;
    if (needs.residuals)
        kept += entries * order * value + 2 * columns;
    // The start while rows are cut, later a copy that is given away.
    return {std::max(kept, building) + small, factors + std::max(cutting, factors) + small};
}

} // namespace kernels::cp_completion_als::gpu
