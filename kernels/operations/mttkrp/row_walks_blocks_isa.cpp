// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/operations/mttkrp/row_sums_isa.h"

namespace kernels::mttkrp::POLYAD_ISA {

/// Entries of one block or several, taken apart.
template <class T> struct BlockEntries {
    unsigned count = 0;
    Index row[batch]; ///< of the product, from the walk's first block on
    Index index[maxOrder][batch]; ///< [other]
    T value[batch];
};

/// Takes entries from block after block. Blocks lie where they do, so what the next ones have is asked for ahead.
template <class T, unsigned Others> struct BlockReader {
    const BlocksWalk<T>& w;
    std::uint64_t listed, left;
    std::uint32_t block, at, end;

    inline __attribute__((always_inline)) void enter(std::uint64_t from)
    {
        constexpr unsigned blocksAhead = 8;
        block = w.list[from];
        at = w.begins[block];
        end = w.begins[block + 1];
        if (from + 2 * blocksAhead < w.listEnd) {
            const std::uint64_t far = w.list[from + 2 * blocksAhead];
            __builtin_prefetch(w.begins + far);
            __builtin_prefetch(w.blocks + far * w.order);
            const std::uint32_t entry = w.begins[w.list[from + blocksAhead]];
            __builtin_prefetch(w.values + entry);
            for (unsigned k = 0; k <= othersOf<Others>(w.order - 1); ++k)
                __builtin_prefetch(w.offsets[k] + entry);
        }
    }
    inline __attribute__((always_inline)) void begin()
    {
        listed = w.listed;
        left = w.entries;
        enter(listed);
        at += static_cast<std::uint32_t>(w.skipped);
    }
    inline void read(BlockEntries<T>& to)
    {
        to.count = 0;
        while (to.count < batch && left > 0) {
            if (at == end)
                enter(++listed);
            std::uint64_t some = end - at;
            some = some < left ? some : left;
            const unsigned count = static_cast<unsigned>(some < batch - to.count ? some : batch - to.count), first = to.count;
            const Index* const indices = w.blocks + static_cast<std::uint64_t>(block) * w.order;
            const Index row = (indices[w.modes[0]] - w.firstBlock) << formats::hicooBlockBits;
            for (unsigned i = 0; i < count; ++i) {
                to.row[first + i] = row + w.offsets[0][at + i];
                to.value[first + i] = w.values[at + i];
            }
            for (unsigned k = 0; k < othersOf<Others>(w.order - 1); ++k) {
                const Index base = indices[w.modes[k + 1]] << formats::hicooBlockBits;
                for (unsigned i = 0; i < count; ++i)
                    to.index[k][first + i] = base + w.offsets[k + 1][at + i];
            }
            at += count;
            left -= count;
            to.count += count;
        }
    }
};

/// Sums of equal rows next to each other are added up in registers.
template <class T, unsigned V, unsigned Others> static void walkBlocks(const BlocksWalk<T>& w, const RowSums<T>& to)
{
    const unsigned others = othersOf<Others>(w.order - 1);
    const std::uint64_t stride = to.stride;
    BlockEntries<T> buffers[2];
    BlockReader<T, Others> reader{w, 0, 0, 0, 0, 0};
    reader.begin();
    reader.read(buffers[0]);
    Index row = buffers[0].row[0];
    Sum<T, V> sum;
    sum.clear();
    for (unsigned now = 0; buffers[now].count > 0; now = 1 - now) {
        const BlockEntries<T>& here = buffers[now];
        BlockEntries<T>& ahead = buffers[1 - now];
        reader.read(ahead);
        for (unsigned i = 0; i < here.count; ++i) {
            if (i < ahead.count)
                for (unsigned k = 0; k < others; ++k)
                    if (w.far[k])
                        fetchRow<T, V>(w.rows[k] + ahead.index[k][i] * stride);
            if (here.row[i] != row) {
                sum.addTo(to.out + row * stride);
                sum.clear();
                row = here.row[i];
            }
            if (others == 1) {
                sum.add(here.value[i], w.rows[0] + here.index[0][i] * stride);
                continue;
            }
            Sum<T, V> product;
            product.set(here.value[i], w.rows[1] + here.index[1][i] * stride);
            if (Others == 0)
                for (unsigned k = 2; k < others; ++k)
                    product.multiply(w.rows[k] + here.index[k][i] * stride);
            sum.add(product, w.rows[0] + here.index[0][i] * stride);
        }
    }
    sum.addTo(to.out + row * stride);
}

template <class T> static void blocks(const BlocksWalk<T>& w, const RowSums<T>& to)
{
#define POLYAD_CALL(V) w.order == 3 ? walkBlocks<T, V, 2>(w, to) : walkBlocks<T, V, 0>(w, to);
    POLYAD_FOR_SLAB(POLYAD_CALL)
#undef POLYAD_CALL
}

template <class T> static void fillTable(RowWalks<T>& table) { table.blocks = blocks<T>; }

void fillBlocks(RowWalks<float>& table) { fillTable(table); }
void fillBlocks(RowWalks<double>& table) { fillTable(table); }

} // namespace kernels::mttkrp::POLYAD_ISA
