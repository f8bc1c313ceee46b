// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

/// Inner loops of everything that contracts a dense core with rows, on the CPU, one table for each instruction set
/// (loops_isa.cpp). Plain data alone: what such a source includes must bring no inline functions that others use. Matrices are
/// row-major and need no alignment.
namespace kernels::core_contraction {

/// Rows are read in whole vectors of 32 bytes: what follows a core, or a part of one, must be readable for that many numbers.
template <class T> constexpr unsigned vectorNumbers = 32 / sizeof(T);
template <class T> constexpr unsigned paddedRank(unsigned rank)
{
    return (rank + vectorNumbers<T> - 1) / vectorNumbers<T> * vectorNumbers<T>;
}

/// Entries whose δ are worked on together: sums in T are of no more than these.
constexpr Count blockEntries = 64;

/// C (m × n) = A B, or added to it; A's element (i, l) is at a[i · rowStep + l · columnStep], B is k × n.
template <class T> struct Product {
    T* c = nullptr;
    const T* a = nullptr;
    const T* b = nullptr;
    Count m = 0, n = 0, k = 0;
    Count rowStep = 0, columnStep = 1;
    bool add = false;
};

/// δ of entries in one row, as a block of least squares takes them.
template <class T> struct NormalBlock {
    const T* deltas = nullptr; ///< count × stride, past the rank zero
    const T* values = nullptr;
    const T* row = nullptr; ///< as it is: stride numbers, past the rank zero
    unsigned count = 0, stride = 0;
    double* normal = nullptr; ///< stride × stride: Σ δδᵀ is added up to the diagonal and a little beyond
    double* right = nullptr; ///< stride: Σ (x − a·δ) δ is added
};

/// δ of entries in one row, one after another, as gradient descent takes them: with e = x̂ − x, a ← a − γ (e δ + λ a).
template <class T> struct DescentBlock {
    const T* deltas = nullptr; ///< count × stride, past the rank zero
    const T* values = nullptr;
    T* row = nullptr; ///< stride numbers
    unsigned count = 0, stride = 0;
    T rate = 0, lambda = 0;
    T cap = 0; ///< γ is at most this over |δ|²; 0: there is no cap
};

/// Entries of one row while elements of the core are renewed one after another.
template <class T> struct ProductRun {
    T* products = nullptr; ///< [entry], replaced
    const T* by = nullptr; ///< [entry]: what the products were of the modes before; null: those of `first`'s rows
    const T* first = nullptr; ///< numbers of a mode's rows, and who has which
    const Index* firstRows = nullptr;
    const T* second = nullptr; ///< the same of the mode that is multiplied by; null: nothing is
    const Index* secondRows = nullptr;
    Count count = 0;
};

template <class T> struct Loops {
    void (*multiply)(const Product<T>&) = nullptr;
    /// deltas[i] (stride numbers, past `columns` zero) = Σ_j rows[indices[i] · terms + j] core[j], core being terms × columns.
    void (*contractLeaves)(T* deltas, unsigned stride, const T* core, unsigned terms, unsigned columns, const T* rows, const Index* indices,
                           Count count) = nullptr;
    void (*addNormal)(const NormalBlock<T>&) = nullptr;
    void (*descend)(const DescentBlock<T>&) = nullptr;
    /// products[e] = by[e], or first[firstRows[e]], times second[secondRows[e]]
    void (*multiplyRun)(const ProductRun<T>&) = nullptr;
    /// Adds Σ p² and Σ r p to sums[0] and sums[1]; sums in T are of no more than blockEntries.
    void (*addSums)(const T* products, const T* residuals, Count, double* sums) = nullptr;
    T (*dot)(const T*, const T*, Count) = nullptr;
    /// to += by · from
    void (*addScaled)(T* to, const T* from, T by, Count) = nullptr;
    /// Solves A x = right in place, A symmetric with its lower half given, stride numbers a row. False: A is not positive; both
    /// are spoilt then. `room`: `rank` numbers.
    bool (*solve)(double* a, unsigned stride, unsigned rank, double* right, double* room) = nullptr;
};

/// For the machine.
const Loops<float>& loops(float);
const Loops<double>& loops(double);

} // namespace kernels::core_contraction
