// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/group_kernels.h"
#include "kernels/algorithms/fasttucker_plus/tile_rows.h"

/// Walking groups and their tiles, and what the shared row goes through. For sources that are compiled once per instruction set, as
/// tile_products.h is.
namespace kernels::fasttucker_plus::POLYAD_ISA {

/// One thread's scratch.
template <class T> struct GroupWork {
    T* rows[tileModes]; ///< of a tile: 16 × stride; the shared mode's: one
    T* projections[tileModes]; ///< C^(n): 16 × coreStride
    T* others[tileModes]; ///< W^(n): 16 × coreStride
    T* derived[2]; ///< D: 16 × the largest stride; pairs: D^(1), D^(2)
    T* error; ///< 16
    T* shared; ///< c, coreStride; ones where no row is shared
    T* sum; ///< t, coreStride
    T* direction; ///< d of the shared row
    // Pairs: of the two other modes, the lower one first.
    T* scaled[2]; ///< B diag(c): J rounded up to tiles × coreStride
    T* back[2]; ///< Mᵀ, J^(2) × J^(1), and M: rows of the other mode times it are d; J of the other rounded up × stride
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
template <class T> static std::size_t layOut(const TileProblem<T>& p, unsigned shared, bool pairs, T* memory, GroupWork<T>& work)
{
    std::size_t used = 0;
    const auto take = [&](T*& to, std::size_t elements) {
        constexpr std::size_t line = rowAlignment / sizeof(T);
        to = memory ? memory + used : nullptr;
        used += (elements + line - 1) / line * line;
    };
    const unsigned widest = largestStride(p);
    for (unsigned n = 0; n < p.order; ++n) {
        take(work.rows[n], tileEntries * p.stride[n]);
        if (!pairs) {
            take(work.projections[n], tileEntries * p.coreStride);
            take(work.others[n], tileEntries * p.coreStride);
        }
    }
    for (T*& derived : work.derived)
        take(derived, tileEntries * widest);
    take(work.error, tileEntries);
    take(work.shared, p.coreStride);
    take(work.sum, p.coreStride);
    take(work.direction, widest);
    if (!pairs)
        return used;
    unsigned modes[tileModes] = {}, count = 0;
    otherModes(p, shared, modes, count);
    for (unsigned i = 0; i < 2; ++i) {
        take(work.scaled[i], std::size_t{wholeTiles(p.rank[modes[i]])} * p.coreStride);
        take(work.back[i], std::size_t{wholeTiles(p.rank[modes[1 - i]])} * p.stride[modes[i]]);
    }
    take(work.pairs, std::size_t{wholeTiles(p.rank[modes[0]])} * p.stride[modes[1]]);
    take(work.half, std::size_t{wholeTiles(p.rank[modes[0]])} * p.coreStride);
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

template <class T> static inline T stepOf(const TileStep<T>& s, unsigned mode, std::uint32_t row)
{
    return s.rowScale[mode] ? s.rate[mode] * T(s.rowScale[mode][row]) : s.rate[mode];
}

/// The shared row and c = uB.
template <class T, unsigned K>
static inline void beginGroup(const TileProblem<T>& p, unsigned shared, const Group& group, const GroupWork<T>& work)
{
    const unsigned stride = strideOf<T, K>(p, shared), coreStride = coreStrideOf<T, K>(p);
    readRow(work.rows[shared], p.factor[shared] + std::size_t{group.row} * stride, stride);
    sumOfRows<T, K>(work.shared, work.rows[shared], p.rank[shared], p.core[shared], coreStride);
    clear(work.sum, coreStride);
}

/// Renews the shared row from t, and adds its part of the gradient.
template <class T, unsigned K>
static inline void endGroup(const TileProblem<T>& p, const TileStep<T>& s, unsigned shared, const Group& group, const GroupWork<T>& work,
                            T* gradient)
{
    const unsigned stride = strideOf<T, K>(p, shared), coreStride = coreStrideOf<T, K>(p);
    if (gradient)
        for (unsigned j = 0; j < p.rank[shared]; ++j)
            addScaled(gradient + j * coreStride, work.rows[shared][j], work.sum, coreStride);
    sumOfRows<T, K>(work.direction, work.sum, p.coreRank, p.coreTransposed[shared], stride);
    const T step = stepOf(s, shared, group.row);
    updateRow(p.factor[shared] + std::size_t{group.row} * stride, work.direction, stride,
              T(1) - step * s.lambda * T(group.end - group.first), -step, false);
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
                fetchRows<T, K, true>(p, modes[k], p.indices + first * p.order, entries);
            fetchScales(p, &s, modes[k], p.indices + first * p.order, entries);
        }
    };
    Tile<T> tile;
    prepareScales(tile, count);
    fetchFrom(range.begins[0]);
    for (std::uint64_t g = 0; g < range.count; ++g) {
        const Group group{range.begins[g], range.begins[g + 1],
                          range.shared < p.order ? p.indices[range.begins[g] * p.order + range.shared] : 0};
        begin(group);
        for (tile.position = group.first; tile.position < group.end; tile.position += tile.count) {
            tile.count = group.end - tile.position < tileEntries ? unsigned(group.end - tile.position) : tileEntries;
            locate<T, K, N>(p, &s, modes, N ? N - 1 : count, tile);
            fetchFrom(tile.position + tile.count);
            body(tile);
        }
        end(group);
    }
}

} // namespace kernels::fasttucker_plus::POLYAD_ISA
