// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/tile_combine.h"

/// Tiles whose rows are one vector each (J and R up to 16 in fp32, 8 in fp64, with vectors of 64 bytes). Half a tile at a time is so little
/// that its projections and D stay in registers, rows are read where they lie, and the processor looks far enough ahead to begin the next
/// half's products while this one's errors are summed. For sources that are compiled once per instruction set, as tile_products.h is.
namespace kernels::fasttucker_plus::POLYAD_ISA {

/// Rows are whole cache lines, so those of one vector need vectors that are.
template <class T, unsigned K>
constexpr bool hasOneVectorTiles = POLYAD_VECTOR_BYTES == rowAlignment && (K == 0 || paddedColumns<T>(K) == lanes<T>);

template <class T> static inline bool isOneVector(const TileProblem<T>& p)
{
    bool oneVector = p.coreStride == lanes<T>;
    for (unsigned n = 0; n < p.order; ++n)
        oneVector = oneVector && p.stride[n] == lanes<T>;
    return oneVector;
}

/// sum[i] = Σ_k rows[i][k] · right[k]; another thread may be writing the rows.
template <class T, unsigned K>
static inline __attribute__((always_inline)) void multiplyRows(Vector<T> (&sum)[atOnce<T>], T* const* rows, const T* right, unsigned depth)
{
    const unsigned n = K ? K : depth;
#pragma GCC unroll 8
    for (unsigned i = 0; i < atOnce<T>; ++i)
        sum[i] = Vector<T>{};
#pragma GCC unroll 4
    for (unsigned k = 0; k < n; ++k) {
        const Vector<T> b = load(right + k * lanes<T>);
#pragma GCC unroll 8
        for (unsigned i = 0; i < atOnce<T>; ++i)
            sum[i] += elementRacing(rows[i] + k) * b;
    }
}

/// Entries [first, first + atOnce) of a tile on their way through the modes: C^(n) row by row in registers.
template <class T, unsigned K> struct OneVectorHalf {
    const TileProblem<T>& p;
    const Tile<T>& tile;
    const Work<T>& work;
    unsigned first;

    T* at(T* scratch, unsigned i) const { return scratch + (first + i) * lanes<T>; }
    inline __attribute__((always_inline)) void project(unsigned n, Vector<T> (&c)[atOnce<T>]) const
    {
        multiplyRows<T, K>(c, tile.at[n] + first, p.core[n], p.rank[n]);
    }
    bool wants(unsigned n) const { return n >= p.firstMode && n < p.endMode; }

    /// W of the wanted modes into the scratch; products: of all modes.
    inline __attribute__((always_inline)) void combineThree(Vector<T> (&products)[atOnce<T>]) const
    {
        Vector<T> c0[atOnce<T>], c1[atOnce<T>], c2[atOnce<T>];
        project(0, c0);
        project(1, c1);
        project(2, c2);
        const auto keep = [&](unsigned n, const Vector<T>(&a)[atOnce<T>], const Vector<T>(&b)[atOnce<T>]) __attribute__((always_inline))
        {
            if (wants(n))
#pragma GCC unroll 8
                for (unsigned i = 0; i < atOnce<T>; ++i)
                    store(at(work.others[n], i), a[i] * b[i]);
        };
        keep(0, c2, c1);
        keep(1, c0, c2);
        keep(2, c0, c1);
#pragma GCC unroll 8
        for (unsigned i = 0; i < atOnce<T>; ++i)
            products[i] = c0[i] * c1[i] * c2[i];
    }

    inline __attribute__((always_inline)) void combineAny(Vector<T> (&products)[atOnce<T>]) const
    {
        for (unsigned n = 0; n < p.order; ++n) {
            Vector<T> c[atOnce<T>];
            project(n, c);
#pragma GCC unroll 8
            for (unsigned i = 0; i < atOnce<T>; ++i)
                store(at(work.projections[n], i), c[i]);
        }
        const bool one = p.firstMode + 1 == p.endMode;
        for (unsigned i = 0; i < atOnce<T>; ++i) {
            const unsigned offset = (first + i) * lanes<T>;
            products[i] = one ? combineColumnsFor(p, p.firstMode, offset, work) : combineColumns<T, 0, true>(p, offset, work);
        }
    }
};

/// W of the wanted modes (or more) into the scratch; returns the errors. N: the order where it is known.
template <class T, unsigned K, unsigned N>
static inline __attribute__((always_inline)) Few<T, atOnce<T>> combineOneVector(const TileProblem<T>& p, const Tile<T>& tile,
                                                                                unsigned first, const Work<T>& work)
{
    const OneVectorHalf<T, K> half{p, tile, work, first};
    Vector<T> products[atOnce<T>];
    if constexpr (N == 3)
        half.combineThree(products);
    else
        half.combineAny(products);
    return errorsOf(tile, first, products);
}

/// Asks for the rows of the half tile to come: of this tile, or the first of the next one's, and all of its scales.
template <class T, unsigned K, unsigned N, bool write>
static inline __attribute__((always_inline)) void fetchHalf(const TileProblem<T>& p, const TileStep<T>* s, const Tile<T>& tile,
                                                            unsigned first, const std::uint32_t* next)
{
    if (first < tile.count) {
#pragma GCC unroll 3
        for (unsigned n = 0; n < (N ? N : p.order); ++n)
#pragma GCC unroll 8
            for (unsigned i = 0; i < atOnce<T>; ++i)
                fetch<T, write>(tile.at[n][first + i], lanes<T>);
        return;
    }
    for (unsigned n = 0; next && n < (N ? N : p.order); ++n) {
        fetchRows<T, K, write>(p, n, next, atOnce<T>);
        fetchScales(p, s, n, next, tileEntries);
    }
}

/// Mode n's rows of entries [first, first + atOnce), of which `real` are no repetitions, become keep · a + change · d.
template <class T, unsigned K>
static inline __attribute__((always_inline)) void renewOneVector(const TileProblem<T>& p, const Tile<T>& tile, unsigned n, unsigned first,
                                                                 const Work<T>& work, const RowSteps<T>& steps, bool nonnegative)
{
    Vector<T> d[atOnce<T>][1] = {};
    addProducts<T, K, atOnce<T>, 1>(d, work.others[n] + first * lanes<T>, lanes<T>, p.coreTransposed[n], lanes<T>, p.coreRank);
    T* const* const rows = tile.at[n] + first;
    const unsigned real = tile.count - first;
    if (real < atOnce<T> || nonnegative) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < atOnce<T>; ++i)
            if (i < real)
                renewVector(rows[i], d[i][0], steps.keep[first + i], steps.change[first + i], nonnegative);
        return;
    }
