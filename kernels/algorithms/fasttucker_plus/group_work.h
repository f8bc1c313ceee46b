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

/// One mode of the problem with strides known at compile time where K is.
template <class T, unsigned K> static inline unsigned strideOf(const TileProblem<T>& p, unsigned n)
{
    return K ? paddedColumns<T>(K) : p.stride[n];
}
template <class T, unsigned K> static inline unsigned coreStrideOf(const TileProblem<T>& p)
{
    return K ? paddedColumns<T>(K) : p.coreStride;
}

/// out = Σ_i factors[i] · rows[i], of rows so many columns wide.
template <class T> static inline void sumOfRows(T* out, const T* factors, unsigned count, const T* rows, unsigned columns)
{
    for (unsigned c = 0; c < columns; c += lanes<T>) {
        Vector<T> sum{};
        for (unsigned i = 0; i < count; ++i)
            sum += factors[i] * load(rows + i * columns + c);
        store(out + c, sum);
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

/// A tile of it: `count` entries are real, the rest of the 16 repeat the first. Where its rows lie, by place among the other modes,
/// was found out when they were asked for.
template <class T> struct GroupTile {
    std::uint64_t position = 0;
    unsigned count = 0;
    T* at[tileModes][tileEntries];
    std::uint32_t row[tileModes][tileEntries];
};

/// Finds the other modes' rows of so many entries and asks for them.
template <class T, unsigned K>
static inline __attribute__((always_inline)) void locate(const TileProblem<T>& p, const TileStep<T>& s, const unsigned* modes,
                                                         unsigned count, std::uint64_t position, std::uint64_t entries, GroupTile<T>& tile)
{
    const unsigned n = entries < tileEntries ? unsigned(entries) : tileEntries, order = p.order;
    const std::uint32_t* const indices = p.indices + position * order;
    for (unsigned k = 0; k < count; ++k) {
        const unsigned mode = modes[k], stride = strideOf<T, K>(p, mode);
        T* const factor = p.factor[mode];
        const float* const scale = s.rowScale[mode];
        for (unsigned e = 0; e < n; ++e) {
            const std::uint32_t row = indices[e * order + mode];
            T* const at = factor + std::size_t{row} * stride;
            tile.row[k][e] = row;
            tile.at[k][e] = at;
            fetch<T, 1>(at, stride);
            if (scale)
                __builtin_prefetch(scale + row);
        }
    }
}

template <class T, unsigned K>
static inline void gather(const TileProblem<T>& p, const GroupTile<T>& tile, unsigned place, unsigned n, T* to)
{
    const unsigned stride = strideOf<T, K>(p, n);
    for (unsigned e = 0; e < tileEntries; ++e)
        readRow(to + e * stride, static_cast<const T*>(tile.at[place][e]), stride);
}

/// a ← a − γ (e d + λ a) of a tile's rows of one mode.
template <class T, unsigned K>
static inline void updateRows(const TileProblem<T>& p, const TileStep<T>& s, const GroupTile<T>& tile, unsigned place, unsigned n,
                              const T* product, const T* error)
{
    const unsigned stride = strideOf<T, K>(p, n), count = tile.count;
    const T lambda = s.lambda, rate = s.rate[n];
    if (const float* const scale = s.rowScale[n]) {
        for (unsigned e = 0; e < count; ++e) {
            const T step = rate * T(scale[tile.row[place][e]]);
            updateRow(tile.at[place][e], product + e * stride, stride, T(1) - step * lambda, -step * error[e], false);
        }
    } else {
        const T keep = T(1) - rate * lambda;
        for (unsigned e = 0; e < count; ++e)
            updateRow(tile.at[place][e], product + e * stride, stride, keep, -rate * error[e], false);
    }
}

/// The shared row and c = uB.
template <class T, unsigned K>
static inline void beginGroup(const TileProblem<T>& p, unsigned shared, const Group& group, const GroupWork<T>& w)
{
    const unsigned stride = strideOf<T, K>(p, shared), coreStride = coreStrideOf<T, K>(p);
    readRow(w.rows[shared], p.factor[shared] + std::size_t{group.row} * stride, stride);
    sumOfRows(w.shared, w.rows[shared], p.rank[shared], p.core[shared], coreStride);
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
    sumOfRows(w.direction, w.sum, p.coreRank, p.coreTransposed[shared], stride);
    const T step = stepOf(s, shared, group.row);
    updateRow(p.factor[shared] + std::size_t{group.row} * stride, w.direction, stride, T(1) - step * s.lambda * T(group.end - group.first),
              -step, false);
}

/// Calls begin(group), tile(tile) … and end(group) for groups and their tiles, asking for the rows of the 16 entries behind a tile
/// before it.
template <class T, unsigned K, class Begin, class Body, class End>
static inline __attribute__((always_inline)) void forEachGroup(const TileProblem<T>& p, const TileStep<T>& s, const GroupRange& range,
                                                               const unsigned* modes, unsigned count, const Begin& begin, const Body& body,
                                                               const End& end)
{
    const std::uint64_t rangeEnd = range.begins[range.count];
    GroupTile<T> tiles[2];
    unsigned now = 0;
    locate<T, K>(p, s, modes, count, range.begins[0], rangeEnd - range.begins[0], tiles[now]);
    for (std::uint64_t g = 0; g < range.count; ++g) {
        const Group group{range.begins[g], range.begins[g + 1],
                          range.shared < p.order ? p.indices[range.begins[g] * p.order + range.shared] : 0};
        begin(group);
        for (std::uint64_t position = group.first; position < group.end; now = 1 - now) {
            GroupTile<T>& tile = tiles[now];
            tile.position = position;
            tile.count = group.end - position < tileEntries ? unsigned(group.end - position) : tileEntries;
            position += tile.count;
            locate<T, K>(p, s, modes, count, position, rangeEnd - position, tiles[1 - now]);
            for (unsigned k = 0; k < count && tile.count < tileEntries; ++k)
                for (unsigned e = tile.count; e < tileEntries; ++e)
                    tile.at[k][e] = tile.at[k][0];
            body(tile);
        }
        end(group);
    }
}

} // namespace kernels::fasttucker_plus::POLYAD_ISA
