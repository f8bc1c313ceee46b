// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/tile_products.h"

/// The rows of a tile's entries: finding, asking for, reading and renewing them. For sources that are compiled once per instruction
/// set, as tile_products.h is.
namespace kernels::fasttucker_plus::POLYAD_ISA {

/// A tile: `count` of its 16 entries are real. Rows of the rest are the first's, their values 0, their scales nothing.
template <class T> struct Tile {
    std::uint64_t position = 0;
    unsigned count = 0;
    const T* values = nullptr;
    T* at[tileModes][tileEntries]; ///< where its rows lie, by place among the modes it is located in
    alignas(rowAlignment) T scale[tileModes][tileEntries]; ///< on the steps of those rows
    T paddedValues[tileEntries]; ///< of less than 16 entries
};

/// Scales of 1, for modes without any.
template <class T> static inline void prepareScales(Tile<T>& tile, unsigned modes)
{
    for (unsigned k = 0; k < modes; ++k)
        for (unsigned e = 0; e < tileEntries; ++e)
            tile.scale[k][e] = T(1);
}

/// The scales of a mode's steps; null where it has none or no step is taken.
template <class T> static inline const float* scalesOf(const TileProblem<T>& p, const TileStep<T>* s, unsigned mode)
{
    return s && mode >= p.firstMode && mode < p.endMode ? s->rowScale[mode] : nullptr;
}

/// Finds a tile's values, its rows of some modes and the scales of their steps. N: the order where it is known.
template <class T, unsigned K, unsigned N>
static inline __attribute__((always_inline)) void locate(const TileProblem<T>& p, const TileStep<T>* s, const unsigned* modes,
                                                         unsigned count, Tile<T>& tile)
{
#pragma GCC unroll 3
    for (unsigned k = 0; k < count; ++k) {
        const unsigned mode = modes[k], stride = strideOf<T, K>(p, mode);
        const unsigned order = N ? N : p.order;
        const std::uint32_t* const indices = p.indices + tile.position * order + mode;
        T* const factor = p.factor[mode];
        const float* const scale = scalesOf(p, s, mode);
        const auto locateFirst = [&](unsigned entries) __attribute__((always_inline))
        {
            // volatile: one by one. The compiler would collect them in vectors first, which takes three times as long.
            for (unsigned e = 0; e < entries; ++e)
                *const_cast<T* volatile*>(&tile.at[k][e]) = factor + std::size_t{indices[e * order]} * stride;
            for (unsigned e = 0; scale && e < entries; ++e)
                *const_cast<volatile T*>(&tile.scale[k][e]) = T(scale[indices[e * order]]);
        };
        if (tile.count == tileEntries)
            locateFirst(tileEntries);
        else
            locateFirst(tile.count);
        for (unsigned e = tile.count; e < tileEntries; ++e)
            tile.at[k][e] = tile.at[k][0];
    }
    tile.values = p.values + tile.position;
    if (tile.count == tileEntries)
        return;
    for (unsigned e = 0; e < tileEntries; ++e)
        tile.paddedValues[e] = e < tile.count ? tile.values[e] : T(0);
    tile.values = tile.paddedValues;
}

template <class T, bool write> static inline __attribute__((always_inline)) void fetch(const T* row, unsigned columns)
{
    for (unsigned c = 0; c < columns; c += 64 / sizeof(T))
        __builtin_prefetch(row + c, write);
}

/// Asks for the rows of a mode, and for the scales of their steps, of entries whose indices begin there. Always inlined: as functions of
/// their own, which change nothing, the compiler leaves their calls out.
template <class T, unsigned K, bool write>
static inline __attribute__((always_inline)) void fetchRows(const TileProblem<T>& p, unsigned mode, const std::uint32_t* indices,
                                                            unsigned entries)
{
    const unsigned stride = strideOf<T, K>(p, mode);
    const T* const factor = p.factor[mode];
    indices += mode;
    for (unsigned e = 0; e < entries; ++e)
        fetch<T, write>(factor + std::size_t{indices[e * p.order]} * stride, stride);
}
template <class T>
static inline __attribute__((always_inline)) void fetchScales(const TileProblem<T>& p, const TileStep<T>* s, unsigned mode,
                                                              const std::uint32_t* indices, unsigned entries)
{
    const float* const scale = scalesOf(p, s, mode);
    indices += mode;
    for (unsigned e = 0; scale && e < entries; ++e)
        __builtin_prefetch(scale + indices[e * p.order]);
}

/// Asks for a tile of entries that lie elsewhere than those before: no stream leads there.
template <class T> static inline __attribute__((always_inline)) void fetchEntries(const TileProblem<T>& p, std::uint64_t position)
{
    const char* const indices = reinterpret_cast<const char*>(p.indices + position * p.order);
    for (unsigned byte = 0; byte < tileEntries * p.order * sizeof(std::uint32_t); byte += 64)
        __builtin_prefetch(indices + byte);
    fetch<T, false>(p.values + position, tileEntries);
}

/// Reads a row that another thread may be writing.
template <class T> static inline void readRow(T* out, const T* row, unsigned columns)
{
    for (unsigned c = 0; c < columns; c += lanes<T>)
        store(out + c, loadRacing(row + c));
}

/// row ← keep · row + step · d for a vector of it, reading the row as it is now; another thread's update may be lost.
template <class T> static inline __attribute__((always_inline)) void renewVector(T* row, Vector<T> d, T keep, T step, bool nonnegative)
{
    Vector<T> a = keep * loadRacing(row) + step * d;
    if (nonnegative)
        a = a > Vector<T>{} ? a : Vector<T>{};
    storeRacing(row, a);
}

template <class T> static inline void updateRow(T* row, const T* d, unsigned columns, T keep, T step, bool nonnegative)
{
    for (unsigned c = 0; c < columns; c += lanes<T>)
        renewVector(row + c, load(d + c), keep, step, nonnegative);
}

template <class T, unsigned K> static inline void gather(const TileProblem<T>& p, const Tile<T>& tile, unsigned place, unsigned n, T* to)
{
    const unsigned stride = strideOf<T, K>(p, n);
    for (unsigned e = 0; e < tileEntries; ++e)
        readRow(to + e * stride, static_cast<const T*>(tile.at[place][e]), stride);
}

/// Entries whose errors and steps are computed beside each other.
template <class T> constexpr unsigned atOnce = lanes<T> < 8 ? lanes<T> : 8;

/// e of entries [first, first + atOnce) from vectors that add up to their x̂; repeated entries get 0.
template <class T>
static inline __attribute__((always_inline)) Few<T, atOnce<T>> errorsOf(const Tile<T>& tile, unsigned first,
                                                                        const Vector<T> (&products)[atOnce<T>])
{
    Few<T, atOnce<T>> errors = sumsOf<T>(products) - loadFew<T, atOnce<T>>(tile.values + first);
    if (tile.count < tileEntries)
        errors = placesOf<T, atOnce<T>>() + T(first) < T(tile.count) ? errors : Few<T, atOnce<T>>{};
    return errors;
}

/// What a tile's rows of one mode become: keep · a + change · d.
template <class T> struct RowSteps {
    alignas(rowAlignment) T keep[tileEntries], change[tileEntries];

    /// a − γ (e d + λ a) for entries [first, first + atOnce).
    inline __attribute__((always_inline)) void compute(const TileStep<T>& s, const Tile<T>& tile, unsigned place, unsigned n,
                                                       unsigned first, Few<T, atOnce<T>> errors)
    {
        const Few<T, atOnce<T>> rate = s.rate[n] * loadFew<T, atOnce<T>>(tile.scale[place] + first);
        storeFew<T, atOnce<T>>(keep + first, T(1) - rate * s.lambda);
        storeFew<T, atOnce<T>>(change + first, -rate * errors);
    }
};

/// derived: D.
template <class T, unsigned K>
static inline void updateRows(const TileProblem<T>& p, const TileStep<T>& s, const Tile<T>& tile, unsigned place, unsigned n,
                              const T* derived, const T* error, bool nonnegative)
{
    const unsigned stride = strideOf<T, K>(p, n);
    RowSteps<T> steps;
#pragma GCC unroll 8
    for (unsigned e = 0; e < tileEntries; e += atOnce<T>)
        steps.compute(s, tile, place, n, e, loadFew<T, atOnce<T>>(error + e));
#pragma GCC unroll 4
    for (unsigned e = 0; e < tile.count; ++e)
        updateRow(tile.at[place][e], derived + e * stride, stride, steps.keep[e], steps.change[e], nonnegative);
}

} // namespace kernels::fasttucker_plus::POLYAD_ISA
