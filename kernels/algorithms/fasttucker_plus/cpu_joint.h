// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/joint_directions.h"
#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/base/chunks.h"

#include <algorithm>
#include <numeric>
#include <vector>

/// What a rank on the CPU does of rows that others learn, too.
namespace kernels::fasttucker_plus {

/// The mean of d dᵀ over a sample of so many entries, with rows and cores as they are: of what a mode's steps go along, as far as they are
/// damped.
template <class T> std::vector<double> stepMoments(const TileProblem<T>& p, Count entries, unsigned mode, double damping)
{
    constexpr Count atOnce = 256;
    const EntrySample sample{entries};
    const unsigned columns = p.rank[mode];
    std::vector<std::vector<double>> parts(chunkCount(sample.count(), atOnce));
    forEachChunk(sample.count(), atOnce, static_cast<Progress*>(nullptr), [&](Count chunk, Count begin, Count end) {
        std::vector<double>& part = parts[chunk];
        part.assign(std::size_t{columns} * columns, 0);
        std::vector<double> product(p.coreRank), d(columns);
        for (Count i = begin; i < end; ++i) {
            const std::uint32_t* const indices = p.indices + sample.at(i) * p.order;
            std::fill(product.begin(), product.end(), 1);
            for (unsigned n = 0; n < p.order; ++n) {
                const T* const row = p.factor[n] + std::size_t{indices[n]} * p.stride[n];
                for (unsigned r = 0; n != mode && r < p.coreRank; ++r)
                    product[r] *= std::inner_product(row, row + p.rank[n], p.coreTransposed[n] + std::size_t{r} * p.stride[n], 0.0);
            }
            for (unsigned j = 0; j < columns; ++j)
                d[j] = std::inner_product(product.begin(), product.end(), p.core[mode] + std::size_t{j} * p.coreStride, 0.0);
            const double kept = 1 / (1 + damping * std::inner_product(product.begin(), product.end(), product.begin(), 0.0));
            for (unsigned j = 0; j < columns; ++j)
                for (unsigned k = 0; k < columns; ++k)
                    part[std::size_t{j} * columns + k] += kept * d[j] * d[k];
        }
    });
    std::vector<double> moments(std::size_t{columns} * columns, 0);
    for (const std::vector<double>& part : parts)
        for (std::size_t i = 0; i < moments.size(); ++i)
            moments[i] += part[i] / static_cast<double>(sample.count());
    return moments;
}

/// row ← what it adds to everybody's change of it. share, visits: of the row, as in Joint.
template <class T>
void takeChange(T* row, const T* before, const JointDirections& directions, float share, float visits, std::vector<double>& change)
{
    const std::size_t columns = directions.taken.size();
    change.resize(columns);
    for (std::size_t j = 0; j < columns; ++j) {
        change[j] = static_cast<double>(row[j]) - static_cast<double>(before[j]);
        row[j] = 0;
    }
    for (std::size_t k = 0; k < columns; ++k) {
        const double* const direction = directions.vectors.data() + k * columns;
        const double along = std::inner_product(change.begin(), change.end(), direction, 0.0)
            * static_cast<double>(shareOfChange(share, visits, static_cast<float>(directions.taken[k])));
        for (std::size_t j = 0; j < columns; ++j)
            row[j] += static_cast<T>(along * direction[j]);
    }
}

} // namespace kernels::fasttucker_plus
