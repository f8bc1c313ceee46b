// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/group_kernels.h"
#include "kernels/algorithms/fasttucker_plus/tile_products.h"

/// Walking groups and their tiles, and what the shared row goes through. For sources that are compiled once per instruction set, as
/// tile_products.h is.
namespace kernels::fasttucker_plus::POLYAD_ISA {

/// One thread's scratch.
template <class T> struct GroupWork {
    T* rows[tileModes]; ///< of a tile: 16 × stride; the shared mode's: one
    T* projections[tileModes]; ///< C^(n): 16 × coreStride
    T* others[tileModes]; ///< W^(n): 16 × coreStride
    T* product[2]; ///< D: 16 × the largest stride
    T* error; ///< 16
    T* shared; ///< c, coreStride; ones where no row is shared
    T* sum; ///< t, coreStride
    T* direction; ///< d of the shared row
    // Pairs: of the two other modes, the lower one first.
    T* scaled[2]; ///< B diag(c): J rounded up to tiles × coreStride
    T* back[2]; ///< M, what turns the other's rows into d: J of the other rounded up × stride
    T* pairs; ///< S: J^(1) rounded up × stride^(2)
    T* half; ///< P: J^(1) rounded up × coreStride
};

[[maybe_unused]] static inline unsigned wholeTiles(unsigned rows) { return (rows + tileEntries - 1) / tileEntries * tileEntries; }

/// The modes that are not shared, in their order.
template <class T> static inline void otherModes(const TileProblem<T>& p, unsigned shared, unsigned (&modes)[tileModes], unsigned& count)
{
    count = 0;
    for (unsigned n = 0; n < p.order; ++n)
        if (n != shared)
            modes[count++] = n;
}

/// Lays the scratch out; null memory: only counts it.
template <class T> static std::size_t layOut(const TileProblem<T>& p, unsigned shared, bool pairs, T* memory, GroupWork<T>& w)
{
    std::size_t used = 0;
    const auto take = [&](T*& to, std::size_t elements) {
        constexpr std::size_t line = rowAlignment / sizeof(T);
        to = memory ? memory + used : nullptr;
        used += (elements + line - 1) / line * line;
    };
    const unsigned widest = largestStride(p);
    for (unsigned n = 0; n < p.order; ++n) {
        take(w.rows[n], tileEntries * p.stride[n]);
        if (!pairs) {
            take(w.projections[n], tileEntries * p.coreStride);
            take(w.others[n], tileEntries * p.coreStride);
        }
    }
    for (T*& product : w.product)
        take(product, tileEntries * widest);
    take(w.error, tileEntries);
    take(w.shared, p.coreStride);
    take(w.sum, p.coreStride);
    take(w.direction, widest);
    if (!pairs)
        return used;
    unsigned modes[tileModes] = {}, count = 0;
    otherModes(p, shared, modes, count);
    for (unsigned i = 0; i < 2; ++i) {
        take(w.scaled[i], std::size_t{wholeTiles(p.rank[modes[i]])} * p.coreStride);
        take(w.back[i], std::size_t{wholeTiles(p.rank[modes[1 - i]])} * p.stride[modes[i]]);
    }
    take(w.pairs, std::size_t{wholeTiles(p.rank[modes[0]])} * p.stride[modes[1]]);
    take(w.half, std::size_t{wholeTiles(p.rank[modes[0]])} * p.coreStride);
    return used;
}

template <class T> static inline void clear(T* to, std::size_t elements)
{
    for (std::size_t i = 0; i < elements; i += lanes<T>)
        store(to + i, Vector<T>{});
}

/// Where each mode's gradient begins.
template <class T> static inline void gradientParts(const TileProblem<T>& p, T* gradient, T* (&parts)[tileModes])
{
    for (unsigned n = 0; n < p.order; ++n) {
        parts[n] = gradient;
        gradient += gradient ? std::size_t{p.stride[n]} * p.coreStride : 0;
    }
}

/// One mode of the problem with strides known at compile time where K is.
template <class T, unsigned K> static inline unsigned strideOf(const TileProblem<T>& p, unsigned n)
{
    return K ? paddedColumns<T>(K) : p.stride[n];
}
template <class T, unsigned K> static inline unsigned coreStrideOf(const TileProblem<T>& p)
{
    return K ? paddedColumns<T>(K) : p.coreStride;
}

/// out = Σ_i factors[i] · rows[i], of rows so many columns wide; four sums at a time, since each waits for the one before.
template <class T, unsigned K> static inline void sumOfRows(T* out, const T* factors, unsigned count, const T* rows, unsigned columns)
{
    const unsigned n = K ? K : count;
    for (unsigned c = 0; c < columns; c += lanes<T>) {
        Vector<T> sums[4] = {};
        unsigned i = 0;
        for (; i + 4 <= n; i += 4)
#pragma GCC unroll 4
            for (unsigned k = 0; k < 4; ++k)
                sums[k] += factors[i + k] * load(rows + (i + k) * columns + c);
        for (; i < n; ++i)
            sums[0] += factors[i] * load(rows + i * columns + c);
        store(out + c, (sums[0] + sums[1]) + (sums[2] + sums[3]));
    }
}

/// to += factor · from.
template <class T> static inline void addScaled(T* to, T factor, const T* from, unsigned columns)
{
    for (unsigned c = 0; c < columns; c += lanes<T>)
        store(to + c, load(to + c) + factor * load(from + c));
}

/// A group at work.
struct Group {
    std::uint64_t first, end;
    std::uint32_t row; ///< of the shared mode
};

/// A tile of it: `count` entries are real, the rest of the 16 repeat the first.
template <class T> struct GroupTile {
    std::uint64_t position = 0;
    unsigned count = 0;
    const T* values = nullptr;
    T* at[tileModes][tileEntries]; ///< where its rows lie, by place among the other modes
    alignas(rowAlignment) T scale[tileModes][tileEntries]; ///< on the steps of those rows
    T few[tileEntries]; ///< values of less than 16
};

/// Finds a tile's values and the other modes' rows. N: the order where it is known.
template <class T, unsigned K, unsigned N>
static inline __attribute__((always_inline)) void locate(const TileProblem<T>& p, const TileStep<T>& s, const unsigned* modes,
                                                         unsigned count, GroupTile<T>& tile)
{
    const unsigned order = N ? N : p.order;
#pragma GCC unroll 2
    for (unsigned k = 0; k < (N ? N - 1 : count); ++k) {
        const unsigned mode = modes[k], stride = strideOf<T, K>(p, mode);
        const std::uint32_t* const indices = p.indices + tile.position * order + mode;
        T* const factor = p.factor[mode];
        const float* const scale = s.rowScale[mode];
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
        tile.few[e] = e < tile.count ? tile.values[e] : T(0);
    tile.values = tile.few;
}

/// Asks for the rows of a mode, and for the scales of their steps, of entries whose indices begin there.
template <class T, unsigned K>
static inline __attribute__((always_inline)) void fetchRows(const TileProblem<T>& p, unsigned mode, const std::uint32_t* indices,
                                                            unsigned entries)
{
    const unsigned stride = strideOf<T, K>(p, mode);
    const T* const factor = p.factor[mode];
    indices += mode;
    for (unsigned e = 0; e < entries; ++e)
        fetch<T, 1>(factor + std::size_t{indices[e * p.order]} * stride, stride);
}
template <class T>
static inline __attribute__((always_inline)) void fetchScales(const TileProblem<T>& p, const TileStep<T>& s, unsigned mode,
                                                              const std::uint32_t* indices, unsigned entries)
{
    const float* const scale = s.rowScale[mode];
    indices += mode;
    for (unsigned e = 0; scale && e < entries; ++e)
        __builtin_prefetch(scale + indices[e * p.order]);
}

template <class T, unsigned K>
static inline void gather(const TileProblem<T>& p, const GroupTile<T>& tile, unsigned place, unsigned n, T* to)
{
    const unsigned stride = strideOf<T, K>(p, n);
    for (unsigned e = 0; e < tileEntries; ++e)
        readRow(to + e * stride, static_cast<const T*>(tile.at[place][e]), stride);
}

/// Entries whose errors and steps are computed beside each other.
template <class T> constexpr unsigned few = lanes<T> < 8 ? lanes<T> : 8;

/// e of entries [first, first + few) from vectors that add up to their x̂; repeated entries get 0.
template <class T>
static inline __attribute__((always_inline)) Few<T, few<T>> errorsOf(const GroupTile<T>& tile, unsigned first,
                                                                     const Vector<T> (&products)[few<T>])
{
    Few<T, few<T>> errors = sumsOf<T>(products) - loadFew<T, few<T>>(tile.values + first);
    if (tile.count < tileEntries)
        errors = placesOf<T, few<T>>() + T(first) < T(tile.count) ? errors : Few<T, few<T>>{};
    return errors;
}

/// What a tile's rows of one mode become: keep · a + change · d.
template <class T> struct RowSteps {
    alignas(rowAlignment) T keep[tileEntries], change[tileEntries];

    /// a − γ (e d + λ a) for entries [first, first + few).
    inline __attribute__((always_inline)) void compute(const TileStep<T>& s, const GroupTile<T>& tile, unsigned place, unsigned n,
                                                       unsigned first, Few<T, few<T>> errors)
    {
        const Few<T, few<T>> rate = s.rate[n] * loadFew<T, few<T>>(tile.scale[place] + first);
        storeFew<T, few<T>>(keep + first, T(1) - rate * s.lambda);
        storeFew<T, few<T>>(change + first, -rate * errors);
    }
};

template <class T, unsigned K>
static inline void updateRows(const TileProblem<T>& p, const TileStep<T>& s, const GroupTile<T>& tile, unsigned place, unsigned n,
                              const T* product, const T* error)
{
    const unsigned stride = strideOf<T, K>(p, n);
    RowSteps<T> steps;
#pragma GCC unroll 8
    for (unsigned e = 0; e < tileEntries; e += few<T>)
        steps.compute(s, tile, place, n, e, loadFew<T, few<T>>(error + e));
#pragma GCC unroll 4
    for (unsigned e = 0; e < tile.count; ++e)
        updateRow(tile.at[place][e], product + e * stride, stride, steps.keep[e], steps.change[e], false);
}

/// The shared row and c = uB.
template <class T, unsigned K>
static inline void beginGroup(const TileProblem<T>& p, unsigned shared, const Group& group, const GroupWork<T>& w)
{
    const unsigned stride = strideOf<T, K>(p, shared), coreStride = coreStrideOf<T, K>(p);
    readRow(w.rows[shared], p.factor[shared] + std::size_t{group.row} * stride, stride);
    sumOfRows<T, K>(w.shared, w.rows[shared], p.rank[shared], p.core[shared], coreStride);
    clear(w.sum, coreStride);
}

/// Renews the shared row from t, and adds its part of the gradient.
template <class T, unsigned K>
static inline void endGroup(const TileProblem<T>& p, const TileStep<T>& s, unsigned shared, const Group& group, const GroupWork<T>& w,
                            T* gradient)
{
    const unsigned stride = strideOf<T, K>(p, shared), coreStride = coreStrideOf<T, K>(p);
    if (gradient)
        for (unsigned j = 0; j < p.rank[shared]; ++j)
            addScaled(gradient + j * coreStride, w.rows[shared][j], w.sum, coreStride);
    sumOfRows<T, K>(w.direction, w.sum, p.coreRank, p.coreTransposed[shared], stride);
    const T step = stepOf(s, shared, group.row);
    updateRow(p.factor[shared] + std::size_t{group.row} * stride, w.direction, stride, T(1) - step * s.lambda * T(group.end - group.first),
              -step, false);
}

/// Calls begin(group), tile(tile) … and end(group) for groups and their tiles, asking for the rows of the entries behind a tile before
/// it; with apart, the body asks for rows. N: as of locate().
template <class T, unsigned K, unsigned N, bool apart, class Begin, class Body, class End>
static inline __attribute__((always_inline)) void forEachGroup(const TileProblem<T>& p, const TileStep<T>& s, const GroupRange& range,
                                                               const unsigned* modes, unsigned count, const Begin& begin, const Body& body,
                                                               const End& end)
{
    const std::uint64_t rangeEnd = range.begins[range.count];
    const auto fetchFrom = [&](std::uint64_t first) __attribute__((always_inline))
    {
        const std::uint64_t left = first < rangeEnd ? rangeEnd - first : 0;
        const unsigned entries = left < tileEntries ? unsigned(left) : tileEntries;
        for (unsigned k = 0; k < count; ++k) {
            if (!apart)
                fetchRows<T, K>(p, modes[k], p.indices + first * p.order, entries);
            fetchScales(p, s, modes[k], p.indices + first * p.order, entries);
        }
    };
    GroupTile<T> tile;
    for (unsigned k = 0; k < count; ++k)
        for (unsigned e = 0; e < tileEntries; ++e)
            tile.scale[k][e] = T(1);
    fetchFrom(range.begins[0]);
    for (std::uint64_t g = 0; g < range.count; ++g) {
        const Group group{range.begins[g], range.begins[g + 1],
                          range.shared < p.order ? p.indices[range.begins[g] * p.order + range.shared] : 0};
        begin(group);
        for (tile.position = group.first; tile.position < group.end; tile.position += tile.count) {
            tile.count = group.end - tile.position < tileEntries ? unsigned(group.end - tile.position) : tileEntries;
            locate<T, K, N>(p, s, modes, count, tile);
            fetchFrom(tile.position + tile.count);
            body(tile);
        }
        end(group);
    }
}

} // namespace kernels::fasttucker_plus::POLYAD_ISA
