// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstdint>

/// Products of matrices of very different shapes on the CPU, one table for each instruction set (dense_products_isa.cpp). Plain data
/// alone: what such a source includes must bring no inline functions that others use.
namespace kernels {

/// So many columns are taken at once: rows of B and of sums are padded to a multiple of it.
template <class T> constexpr std::uint64_t productLine = 64 / sizeof(T);

/// Element (i, k) is at[i · row + k · depth], so that a matrix or its transpose can be read where it lies.
template <class T> struct LeftFactor {
    const T* at = nullptr;
    std::uint64_t row = 0, depth = 0;
};

template <class T> struct DenseProducts {
    /// sum += A B, kept in fp64, added up in T over 256 terms at most. Columns, bStride and sumStride are multiples of productLine,
    /// B and sum aligned.
    void (*add)(double* sum, std::uint64_t sumStride, const LeftFactor<T>&, const T* b, std::uint64_t bStride, std::uint64_t rows,
                std::uint64_t columns, std::uint64_t depth) = nullptr;
};

/// For the machine.
const DenseProducts<float>& denseProducts(float);
const DenseProducts<double>& denseProducts(double);

} // namespace kernels
