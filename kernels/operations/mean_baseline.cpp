// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mean_baseline.h"

#include "kernels/base/chunks.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace kernels {
namespace {

constexpr Count entriesPerChunk = Count{1} << 16;

/// Σ of(x) over a tensor's values, the same bits every time.
template <class Of> double sumOverValues(const SparseTensor& tensor, const Of& of)
{
    std::vector<double> parts(chunkCount(tensor.entries(), entriesPerChunk));
    forEachChunk(tensor.entries(), entriesPerChunk, static_cast<Progress*>(nullptr), [&](Count chunk, Count begin, Count end) {
        std::visit(
            [&](const auto& values) {
                for (Count entry = begin; entry < end; ++entry)
                    parts[chunk] += of(static_cast<double>(values[entry]));
            },
            tensor.values);
    });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

} // namespace

ErrorSums errorsOfMean(const SparseTensor& train, const SparseTensor& measured)
{
    const double mean = sumOverValues(train, [](double x) { return x; }) / static_cast<double>(train.entries());
    ErrorSums sums;
    sums.squared = sumOverValues(measured, [mean](double x) { return (x - mean) * (x - mean); });
    sums.absolute = sumOverValues(measured, [mean](double x) { return std::abs(x - mean); });
    sums.count = measured.entries();
    return sums;
}

} // namespace kernels
