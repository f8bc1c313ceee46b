// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/algorithms/cp_als/dense_rows.h"
#include "kernels/base/array.h"
#include "kernels/base/chunks.h"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <algorithm>

namespace kernels::cp_als {

constexpr Count rowsAtOnce = 256; ///< that a task works on
constexpr Count rowsBetween = 8; ///< that stand between two products at once, in a cache

/// A small matrix in panels, as DenseRows::multiply wants it: stride × stride numbers.
template <class T> void layOutPanels(const Square& matrix, unsigned stride, Array<T>& to)
{
    constexpr unsigned width = 64 / sizeof(T);
    std::fill(to.begin(), to.end(), T(0));
    for (unsigned j = 0; j < matrix.rows(); ++j)
        for (unsigned r = 0; r < matrix.cols(); ++r)
            to[std::size_t{r / width * width} * stride + std::size_t{j} * width + r % width] = static_cast<T>(matrix(j, r));
}

/// AᵀA of rows of `rank` numbers, in fp64: of parts of rows, of each in stripes, cut alike for any number of threads. parts:
/// room for rowParts().numbers.
template <class T> Square gramOfRows(const T* rows, Index count, unsigned rank, unsigned stride, Array<double>& sums, RunControl& control)
{
    constexpr unsigned stripe = 64; // rows of AᵀA that a task adds up
    const RowParts parts = rowParts(count, rank);
    const auto gramStride = static_cast<unsigned>(mttkrp::hostStride<double>(rank));
    const std::size_t square = std::size_t{gramStride} * gramStride;
    const Count stripes = chunkCount(gramStride, stripe);
    forEachChunk(parts.count * stripes, 1, control, [&](Count task, Count, Count) {
        const Count part = task / stripes, begin = part * parts.rows, end = std::min<Count>(count, begin + parts.rows);
        const auto first = static_cast<unsigned>(task % stripes) * stripe, last = std::min(gramStride, first + stripe);
        double* const sum = sums.data() + part * square;
        std::fill(sum + std::size_t{first} * gramStride, sum + std::size_t{last} * gramStride, 0.0);
        for (Count at = begin; at < end && !control.stopRequested(); at += rowsAtOnce)
            denseRows(T(0)).gram(rows + at * stride, std::min(rowsAtOnce, end - at), stride, first, last, sum, gramStride);
    });
    Square whole(rank, rank);
    forEachChunk(rank, 16, control, [&](Count, Count begin, Count end) {
        for (auto i = static_cast<unsigned>(begin); i < end; ++i)
            for (unsigned j = 0; j <= i; ++j) { // the lower triangle is what was added up
                double x = 0;
                for (Count part = 0; part < parts.count; ++part)
                    x += sums[part * square + std::size_t{i} * gramStride + j];
                whole(i, j) = whole(j, i) = x;
            }
    });
    return whole;
}

} // namespace kernels::cp_als
