// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"
#include "kernels/device/stream.cuh"
#include "kernels/operations/kruskal_rows/device_sizes.h"

/// Entries of a CP model on a GPU with the rows of all modes: what the model says of each.
namespace kernels::kruskal_rows::gpu {

/// Entries with indices in all modes. Rows have `stride` numbers.
template <class T> struct Entries {
    unsigned order = 0, stride = 4;
    const T* rows[maxOrder] = {}; ///< [mode]
    const Index* columns[maxOrder] = {}; ///< [mode][entry]
    const T* values = nullptr;
};

/// sums[2 b], sums[2 b + 1] += Σ e², Σ |e| of the entries that block b of sumBlocks has, e = errorUnit (x − predictedUnit x̂). The same
/// bits every time. An entry takes its indices, its value and the rows from memory or cache once.
template <class T>
void judge(const Entries<T>&, Count begin, Count end, double predictedUnit, double errorUnit, double* sums, const cuda::Stream&);

/// to[e − begin] = values[e] − x̂; they may be the same numbers.
template <class T> void subtractPredictions(const Entries<T>&, Count begin, Count end, T* to, const cuda::Stream&);

template <class T> struct Exchange {
    Entries<T> entries; ///< with the rows to be added
    const T* others[maxOrder] = {};
    unsigned otherStride = 0; ///< 0: none are taken away
    T* values = nullptr;
};
/// values[e] += x̂ of the entries' rows − x̂ of the others.
template <class T> void exchangePredictions(const Exchange<T>&, Count begin, Count end, const cuda::Stream&);

} // namespace kernels::kruskal_rows::gpu
