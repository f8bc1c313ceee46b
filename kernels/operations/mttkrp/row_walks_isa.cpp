// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/operations/mttkrp/row_sums_isa.h"

namespace kernels::mttkrp::POLYAD_ISA {

// ---- entries in runs --------------------------------------------------------------------------------------

/// Records taken apart.
struct Unpacked {
    Index index[maxOrder][batch];
    std::uint32_t begins[batch];
};

template <class T, unsigned Others> static inline void unpack(const RunsWalk<T>& w, std::uint64_t begin, unsigned count, Unpacked& to)
{
    using Kind = formats::RunsRecord::Kind;
    const unsigned others = othersOf<Others>(w.record.others);
    if (w.record.kind == Kind::Narrow) {
        const std::uint32_t* const words = w.words + begin;
        for (unsigned i = 0; i < count; ++i)
            to.begins[i] = words[i] >> 31;
        for (unsigned k = 0; k < others; ++k) {
            const std::uint32_t shift = w.record.shift[k], mask = (std::uint32_t{1} << w.record.bits[k]) - 1;
            for (unsigned i = 0; i < count; ++i)
                to.index[k][i] = words[i] >> shift & mask;
        }
    } else if (w.record.kind == Kind::Wide) {
        typedef std::uint64_t Word __attribute__((may_alias));
        const Word* const words = reinterpret_cast<const Word*>(w.words) + begin;
        for (unsigned i = 0; i < count; ++i)
            to.begins[i] = static_cast<std::uint32_t>(words[i] >> 63);
        for (unsigned k = 0; k < others; ++k) {
            const std::uint64_t shift = w.record.shift[k], mask = (std::uint64_t{1} << w.record.bits[k]) - 1;
            for (unsigned i = 0; i < count; ++i)
                to.index[k][i] = static_cast<Index>(words[i] >> shift & mask);
        }
    } else {
        for (unsigned k = 0; k < others; ++k) {
            const std::uint32_t* const words = w.words + k * w.positions + begin;
            for (unsigned i = 0; i < count; ++i) {
                to.index[k][i] = k == 0 ? words[i] & ~(std::uint32_t{1} << 31) : words[i];
                if (k == 0)
                    to.begins[i] = words[i] >> 31;
            }
        }
    }
}

template <class T, unsigned V, unsigned Others> static void walkRuns(const RunsWalk<T>& w, const RowSums<T>& to)
{
    const unsigned others = othersOf<Others>(w.record.others);
    const std::uint64_t stride = to.stride;
    Unpacked buffers[2];
    Rows<T, V> rows{to, {}, false};
    std::uint64_t run = w.run;
    unsigned count = static_cast<unsigned>(w.end - w.begin < batch ? w.end - w.begin : batch), now = 0;
    unpack<T, Others>(w, w.begin, count, buffers[0]);
    rows.begin(!buffers[0].begins[0]);
    bool first = true;
    for (std::uint64_t at = w.begin; at < w.end;) {
        const Unpacked& here = buffers[now];
        const std::uint64_t next = at + count;
        const unsigned nextCount = static_cast<unsigned>(w.end - next < batch ? w.end - next : batch);
        Unpacked& ahead = buffers[1 - now];
        unpack<T, Others>(w, next, nextCount, ahead);
        for (unsigned i = 0; i < count; ++i) {
            if (i < nextCount)
                for (unsigned k = 0; k < others; ++k)
                    if (w.far[k])
                        fetchRow<T, V>(w.rows[k] + ahead.index[k][i] * stride);
            if (here.begins[i] && !first)
                rows.done(w.runRows[run++]);
            first = false;
            if (others == 1) {
                rows.sum.add(w.values[at + i], w.rows[0] + here.index[0][i] * stride);
                continue;
            }
            Sum<T, V> product;
            product.set(w.values[at + i], w.rows[1] + here.index[1][i] * stride);
            if (Others == 0)
                for (unsigned k = 2; k < others; ++k)
                    product.multiply(w.rows[k] + here.index[k][i] * stride);
            rows.sum.add(product, w.rows[0] + here.index[0][i] * stride);
        }
        at = next;
        count = nextCount;
        now = 1 - now;
    }
    rows.sum.putTo(to.tail);
}

// ---- entries as they come ---------------------------------------------------------------------------------

template <class T, unsigned V> static void walkEntries(const EntriesWalk<T>& w, const RowSums<T>& to)
{
    const std::uint64_t stride = to.stride;
    const Index rows = w.endRow - w.firstRow;
    for (std::uint64_t e = w.begin; e < w.end; ++e) {
        if (w.outRows[e] - w.firstRow >= rows)
            continue;
        const T value = w.floats ? static_cast<T>(w.floats[e]) : static_cast<T>(w.doubles[e]);
        Sum<T, V> product;
        product.set(value, w.rows[0] + w.indices[0][e] * stride);
        for (unsigned k = 1; k < w.others; ++k)
            product.multiply(w.rows[k] + w.indices[k][e] * stride);
        product.addTo(to.out + w.outRows[e] * stride);
    }
}

// ---- tables -----------------------------------------------------------------------------------------------

template <class T> static void runs(const RunsWalk<T>& w, const RowSums<T>& to)
{
#define POLYAD_CALL(V) w.record.others == 2 ? walkRuns<T, V, 2>(w, to) : walkRuns<T, V, 0>(w, to);
    POLYAD_FOR_SLAB(POLYAD_CALL)
#undef POLYAD_CALL
}

template <class T> static void entries(const EntriesWalk<T>& w, const RowSums<T>& to)
{
#define POLYAD_CALL(V) walkEntries<T, V>(w, to);
    POLYAD_FOR_SLAB(POLYAD_CALL)
#undef POLYAD_CALL
}

template <class T> static void fillTable(RowWalks<T>& table)
{
    table.runs = runs<T>;
    table.entries = entries<T>;
    table.widestSlab = mostVectors * lanes<T>;
    fillTrees(table);
    fillBlocks(table);
}

void fill(RowWalks<float>& table) { fillTable(table); }
void fill(RowWalks<double>& table) { fillTable(table); }

} // namespace kernels::mttkrp::POLYAD_ISA
