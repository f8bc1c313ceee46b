// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/tile_rows.h"

/// What a tile's projected rows come to: products of modes, errors and what steps are damped by. For sources that are compiled once per
/// instruction set, as tile_products.h is.
namespace kernels::fasttucker_plus::POLYAD_ISA {

/// One thread's scratch: rows and projections of a tile in every mode.
template <class T> struct Work {
    T* rows[tileModes]; ///< 16 × stride
    T* projections[tileModes]; ///< C^(n): 16 × coreStride
    T* others[tileModes]; ///< W^(n): 16 × coreStride
    T* derived; ///< D: 16 × the largest stride
    T* error; ///< 16
    T* damped; ///< 16
};

/// W^(n) of one mode for one vector of columns at that offset; returns the product of all modes.
template <class T>
static inline __attribute__((always_inline)) Vector<T> combineColumnsFor(const TileProblem<T>& p, unsigned n, std::size_t at,
                                                                         const Work<T>& work)
{
    const unsigned start = n == 0 ? 1 : 0;
    Vector<T> others = load(work.projections[start] + at);
    for (unsigned k = start + 1; k < p.order; ++k)
        if (k != n)
            others *= load(work.projections[k] + at);
    store(work.others[n] + at, others);
    return others * load(work.projections[n] + at);
}

/// Errors, and W^(n) of one mode.
template <class T, unsigned K>
static inline void combineForMode(const TileProblem<T>& p, unsigned n, const Tile<T>& tile, const Work<T>& work)
{
    const unsigned stride = coreStrideOf<T, K>(p);
    for (unsigned first = 0; first < tileEntries; first += atOnce<T>) {
        Vector<T> products[atOnce<T>] = {};
#pragma GCC unroll 8
        for (unsigned i = 0; i < atOnce<T>; ++i)
            for (unsigned c = 0; c < stride; c += lanes<T>)
                products[i] += combineColumnsFor(p, n, std::size_t{first + i} * stride + c, work);
        storeFew<T, atOnce<T>>(work.error + first, errorsOf(tile, first, products));
    }
}

/// W^(n) of the wanted modes (or more) where asked for, for one vector of columns at that offset; returns the product of all modes. N: the
/// order where it is known.
template <class T, unsigned N, bool wantOthers>
static inline __attribute__((always_inline)) Vector<T> combineColumns(const TileProblem<T>& p, std::size_t at, const Work<T>& work)
{
    if constexpr (N == 3) {
        const Vector<T> c[] = {load(work.projections[0] + at), load(work.projections[1] + at), load(work.projections[2] + at)};
        const Vector<T> before = c[0] * c[1];
        if (wantOthers) {
            store(work.others[0] + at, c[2] * c[1]);
            store(work.others[1] + at, c[0] * c[2]);
            store(work.others[2] + at, before);
        }
        return before * c[2];
    }
    Vector<T> before = load(work.projections[0] + at);
    for (unsigned n = 1; n < p.order; ++n) {
        if (wantOthers)
            store(work.others[n] + at, before);
        before *= load(work.projections[n] + at);
    }
    if (wantOthers) {
        Vector<T> after = load(work.projections[p.order - 1] + at);
        for (unsigned n = p.order - 2; n > 0; --n) {
            store(work.others[n] + at, load(work.others[n] + at) * after);
            after *= load(work.projections[n] + at);
        }
        store(work.others[0] + at, after);
    }
    return before;
}

/// Errors, and W^(n) of the wanted modes (or more) where asked for.
template <class T, unsigned K, unsigned N, bool wantOthers>
static inline void combineTile(const TileProblem<T>& p, const Tile<T>& tile, const Work<T>& work)
{
    if (wantOthers && p.firstMode + 1 == p.endMode)
        return combineForMode<T, K>(p, p.firstMode, tile, work);
    const unsigned stride = coreStrideOf<T, K>(p);
    for (unsigned first = 0; first < tileEntries; first += atOnce<T>) {
        Vector<T> products[atOnce<T>] = {};
#pragma GCC unroll 8
        for (unsigned i = 0; i < atOnce<T>; ++i)
            for (unsigned c = 0; c < stride; c += lanes<T>)
                products[i] += combineColumns<T, N, wantOthers>(p, std::size_t{first + i} * stride + c, work);
        storeFew<T, atOnce<T>>(work.error + first, errorsOf(tile, first, products));
    }
}

/// 1 + κ|w|² of atOnce entries, by which damped steps are divided; columns: of w, if known.
template <class T, unsigned columns>
static inline __attribute__((always_inline)) Few<T, atOnce<T>> dampingOf(T damping, const T* others, unsigned stride = columns)
{
    const unsigned width = columns ? columns : stride;
    Vector<T> squares[atOnce<T>] = {};
#pragma GCC unroll 8
    for (unsigned i = 0; i < atOnce<T>; ++i)
        for (unsigned c = 0; c < width; c += lanes<T>) {
            const Vector<T> one = load(others + std::size_t{i} * width + c);
            squares[i] += one * one;
        }
    return T(1) + damping * sumsOf<T>(squares);
}

/// What mode n's rows step by: the errors, or the same damped.
template <class T, unsigned K>
static inline const T* errorsToStep(const TileProblem<T>& p, const TileStep<T>& s, unsigned n, const Work<T>& work)
{
    if (s.damping[n] == 0)
        return work.error;
    constexpr unsigned columns = K ? paddedColumns<T>(K) : 0;
    const unsigned stride = coreStrideOf<T, K>(p);
    for (unsigned first = 0; first < tileEntries; first += atOnce<T>) {
        const Few<T, atOnce<T>> divisors = dampingOf<T, columns>(s.damping[n], work.others[n] + std::size_t{first} * stride, stride);
        storeFew<T, atOnce<T>>(work.damped + first, loadFew<T, atOnce<T>>(work.error + first) / divisors);
    }
    return work.damped;
}

} // namespace kernels::fasttucker_plus::POLYAD_ISA
