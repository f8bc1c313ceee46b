// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/tensor_norm.h"

#include "kernels/base/chunks.h"

#include <numeric>

namespace kernels {
namespace {

constexpr Count entriesAtOnce = Count{1} << 16;

bool continuesCell(const SparseTensor& tensor, Count entry)
{
    if (!tensor.sorted || entry == 0 || entry == tensor.entries())
        return false;
    for (const Array<Index>& indices : tensor.indices)
        if (indices[entry] != indices[entry - 1])
            return false;
    return true;
}

/// Of the cells that begin among these entries; the last may go on behind them.
template <class T> double squaresOf(const SparseTensor& tensor, const T* values, bool asSingles, Count begin, Count end)
{
    const auto value = [&](Count e) {
        return asSingles ? static_cast<double>(static_cast<float>(values[e])) : static_cast<double>(values[e]);
    };
    double squares = 0;
    for (Count e = begin; e < end;) {
        if (continuesCell(tensor, e)) { // only at the beginning: it is the chunk's before
            ++e;
            continue;
        }
        double cell = value(e);
        while (continuesCell(tensor, ++e))
            cell += value(e);
        squares += cell * cell;
    }
    return squares;
}

template <class Watch> double sumOfSquares(const SparseTensor& tensor, Watch& watch, bool asSingles)
{
    std::vector<double> parts(chunkCount(tensor.entries(), entriesAtOnce));
    std::visit(
        [&](const auto& values) {
            forEachChunk(tensor.entries(), entriesAtOnce, watch, [&](Count chunk, Count begin, Count end) {
                parts[chunk] = squaresOf(tensor, values.data(), asSingles, begin, end);
            });
        },
        tensor.values);
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

} // namespace

double squaredNormOfCells(const SparseTensor& tensor, RunControl& control, bool asSingles)
{
    return sumOfSquares(tensor, control, asSingles);
}

double squaredNormOfCells(const SparseTensor& tensor, Progress* progress)
{
    if (progress)
        progress->begin("computing the norm", tensor.entries());
    return sumOfSquares(tensor, progress, false);
}

} // namespace kernels
