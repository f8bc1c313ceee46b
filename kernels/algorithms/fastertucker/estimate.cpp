// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/algorithms/fastertucker/fastertucker.h"
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/base/dispatch.h"
#include "kernels/formats/csf.h"

#include <algorithm>

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
        stage(arrangeRowsBytes(order, shape.trainEntries, rows, sizeof(T)), rowEntriesBytes(order, shape.trainEntries, rows, sizeof(T)));
    for (unsigned n = 0; trees && !config.deterministic && n < order; ++n)
        stage(arrangeFibresBytes(shape.dims, n, shape.trainEntries, sizeof(T), sizeof(T)),
              fibreEntriesBytes(shape.dims, n, shape.trainEntries, sizeof(T)));
    if (shape.testEntries > 0)
        stage(arrangeRowsBytes(order, shape.testEntries, shape.dims[0], sizeof(T)),
              rowEntriesBytes(order, shape.testEntries, shape.dims[0], sizeof(T)));
    const std::uint64_t lanes = gradientLanes(shape.trainEntries);
    const std::uint64_t model = (e.kept + e.projections) * sizeof(T);
    return std::max(most, kept + model) + start + 2 * shares + lanes * e.gradient * sizeof(double);
}

} // namespace

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    return {0,
            dispatchMasterType(config.precision, [&](auto type) { return hostBytesOnCpu<typename decltype(type)::type>(config, shape); })};
}

} // namespace kernels::fastertucker
