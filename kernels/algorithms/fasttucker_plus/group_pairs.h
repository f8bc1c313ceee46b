// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/group_work.h"

/// Groups of three modes that work on two rows at a time, see group_kernels_isa.cpp. For that source alone.
namespace kernels::fasttucker_plus::POLYAD_ISA {

/// to = fromᵀ of so many rows and columns, padded; strides in elements.
template <class T>
static inline void transposeRows(T* to, unsigned toStride, const T* from, unsigned fromStride, unsigned rows, unsigned columns)
{
    for (unsigned r = 0; r < rows; r += lanes<T>)
        for (unsigned c = 0; c < columns; c += lanes<T>) {
            Vector<T> v[lanes<T>];
#pragma GCC unroll 16
            for (unsigned i = 0; i < lanes<T>; ++i)
                v[i] = load(from + (r + i) * fromStride + c);
            transpose<T>(v);
#pragma GCC unroll 16
            for (unsigned i = 0; i < lanes<T>; ++i)
                store(to + (c + i) * toStride + r, v[i]);
        }
}

/// Mᵀ, then M of a group.
template <class T, unsigned K> static inline void beginPairs(const TileProblem<T>& p, const unsigned* modes, const GroupWork<T>& work)
{
    const unsigned coreStride = coreStrideOf<T, K>(p);
    for (unsigned i = 0; i < 2; ++i) {
        const unsigned n = modes[i], rank = K ? K : p.rank[n];
        for (unsigned j = 0; j < wholeTiles(rank); ++j)
            for (unsigned c = 0; c < coreStride; c += lanes<T>)
                store(work.scaled[i] + j * coreStride + c,
                      j < rank ? load(p.core[n] + j * coreStride + c) * load(work.shared + c) : Vector<T>{});
    }
    const unsigned stride[] = {strideOf<T, K>(p, modes[0]), strideOf<T, K>(p, modes[1])};
    for (unsigned j = 0; j < wholeTiles(K ? K : p.rank[modes[1]]); j += tileEntries)
        multiplyTile<T, K>(work.back[0] + j * stride[0], work.scaled[1] + j * coreStride, p.coreStride, p.coreTransposed[modes[0]],
                           stride[0], p.coreRank);
    transposeRows(work.back[1], stride[1], work.back[0], stride[0], stride[1], stride[0]);
    clear(work.pairs, std::size_t{wholeTiles(p.rank[modes[0]])} * p.stride[modes[1]]);
}

/// e of every entry from x̂ = a · d.
template <class T, unsigned K>
static inline void pairErrors(const TileProblem<T>& p, const Tile<T>& tile, unsigned n, const GroupWork<T>& work)
{
    const unsigned stride = strideOf<T, K>(p, n);
#pragma GCC unroll 8
    for (unsigned e = 0; e < tileEntries; e += atOnce<T>) {
        Vector<T> products[atOnce<T>] = {};
#pragma GCC unroll 8
        for (unsigned i = 0; i < atOnce<T>; ++i)
            for (unsigned c = 0; c < stride; c += lanes<T>)
                products[i] += load(work.rows[n] + (e + i) * stride + c) * load(work.derived[0] + (e + i) * stride + c);
        storeFew<T, atOnce<T>>(work.error + e, errorsOf(tile, e, products));
    }
}

template <class T, unsigned K>
static inline void pairTile(const TileProblem<T>& p, const TileStep<T>& s, const unsigned* modes, const Tile<T>& tile,
                            const GroupWork<T>& work)
{
    const unsigned a = modes[0], b = modes[1];
    gather<T, K>(p, tile, 1, b, work.rows[b]);
    multiplyTile<T, K>(work.derived[0], work.rows[b], p.stride[b], work.back[0], p.stride[a], p.rank[b]);
    gather<T, K>(p, tile, 0, a, work.rows[a]);
    pairErrors<T, K>(p, tile, a, work); // its sums are slow to come: the product does not wait for them
    multiplyTile<T, K>(work.derived[1], work.rows[a], p.stride[a], work.back[1], p.stride[b], p.rank[a]);
    updateRows<T, K>(p, s, tile, 0, a, work.derived[0], work.error, false);
    updateRows<T, K>(p, s, tile, 1, b, work.derived[1], work.error, false);
    addOuter<T, K, true>(work.pairs, work.rows[a], p.stride[a], work.rows[b], p.stride[b], work.error);
}

/// Where a row is one vector and there are registers for a tile's d of one mode.
template <class T, unsigned K> constexpr bool pairOneVector = POLYAD_VECTOR_BYTES == 64 && K != 0 && paddedColumns<T>(K) == lanes<T>;

/// How far ahead such tiles ask for rows, one by one: asked for all at once, they would keep the tile from its own.
constexpr unsigned entriesAhead = 32;

/// What is left to do for 8 of a tile's entries whose errors are known: the other mode's d and S go on beside each other, since they
/// read the same elements.
template <class T, unsigned K, unsigned halves, unsigned h>
static inline __attribute__((always_inline)) void
pairOneVectorHalf(const TileProblem<T>& p, const unsigned* modes, const Tile<T>& tile, const Vector<T> (&d)[halves * atOnce<T>][1],
                  const RowSteps<T> (&steps)[2], const std::uint32_t* const (&ahead)[2], const GroupWork<T>& work)
{
    constexpr unsigned n = lanes<T>, half = atOnce<T>, first = h * half;
    const T* const left = work.rows[modes[0]] + first * n;
    const T* const tables[] = {p.factor[modes[0]], p.factor[modes[1]]};
    T* const back = work.back[1];
    T* const pairs = work.pairs;
    Vector<T> right[half], other[half] = {};
#pragma GCC unroll 8
    for (unsigned i = 0; i < half; ++i)
        right[i] = work.error[first + i] * load(work.rows[modes[1]] + (first + i) * n);
#pragma GCC unroll 2
    for (unsigned k = 0; k < K; k += 2) {
        const Vector<T> m[] = {load(back + k * n), load(back + (k + 1) * n)};
        Vector<T> sums[] = {load(pairs + k * n), load(pairs + (k + 1) * n)};
        constexpr unsigned order = 3;
        const std::size_t next = (halves == 2 ? first + k / 2 : k) * order;
#pragma GCC unroll 8
        for (unsigned i = 0; i < half; ++i) {
            const Vector<T> factors[] = {filledWith(left[i * n + k]), filledWith(left[i * n + k + 1])};
            if (i == 0)
                __builtin_prefetch(tables[0] + std::size_t{ahead[0][next]} * n, 1);
            if (i == half / 2)
                __builtin_prefetch(tables[1] + std::size_t{ahead[1][next]} * n, 1);
#pragma GCC unroll 2
            for (unsigned j = 0; j < 2; ++j) {
                other[i] += factors[j] * m[j];
                sums[j] += factors[j] * right[i];
            }
        }
        store(pairs + k * n, sums[0]);
        store(pairs + (k + 1) * n, sums[1]);
    }
#pragma GCC unroll 8
    for (unsigned i = 0; i < half; ++i) {
        const unsigned e = first + i;
        if (e >= tile.count)
            break;
        T* const at[] = {tile.at[0][e], tile.at[1][e]};
        storeRacing(at[0], steps[0].keep[e] * loadRacing(static_cast<const T*>(at[0])) + steps[0].change[e] * d[e][0]);
        storeRacing(at[1], steps[1].keep[e] * loadRacing(static_cast<const T*>(at[1])) + steps[1].change[e] * other[i]);
    }
}

/// pairTile() of one or two halves, with all d in registers.
template <class T, unsigned K, unsigned halves>
static inline __attribute__((always_inline)) void pairOneVectorTile(const TileProblem<T>& p, const TileStep<T>& s, const unsigned* modes,
                                                                    const Tile<T>& tile, const std::uint32_t* const (&ahead)[2],
                                                                    const GroupWork<T>& work)
{
    constexpr unsigned n = lanes<T>, half = atOnce<T>, entries = halves * half;
    const unsigned a = modes[0], b = modes[1];
    T* const rows[] = {work.rows[a], work.rows[b]};
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; ++i)
#pragma GCC unroll 16
        for (unsigned e = 0; e < entries; ++e)
            store(rows[1 - i] + e * n, loadRacing(static_cast<const T*>(tile.at[1 - i][e])));
    Vector<T> d[entries][1] = {};
    addProducts<T, K>(d, rows[1], n, work.back[0], n, K);
    RowSteps<T> steps[2];
#pragma GCC unroll 2
    for (unsigned h = 0; h < halves; ++h) {
        Vector<T> products[half];
#pragma GCC unroll 8
        for (unsigned i = 0; i < half; ++i)
            products[i] = d[h * half + i][0] * load(rows[0] + (h * half + i) * n);
        const Few<T, half> errors = errorsOf(tile, h * half, products);
        storeFew<T, half>(work.error + h * half, errors);
        steps[0].compute(s, tile, 0, a, h * half, errors);
        steps[1].compute(s, tile, 1, b, h * half, errors);
    }
    asm volatile("" : : : "memory"); // errors and steps are read one by one, which costs less than taking vectors apart
    pairOneVectorHalf<T, K, halves, 0>(p, modes, tile, d, steps, ahead, work);
    if constexpr (halves == 2)
        pairOneVectorHalf<T, K, halves, 1>(p, modes, tile, d, steps, ahead, work);
}

