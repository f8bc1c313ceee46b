// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/row_kernels.h"
#include "kernels/base/vectors.h"

/// What is taken from an entry's projected rows, and products of rows with a matrix. For sources that are compiled once per
/// instruction set, as vectors.h is.
namespace kernels::fastertucker::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

template <class T> struct alignas(64) Row {
    T at[mostColumns];
};

/// What is known of a problem at compile time: padded J and R where both are alike, and the number of other modes; else 0.
template <unsigned Columns, unsigned Others> struct Shape {
    static constexpr unsigned columns = Columns, others = Others;
};
template <class S> static inline unsigned columnsOr(unsigned runtime) { return S::columns ? S::columns : runtime; }
template <class T, class S> static inline unsigned othersOf(const RowProblem<T>& p) { return S::others ? S::others : p.others; }

/// Vectors of a row, or the most there can be.
template <class T, class S> constexpr unsigned mostVectors = (S::columns ? S::columns : mostColumns) / lanes<T>;
template <class T, class S> static inline unsigned vectorsOf(unsigned columns) { return columnsOr<S>(columns) / lanes<T>; }

/// Entries whose x̂ are summed together, and rows that are multiplied by a matrix together.
constexpr unsigned group = 4, block = 8;

/// Rows this many entries, fibres or leaves ahead are asked for: what comes from another cache than the core's own takes that long.
constexpr std::uint64_t ahead = 24;

// Always inlined: of functions that change nothing the compiler leaves the calls out.
template <class T> static inline __attribute__((always_inline)) void fetchRow(const T* row, unsigned columns)
{
    for (unsigned c = 0; c < columns; c += 64 / sizeof(T))
        __builtin_prefetch(row + c);
}

template <class T, class S> static inline __attribute__((always_inline)) void fetchAhead(const RowProblem<T>& p, std::uint64_t position)
{
    if (position + ahead >= p.positions)
        return;
    const unsigned columns = columnsOr<S>(p.coreStride), others = othersOf<T, S>(p);
#pragma GCC unroll 2
    for (unsigned k = 0; k < others; ++k)
        if (p.far[k])
            fetchRow(p.projections[k] + std::size_t{p.indices[k][position + ahead]} * columns, columns);
}

template <class T, class S> static inline const T* otherRow(const RowProblem<T>& p, unsigned k, std::uint64_t position)
{
    return p.projections[k] + std::size_t{p.indices[k][position]} * columnsOr<S>(p.coreStride);
}

/// w = ∘ c^(k) of a position.
template <class T, class S>
static inline __attribute__((always_inline)) void multiplyOthers(const RowProblem<T>& p, std::uint64_t position, Vector<T>* w)
{
    const unsigned vectors = vectorsOf<T, S>(p.coreStride), others = othersOf<T, S>(p);
    const T* const first = otherRow<T, S>(p, 0, position);
    const T* const second = otherRow<T, S>(p, others > 1, position);
    for (unsigned x = 0; x < vectors; ++x)
        w[x] = others > 1 ? load(first + x * lanes<T>) * load(second + x * lanes<T>) : load(first + x * lanes<T>);
#pragma GCC unroll 1
    for (unsigned k = 2; k < others; ++k) {
        const T* const row = otherRow<T, S>(p, k, position);
        for (unsigned x = 0; x < vectors; ++x)
            w[x] *= load(row + x * lanes<T>);
    }
}

/// w and e of positions next to each other. `count` of them are real, the rest repeat the first and get e = 0.
template <class T, class S> struct EntryQuad {
    Vector<T> w[group][mostVectors<T, S>];
    T e[group];

    inline __attribute__((always_inline)) void compute(const RowProblem<T>& p, const T* c, std::uint64_t position, unsigned count)
    {
        Vector<T> parts[group];
#pragma GCC unroll 4
        for (unsigned i = 0; i < group; ++i) {
            const std::uint64_t at = position + (i & -static_cast<unsigned>(i < count)); // without a branch
            fetchAhead<T, S>(p, at);
            multiplyOthers<T, S>(p, at, w[i]);
            parts[i] = w[i][0] * load(c);
            for (unsigned x = 1; x < vectorsOf<T, S>(p.coreStride); ++x)
                parts[i] += w[i][x] * load(c + x * lanes<T>);
        }
        sumsOf<T>(parts, e);
#pragma GCC unroll 4
        for (unsigned i = 0; i < group; ++i)
            e[i] = i < count ? e[i] - p.values[position + i] : T(0);
    }
};

