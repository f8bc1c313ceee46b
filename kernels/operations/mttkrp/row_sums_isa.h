// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// For row_walks_*_isa.cpp alone.
#include "kernels/base/vectors.h"
#include "kernels/operations/mttkrp/row_walks.h"

namespace kernels::mttkrp::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

/// Vectors of a row's slab that are summed in registers.
constexpr unsigned mostVectors = 8;

template <class T, unsigned V> struct Sum {
    Vector<T> of[V];

    inline __attribute__((always_inline)) void clear()
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] = Vector<T>{};
    }
    inline __attribute__((always_inline)) void addTo(T* row) const
    {
        for (unsigned v = 0; v < V; ++v)
            store(row + v * lanes<T>, load(row + v * lanes<T>) + of[v]);
    }
    inline __attribute__((always_inline)) void putTo(T* row) const
    {
        for (unsigned v = 0; v < V; ++v)
            store(row + v * lanes<T>, of[v]);
    }
    /// += value · row.
    inline __attribute__((always_inline)) void add(T value, const T* row)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] += value * load(row + v * lanes<T>);
    }
    /// += other ∘ row.
    inline __attribute__((always_inline)) void add(const Sum& other, const T* row)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] += other.of[v] * load(row + v * lanes<T>);
    }
    inline __attribute__((always_inline)) void multiply(const T* row)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] *= load(row + v * lanes<T>);
    }
    inline __attribute__((always_inline)) void multiply(T value)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] *= value;
    }
    /// row += other ∘ this.
    inline __attribute__((always_inline)) void addTo(T* row, const Sum& other) const
    {
        for (unsigned v = 0; v < V; ++v)
            store(row + v * lanes<T>, load(row + v * lanes<T>) + other.of[v] * of[v]);
    }
    inline __attribute__((always_inline)) void set(T value, const T* row)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] = value * load(row + v * lanes<T>);
    }
    inline __attribute__((always_inline)) void add(const Sum& other)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] += other.of[v];
    }
};

template <class T, unsigned V> static inline __attribute__((always_inline)) void fetchRow(const T* row)
{
    for (unsigned c = 0; c < V * lanes<T>; c += 64 / sizeof(T))
        __builtin_prefetch(row + c);
}

/// Where a walk's sums go: the first row's apart where it began before, the last row's always.
template <class T, unsigned V> struct Rows {
    const RowSums<T>& to;
    Sum<T, V> sum;
    bool apart; ///< the row at hand began before the walk

    inline __attribute__((always_inline)) void begin(bool cut)
    {
        apart = cut;
        sum.clear();
        sum.putTo(to.head);
    }
    inline __attribute__((always_inline)) void done(Index row)
    {
        if (apart)
            sum.putTo(to.head);
        else
            sum.addTo(to.out + static_cast<std::uint64_t>(row) * to.stride);
        apart = false;
        sum.clear();
    }
};

constexpr unsigned batch = 32; ///< positions that are unpacked together, and how far ahead rows are asked for

template <unsigned Others> static inline __attribute__((always_inline)) unsigned othersOf(unsigned runtime)
{
    return Others ? Others : runtime;
}

/// CALL(vectors) for slabs of 1, 2, 4 and 8 vectors: forEachSlab gives no others.
#define POLYAD_FOR_SLAB(CALL)                                                                                                              \
    switch (to.columns / lanes<T>) {                                                                                                       \
    case 8:                                                                                                                                \
        CALL(8) break;                                                                                                                     \
    case 4:                                                                                                                                \
        CALL(4) break;                                                                                                                     \
    case 2:                                                                                                                                \
        CALL(2) break;                                                                                                                     \
    default:                                                                                                                               \
        CALL(1) break;                                                                                                                     \
    }

/// Their parts of the table.
void fillTrees(RowWalks<float>&);
void fillTrees(RowWalks<double>&);
void fillBlocks(RowWalks<float>&);
void fillBlocks(RowWalks<double>&);

} // namespace kernels::mttkrp::POLYAD_ISA