#pragma GCC unroll 8
    for (unsigned i = 0; i < atOnce<T>; ++i)
        renewVector(rows[i], d[i][0], steps.keep[first + i], steps.change[first + i], false);
}

template <class T, unsigned K, unsigned N>
static inline __attribute__((always_inline)) void updateOneVectorTile(const TileProblem<T>& p, const TileStep<T>& s, const Tile<T>& tile,
                                                                      const std::uint32_t* next, const Work<T>& work)
{
    for (unsigned first = 0; first < tile.count; first += atOnce<T>) {
        fetchHalf<T, K, N, true>(p, &s, tile, first + atOnce<T>, next);
        const Few<T, atOnce<T>> errors = combineOneVector<T, K, N>(p, tile, first, work);
        // ahead of the products, which do not wait for them
        RowSteps<T> steps[N ? N : tileModes];
#pragma GCC unroll 3
        for (unsigned n = 0; n < (N ? N : p.order); ++n) {
            const T* const others = work.others[n] + first * lanes<T>;
            if (n >= p.firstMode && n < p.endMode)
                steps[n].compute(s, tile, n, n, first, s.damping[n] == 0 ? errors : errors / dampingOf<T, lanes<T>>(s.damping[n], others));
        }
#pragma GCC unroll 3
        for (unsigned n = 0; n < (N ? N : p.order); ++n)
            if (n >= p.firstMode && n < p.endMode)
                renewOneVector<T, K>(p, tile, n, first, work, steps[n], s.nonnegative);
    }
}

/// sum[mode] (one vector a row) += Σ e · aᵀ w.
template <class T, unsigned K, unsigned N>
static inline __attribute__((always_inline)) void addOneVectorGradient(const TileProblem<T>& p, const Tile<T>& tile,
                                                                       const std::uint32_t* next, const Work<T>& work, T* sum)
{
    for (unsigned first = 0; first < tile.count; first += atOnce<T>) {
        fetchHalf<T, K, N, false>(p, nullptr, tile, first + atOnce<T>, next);
        storeFew<T, atOnce<T>>(work.error + first, combineOneVector<T, K, N>(p, tile, first, work));
    }
    for (unsigned n = p.firstMode; n < p.endMode; ++n, sum += lanes<T> * lanes<T>) {
        Vector<T> rows[lanes<T>];
#pragma GCC unroll 16
        for (unsigned j = 0; j < lanes<T>; ++j)
            rows[j] = load(sum + j * lanes<T>);
#pragma GCC unroll 2
        for (unsigned e = 0; e < tile.count; ++e) {
            const Vector<T> scaled = work.error[e] * load(work.others[n] + e * lanes<T>);
            const T* const a = tile.at[n][e];
#pragma GCC unroll 16
            for (unsigned j = 0; j < lanes<T>; ++j)
                rows[j] += a[j] * scaled;
        }
#pragma GCC unroll 16
        for (unsigned j = 0; j < lanes<T>; ++j)
            store(sum + j * lanes<T>, rows[j]);
    }
}

} // namespace kernels::fasttucker_plus::POLYAD_ISA