/// t, and the other modes' gradients, from S.
template <class T, unsigned K>
static inline void endPairs(const TileProblem<T>& p, const unsigned* modes, const GroupWork<T>& work, T* const* gradients)
{
    const unsigned coreStride = coreStrideOf<T, K>(p), stride = strideOf<T, K>(p, modes[1]), rank = K ? K : p.rank[modes[0]];
    for (unsigned j = 0; j < wholeTiles(rank); j += tileEntries) {
        multiplyTile<T, K>(work.half + j * coreStride, work.pairs + j * stride, p.stride[modes[1]], p.core[modes[1]], p.coreStride,
                           p.rank[modes[1]]);
        if (gradients[modes[1]])
            addOuter<T, K>(gradients[modes[1]], work.pairs + j * stride, p.stride[modes[1]], work.scaled[0] + j * coreStride, p.coreStride);
    }
    T* const ofFirst = gradients[modes[0]];
    const T* const core = p.core[modes[0]];
    for (unsigned c = 0; c < coreStride; c += lanes<T>) {
        Vector<T> sums[4] = {}; // each waits for the one before
        const Vector<T> shared = load(work.shared + c);
        for (unsigned j = 0; j < rank; ++j) {
            const Vector<T> half = load(work.half + j * coreStride + c);
            sums[j % 4] += half * load(core + j * coreStride + c);
            if (ofFirst)
                store(ofFirst + j * coreStride + c, load(ofFirst + j * coreStride + c) + half * shared);
        }
        store(work.sum + c, (sums[0] + sums[1]) + (sums[2] + sums[3]));
    }
}

