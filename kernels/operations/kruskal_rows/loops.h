// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

/// Inner loops over entries of a CP model on the CPU, one table for each instruction set (loops_isa.cpp). Plain data alone: what such a
/// source includes must bring no inline functions that others use. Rows are row-major and need no alignment; nothing is read past one.
namespace kernels::kruskal_rows {

/// to[i] = by ∘ rows[indices[i]]: `stride` numbers each, past the rank zero.
template <class T> struct Products {
    T* to = nullptr;
    unsigned stride = 0, rank = 0;
    const T* by = nullptr; ///< null: ones
    const T* rows = nullptr; ///< `rank` numbers each
    const Index* indices = nullptr;
    Count count = 0;
};

/// Entries one after another: with e = x̂ − x and S the products of an entry's other rows, a ← a − γ (e S + λ a) for the rows of all modes,
/// from what they were. Other threads may read and write them meanwhile.
template <class T> struct Descent {
    unsigned order = 0, rank = 0;
    T* rows[maxOrder] = {}; ///< [mode]: `rank` numbers each
    const Index* columns[maxOrder] = {}; ///< [mode][entry]
    const float* scales[maxOrder] = {}; ///< [mode][row]: on its rate; null: 1
    const T* values = nullptr;
    Count begin = 0, end = 0;
    T rates[maxOrder] = {}; ///< [mode]
    T lambda = 0;
    T cap = 0; ///< of the error that an entry's rows take away together, Σ γ |S|²; 0: there is no cap
    T* work = nullptr; ///< order × rank numbers
};

template <class T> struct Loops {
    void (*multiplyRows)(const Products<T>&) = nullptr;
    void (*descend)(const Descent<T>&) = nullptr;
};

/// For the machine.
const Loops<float>& loops(float);
const Loops<double>& loops(double);

} // namespace kernels::kruskal_rows
