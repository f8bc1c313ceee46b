// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cpu_work.h"

#include "kernels/base/instruction_set.h"

#include <tbb/info.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernels::fasttucker_plus {
namespace {

/// Parts the core pass is cut into; each has a gradient of its own, added in order at the end.
constexpr unsigned fewestLanes = 16;

/// The most of all entries that lie in one block, the shared mode being cut at every row, as if modes had nothing to do with each other.
double largestBlock(const Flight& flight, const CpuGrouping& grouping)
{
    double part = 1;
    for (std::size_t n = 0; n < flight.shares.size(); ++n) {
        if (n == grouping.shared)
            continue;
        const std::vector<float>& shares = flight.shares[n];
        const std::size_t rows = std::size_t{1} << grouping.blockBits[n];
        double largest = 0;
        for (std::size_t begin = 0; begin < shares.size(); begin += rows)
            largest =
                std::max(largest, std::accumulate(shares.begin() + begin, shares.begin() + std::min(begin + rows, shares.size()), 0.0));
        part *= largest;
    }
    return part;
}

/// The same of the train entries, where rows have more of theirs in one block than that: those of a day, say, where users are numbered as
/// they come. Of rows whose entries are several units, in a sample of which two standard deviations less are believed.
double largestBlock(const SparseTensor& train, const CpuGrouping& grouping)
{
    constexpr Count sample = 1'000'000; // some milliseconds
    const Count step = (train.entries() + sample - 1) / sample;
    const Count rows = train.dims()[grouping.shared];
    const Count blocks = blockCount(train.dims(), grouping.blockBits); // no more than entries have runs, see chooseCpuGrouping()
    std::vector<std::uint32_t> ofBlock(rows * blocks), ofRow(rows);
    for (Count e = 0; e < train.entries(); e += step) {
        Count block = 0;
        for (unsigned n = 0; n < train.order(); ++n)
            if (n != grouping.shared)
                block =
                    block * (((Count{train.dims()[n]} - 1) >> grouping.blockBits[n]) + 1) + (train.indices[n][e] >> grouping.blockBits[n]);
        const Count row = train.indices[grouping.shared][e];
        ++ofBlock[row * blocks + block];
        ++ofRow[row];
    }
    const Count several = 2 * (Count{grouping.most} << unitBits) / step;
    double part = 0;
    for (Count row = 0; row < rows; ++row) {
        if (ofRow[row] < several || ofRow[row] == 0)
            continue;
        const auto begin = ofBlock.begin() + static_cast<std::ptrdiff_t>(row * blocks);
        const double most = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(blocks));
        part = std::max(part, (most - 2 * std::sqrt(most)) / ofRow[row]);
    }
    return part;
}

} // namespace

template <class T> TileKernels<T> bestKernels()
{
    TileKernels<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

template <class T> GroupKernels<T> bestGroupKernels()
{
    GroupKernels<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

template <class T> TileProblem<T> problemShape(const std::vector<unsigned>& ranks, unsigned coreRank)
{
    TileProblem<T> p;
    p.order = p.endMode = static_cast<unsigned>(ranks.size());
    p.coreRank = coreRank;
    p.coreStride = paddedColumns<T>(coreRank);
    for (unsigned n = 0; n < p.order; ++n) {
        p.rank[n] = ranks[n];
        p.stride[n] = paddedColumns<T>(ranks[n]);
    }
    return p;
}

unsigned racingThreads(unsigned threads, Count entries)
{
    const Count wanted = threads ? threads : static_cast<unsigned>(tbb::info::default_concurrency());
    return static_cast<unsigned>(std::min<Count>(wanted, 1 + entries / 8192));
}

std::vector<Concurrency> concurrencyOnCpu(const Flight& flight, bool grouped)
{
    const double racers = racingThreads(flight.threads, flight.entries);
    std::vector<Concurrency> modes(flight.ranks.size(), {tileEntries * racers, 1});
    if (!grouped)
        return modes;
    const CpuGrouping grouping = chooseCpuGrouping(flight.dims, flight.ranks, flight.coreRank, flight.entries);
    for (std::size_t n = 0; n < modes.size(); ++n) { // a block's rows have all the entries in flight, and no row more than those
        modes[n].atMost = modes[n].inFlight;
        modes[n].inFlight *= static_cast<double>(((Count{flight.dims[n]} - 1) >> grouping.blockBits[n]) + 1);
    }
    if (!grouping.shares())
        return modes;
    const double part = std::max(largestBlock(flight, grouping), flight.train ? largestBlock(*flight.train, grouping) : 0);
    // A row's entries in a block stand together, in units of 1 << unitBits groups. Racers that help each other at the end of a step
    // take neighbouring units: as many as the row has there each work on a group of it.
    modes[grouping.shared] = {std::ldexp(part * static_cast<double>(flight.entries), -int{unitBits}), static_cast<double>(grouping.most),
                              grouping.most * racers};
    return modes;
}

template <class T> WorkSizes workSizes(const TileProblem<T>& problem, unsigned threads, bool deterministic, const CpuGrouping* grouping)
{
    WorkSizes sizes;
    sizes.threads = threads ? threads : static_cast<unsigned>(tbb::info::default_concurrency());
    sizes.lanes = deterministic ? fewestLanes : std::max(fewestLanes, 2 * sizes.threads);
    sizes.scratch = bestKernels<T>().workElements(problem);
    if (grouping)
        sizes.scratch = std::max(sizes.scratch, bestGroupKernels<T>().workElements(problem, grouping->shared, grouping->pairs));
    for (unsigned n = 0; n < problem.order; ++n) {
        sizes.rows += problem.stride[n];
        sizes.gradient += std::size_t{problem.stride[n]} * problem.coreStride;
    }
    return sizes;
}

template TileKernels<float> bestKernels();
template TileKernels<double> bestKernels();
template GroupKernels<float> bestGroupKernels();
template GroupKernels<double> bestGroupKernels();
template TileProblem<float> problemShape(const std::vector<unsigned>&, unsigned);
template TileProblem<double> problemShape(const std::vector<unsigned>&, unsigned);
template WorkSizes workSizes(const TileProblem<float>&, unsigned, bool, const CpuGrouping*);
template WorkSizes workSizes(const TileProblem<double>&, unsigned, bool, const CpuGrouping*);

} // namespace kernels::fasttucker_plus
