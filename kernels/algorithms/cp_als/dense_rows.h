// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

/// The loops of alternating least squares over rows, on the CPU, one table for each instruction set (dense_rows_isa.cpp). Plain
/// data alone: what such a source includes must bring no inline functions that others use. Rows are aligned, `stride` a
/// multiple of 64 bytes, what is past the rank zero.
namespace kernels::cp_als {

/// Entries of a model's x̂, from begin to end.
template <class T> struct JudgeWalk {
    unsigned order = 0, stride = 0;
    const Index* indices[maxOrder] = {};
    const T* factors[maxOrder] = {};
    const double* weights = nullptr; ///< stride of them
    const float* floats = nullptr; ///< the values: one of the two
    const double* doubles = nullptr;
    Count begin = 0, end = 0;
    double squared = 0, absolute = 0, products = 0; ///< out: Σ (x̂ − x)², Σ |x̂ − x|, Σ x x̂
};

template <class T> struct DenseRows {
    /// to = from · by, or added to it, of `count` rows; `by` in panels of 64 bytes of its columns, one after another: panel ·
    /// stride rows.
    void (*multiply)(T* to, const T* from, const T* by, Count count, unsigned stride, bool add) = nullptr;
    /// sum += AᵀA in fp64: rows `first` to `end` of it, multiples of 8 or the last, up to the diagonal and a little beyond;
    /// sumStride a multiple of 8, `end` at most that.
    void (*gram)(const T* rows, Count count, unsigned stride, unsigned first, unsigned end, double* sum, unsigned sumStride) = nullptr;
    /// most = max(most, magnitudes), stride of them.
    void (*largest)(const T* rows, Count count, unsigned stride, T* most) = nullptr;
    void (*scale)(T* rows, const T* by, Count count, unsigned stride) = nullptr;
    void (*judge)(JudgeWalk<T>&) = nullptr;
};

/// For the machine.
const DenseRows<float>& denseRows(float);
const DenseRows<double>& denseRows(double);

} // namespace kernels::cp_als
