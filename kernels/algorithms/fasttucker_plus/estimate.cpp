// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/formats/coo.h"

#include <algorithm>

namespace kernels::fasttucker_plus {
namespace {

constexpr unsigned cudaColumns = 16; ///< rows on a GPU are padded to this

} // namespace

/// Entries in both sets, two copies of the factors (present and best), the kept projections of variant
/// "store", the step of every row, and the changes of one batch in deterministic mode. Cores are small, and so are the
/// partial sums of their gradients on a GPU (never above 256 MiB), whose number only the device knows.
MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    const unsigned order = static_cast<unsigned>(shape.dims.size());
    const unsigned valueBytes = config.precision == Precision::Fp64 ? 8 : 4;
    const bool onDevice = !config.devices.empty() && config.devices.front().kind == DeviceKind::Cuda;
    const auto padded = [&](unsigned columns) {
        if (onDevice)
            return (columns + cudaColumns - 1) / cudaColumns * cudaColumns;
        return valueBytes == 8 ? paddedColumns<double>(columns) : paddedColumns<float>(columns);
    };
    std::uint64_t elements = 0, rowElements = 0, scales = 0;
    for (unsigned n = 0; n < order; ++n) {
        rowElements += padded(config.rankOfMode(n));
        elements += 2 * std::uint64_t{shape.dims[n]} * padded(config.rankOfMode(n));
        if (config.variant == "store")
            elements += std::uint64_t{shape.dims[n]} * padded(config.effectiveCoreRank());
        if (onDevice)
            scales += std::uint64_t{shape.dims[n]} * sizeof(float);
    }
    std::uint64_t bytes = scales + elements * valueBytes + formats::cooBytes(order, shape.trainEntries + shape.testEntries, valueBytes);
    if (config.deterministic) {
        const auto batch = config.parameters.find("batch");
        const std::int64_t chosen = batch != config.parameters.end() && std::holds_alternative<std::int64_t>(batch->second)
            ? std::get<std::int64_t>(batch->second)
            : 0;
        bytes += std::min(shape.trainEntries, chosen > 0 ? Count(chosen) : Count{16384}) * rowElements * valueBytes;
    }
    MemoryUse use;
    (onDevice ? use.deviceBytes : use.hostBytes) = bytes;
    return use;
}

/// Multiplications and additions an iteration cannot do without, padding not counted.
double flopsPerIteration(const RunConfig& config, const ProblemShape& shape)
{
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

} // namespace kernels::fasttucker_plus