template <class T, unsigned K>
static void updatePairs(const TileProblem<T>& p, const TileStep<T>& s, const GroupRange& range, T* memory, T* gradient)
{
    GroupWork<T> work;
    layOut(p, range.shared, true, memory, work);
    unsigned modes[tileModes] = {}, count = 0;
    otherModes(p, range.shared, modes, count);
    T* parts[tileModes];
    gradientParts(p, gradient, parts);
    const std::uint64_t begin = range.begins[0], end = range.begins[range.count];
    const bool asksApart = pairOneVector<T, K> && end - begin >= tileEntries;
    const auto walk = [&](auto apart) {
        forEachGroup<T, K, 3, decltype(apart)::value>(
            p, s, range, modes, 2,
            [&](const Group& group) {
                beginGroup<T, K>(p, range.shared, group, work);
                beginPairs<T, K>(p, modes, work);
            },
            [&](const Tile<T>& tile) {
                if constexpr (decltype(apart)::value) {
                    const std::uint64_t next = tile.position + entriesAhead;
                    const std::uint32_t* const indices = p.indices + (next + tileEntries <= end ? next : begin) * 3;
                    const std::uint32_t* const ahead[] = {indices + modes[0], indices + modes[1]};
                    if (tile.count > atOnce<T>)
                        pairOneVectorTile<T, K, 2>(p, s, modes, tile, ahead, work);
                    else
                        pairOneVectorTile<T, K, 1>(p, s, modes, tile, ahead, work);
                } else {
                    pairTile<T, K>(p, s, modes, tile, work);
                }
            },
            [&](const Group& group) {
                endPairs<T, K>(p, modes, work, parts);
                endGroup<T, K>(p, s, range.shared, group, work, parts[range.shared]);
            });
    };
    if constexpr (pairOneVector<T, K>)
        if (asksApart)
            return walk(Constant<1>{});
    walk(Constant<0>{});
}

} // namespace kernels::fasttucker_plus::POLYAD_ISA
