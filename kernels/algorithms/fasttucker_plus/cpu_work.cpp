// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cpu_work.h"

#include "kernels/base/instruction_set.h"

#include <tbb/info.h>

#include <algorithm>

namespace kernels::fasttucker_plus {
namespace {

/// Parts the core pass is cut into; each has a gradient of its own, added in order at the end.
constexpr unsigned fewestLanes = 16;

} // namespace

template <class T> TileKernels<T> bestKernels()
{
    TileKernels<T> table;
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

template <class T> WorkSizes workSizes(const TileProblem<T>& problem, unsigned threads, bool deterministic)
{
    WorkSizes sizes;
    sizes.threads = threads ? threads : static_cast<unsigned>(tbb::info::default_concurrency());
    sizes.lanes = deterministic ? fewestLanes : std::max(fewestLanes, 2 * sizes.threads);
    sizes.scratch = bestKernels<T>().workElements(problem);
    for (unsigned n = 0; n < problem.order; ++n) {
        sizes.rows += problem.stride[n];
        sizes.gradient += std::size_t{problem.stride[n]} * problem.coreStride;
    }
    return sizes;
}

template TileKernels<float> bestKernels();
template TileKernels<double> bestKernels();
template TileProblem<float> problemShape(const std::vector<unsigned>&, unsigned);
template TileProblem<double> problemShape(const std::vector<unsigned>&, unsigned);
template WorkSizes workSizes(const TileProblem<float>&, unsigned, bool);
template WorkSizes workSizes(const TileProblem<double>&, unsigned, bool);

} // namespace kernels::fasttucker_plus