/// e / (1 + damping |w|²) in place of e.
template <class T, class S> static inline __attribute__((always_inline)) void dampErrors(EntryQuad<T, S>& g, unsigned vectors, T damping)
{
    Vector<T> squares[group];
    T sums[group];
#pragma GCC unroll 4
    for (unsigned i = 0; i < group; ++i) {
        squares[i] = g.w[i][0] * g.w[i][0];
        for (unsigned x = 1; x < vectors; ++x)
            squares[i] += g.w[i][x] * g.w[i][x];
    }
    sumsOf<T>(squares, sums);
#pragma GCC unroll 4
    for (unsigned i = 0; i < group; ++i)
        g.e[i] /= T(1) + damping * sums[i];
}

/// body(group) for positions [begin, end) of the row whose projection is c.
template <class T, class S, class Body>
static inline void forGroups(const RowProblem<T>& p, const T* c, std::uint64_t begin, std::uint64_t end, const Body& body)
{
    EntryQuad<T, S> g;
    for (; begin + group <= end; begin += group) {
        g.compute(p, c, begin, group);
        body(g);
    }
    if (begin < end) {
        g.compute(p, c, begin, static_cast<unsigned>(end - begin));
        body(g);
    }
}

/// z = Σ e w of entries of one row, the errors damped where damping is not 0. Several sums where one would wait for itself.
template <class T, class S>
static inline void sumTile(const RowProblem<T>& p, const T* c, std::uint64_t begin, std::uint64_t end, T damping, T* z)
{
    constexpr unsigned sums = S::columns && mostVectors<T, S> < group ? group / mostVectors<T, S> : 1;
    const unsigned vectors = vectorsOf<T, S>(p.coreStride);
    Vector<T> sum[sums][mostVectors<T, S>];
    for (unsigned i = 0; i < sums; ++i)
        for (unsigned x = 0; x < vectors; ++x)
            sum[i][x] = Vector<T>{};
    forGroups<T, S>(p, c, begin, end, [&](EntryQuad<T, S>& g) {
        if (damping > 0)
            dampErrors(g, vectors, damping);
#pragma GCC unroll 4
        for (unsigned i = 0; i < group; ++i)
            for (unsigned x = 0; x < vectors; ++x)
                sum[i % sums][x] += g.e[i] * g.w[i][x];
    });
    for (unsigned x = 0; x < vectors; ++x) {
        for (unsigned i = 1; i < sums; ++i)
            sum[0][x] += sum[i][x];
        store(z + x * lanes<T>, sum[0][x]);
    }
}

/// out = in · matrix of so many rows. Four sums, since one would wait for itself.
template <class T, class S>
static inline __attribute__((always_inline)) void multiplyRow(T* out, const T* in, const T* matrix, unsigned rows, unsigned runtimeColumns)
{
    const unsigned columns = columnsOr<S>(runtimeColumns);
    for (unsigned c = 0; c < columns; c += lanes<T>) {
        Vector<T> sum[4] = {};
        unsigned r = 0;
        for (; r + 4 <= rows; r += 4)
#pragma GCC unroll 4
            for (unsigned i = 0; i < 4; ++i)
                sum[i] += in[r + i] * load(matrix + (r + i) * columns + c);
        for (; r < rows; ++r)
            sum[0] += in[r] * load(matrix + r * columns + c);
        store(out + c, (sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

/// The same for a block of rows. Offsets as wide as addresses: narrower ones would be computed for every operand.
template <class T, class S>
static inline __attribute__((always_inline)) void multiplyBlock(T* out, const T* in, std::size_t inStride, const T* matrix, unsigned rows,
                                                                unsigned runtimeColumns)
{
    const std::size_t columns = columnsOr<S>(runtimeColumns);
    for (std::size_t c = 0; c < columns; c += lanes<T>) {
        Vector<T> sum[block] = {};
        for (std::size_t r = 0; r < rows; ++r) {
            const Vector<T> row = load(matrix + r * columns + c);
#pragma GCC unroll 8
            for (std::size_t m = 0; m < block; ++m)
                sum[m] += in[m * inStride + r] * row;
        }
#pragma GCC unroll 8
        for (std::size_t m = 0; m < block; ++m)
            store(out + m * columns + c, sum[m]);
    }
}

} // namespace kernels::fastertucker::POLYAD_ISA
