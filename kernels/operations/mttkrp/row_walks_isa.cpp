// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/base/vectors.h"
#include "kernels/operations/mttkrp/row_walks.h"

namespace kernels::mttkrp::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

/// Vectors of a row's slab that are summed in registers.
constexpr unsigned mostVectors = 8;

template <class T, unsigned V> struct Sum {
    Vector<T> of[V];

    inline __attribute__((always_inline)) void clear()
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] = Vector<T>{};
    }
    inline __attribute__((always_inline)) void addTo(T* row) const
    {
        for (unsigned v = 0; v < V; ++v)
            store(row + v * lanes<T>, load(row + v * lanes<T>) + of[v]);
    }
    inline __attribute__((always_inline)) void putTo(T* row) const
    {
        for (unsigned v = 0; v < V; ++v)
            store(row + v * lanes<T>, of[v]);
    }
    /// += value · row.
    inline __attribute__((always_inline)) void add(T value, const T* row)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] += value * load(row + v * lanes<T>);
    }
    /// += other ∘ row.
    inline __attribute__((always_inline)) void add(const Sum& other, const T* row)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] += other.of[v] * load(row + v * lanes<T>);
    }
    inline __attribute__((always_inline)) void multiply(const T* row)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] *= load(row + v * lanes<T>);
    }
    inline __attribute__((always_inline)) void multiply(T value)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] *= value;
    }
    /// row += other ∘ this.
    inline __attribute__((always_inline)) void addTo(T* row, const Sum& other) const
    {
        for (unsigned v = 0; v < V; ++v)
            store(row + v * lanes<T>, load(row + v * lanes<T>) + other.of[v] * of[v]);
    }
    inline __attribute__((always_inline)) void set(T value, const T* row)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] = value * load(row + v * lanes<T>);
    }
    inline __attribute__((always_inline)) void add(const Sum& other)
    {
        for (unsigned v = 0; v < V; ++v)
            of[v] += other.of[v];
    }
};

template <class T, unsigned V> static inline __attribute__((always_inline)) void fetchRow(const T* row)
{
    for (unsigned c = 0; c < V * lanes<T>; c += 64 / sizeof(T))
        __builtin_prefetch(row + c);
}

/// Where a walk's sums go: the first row's apart where it began before, the last row's always.
template <class T, unsigned V> struct Rows {
    const RowSums<T>& to;
    Sum<T, V> sum;
    bool apart; ///< the row at hand began before the walk

    inline __attribute__((always_inline)) void begin(bool cut)
    {
        apart = cut;
        sum.clear();
        sum.putTo(to.head);
    }
    inline __attribute__((always_inline)) void done(Index row)
    {
        if (apart)
            sum.putTo(to.head);
        else
            sum.addTo(to.out + static_cast<std::uint64_t>(row) * to.stride);
        apart = false;
        sum.clear();
    }
};

// ---- entries in runs --------------------------------------------------------------------------------------

constexpr unsigned batch = 32; ///< positions that are unpacked together, and how far ahead rows are asked for

template <unsigned Others> static inline __attribute__((always_inline)) unsigned othersOf(unsigned runtime)
{
    return Others ? Others : runtime;
}

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

// ---- trees of fibres --------------------------------------------------------------------------------------

constexpr unsigned leavesAhead = 16;

/// Whether the first fibre's row has fibres before it.
template <class T, class Offset> static inline bool rowIsCut(const TreeWalk<T, Offset>& w)
{
    const unsigned fibreLevel = w.order - 2;
    if (fibreLevel == 0) // a fibre is a row, or a piece of one
        return w.begin > 0 && w.indices[0][w.begin] == w.indices[0][w.begin - 1];
    std::uint64_t position = w.begin;
    for (unsigned level = fibreLevel; level-- > 0;) {
        if (w.children[level][w.nodes[level]] != position)
            return true;
        position = w.nodes[level];
    }
    return false;
}

/// A node's sum is handed up, times its row, when its last fibre is done.
template <class T, class Offset, unsigned V> static void walkTree(const TreeWalk<T, Offset>& w, const RowSums<T>& to)
{
    const unsigned fibreLevel = w.order - 2;
    const std::uint64_t stride = to.stride, lastLeaf = w.children[fibreLevel][w.end];
    std::uint64_t node[maxOrder];
    Sum<T, V> below[maxOrder]; // [level]: sums of what hangs below the node at hand, for levels between root and fibres
    for (unsigned level = 0; level < fibreLevel; ++level) {
        node[level] = w.nodes[level];
        below[level].clear();
    }
    Rows<T, V> rows{to, {}, false};
    rows.begin(rowIsCut(w));
    for (std::uint64_t fibre = w.begin; fibre < w.end; ++fibre) {
        // Nodes that end before this fibre hand their sums up.
        if (fibreLevel > 0) {
            std::uint64_t child = fibre;
            for (unsigned level = fibreLevel; level-- > 0;) {
                if (child < w.children[level][node[level] + 1])
                    break;
                if (level == 0)
                    rows.done(w.indices[0][node[0]]);
                else {
                    Sum<T, V>& above = level == 1 ? rows.sum : below[level - 1];
                    above.add(below[level], w.rows[level] + w.indices[level][node[level]] * stride);
                    below[level].clear();
                }
                child = ++node[level];
            }
        } else if (fibre > w.begin && w.indices[0][fibre] != w.indices[0][fibre - 1])
            rows.done(w.indices[0][fibre - 1]);
        Sum<T, V> sum;
        sum.clear();
        for (std::uint64_t leaf = w.children[fibreLevel][fibre]; leaf < w.children[fibreLevel][fibre + 1]; ++leaf) {
            if (leaf + leavesAhead < lastLeaf)
                fetchRow<T, V>(w.rows[w.order - 1] + w.indices[w.order - 1][leaf + leavesAhead] * stride);
            sum.add(w.values[leaf], w.rows[w.order - 1] + w.indices[w.order - 1][leaf] * stride);
        }
        if (fibreLevel == 0)
            rows.sum.add(sum);
        else
            (fibreLevel == 1 ? rows.sum : below[fibreLevel - 1]).add(sum, w.rows[fibreLevel] + w.indices[fibreLevel][fibre] * stride);
    }
    for (unsigned level = fibreLevel; level-- > 1;)
        (level == 1 ? rows.sum : below[level - 1]).add(below[level], w.rows[level] + w.indices[level][node[level]] * stride);
    rows.sum.putTo(to.tail);
}

/// Products of the rows above the leaves, the target's left out: kept by level while nodes stay, made when they are asked for.
template <class T, class Offset, unsigned V> struct Prefixes {
    const TargetWalk<T, Offset>& t;
    const std::uint64_t stride;
    std::uint64_t node[maxOrder]; ///< [level], of the fibres the fibre
    unsigned holds = 0; ///< levels whose product is that of the nodes at hand
    Sum<T, V> product[maxOrder];

    inline void moveTo(std::uint64_t fibre)
    {
        const TreeWalk<T, Offset>& w = t.tree;
        unsigned changed = w.order - 2;
        node[changed] = fibre;
        while (changed > 0 && node[changed] >= w.children[changed - 1][node[changed - 1] + 1]) {
            ++node[changed - 1];
            --changed;
        }
        if (changed < holds)
            holds = changed;
    }
    inline const Sum<T, V>& whole()
    {
        const TreeWalk<T, Offset>& w = t.tree;
        for (; holds + 1 < w.order; ++holds) {
            const T* const row = w.rows[holds] + w.indices[holds][node[holds]] * stride;
            if (holds == 0)
                product[0].set(T(1), row); // the root is never the target
            else {
                product[holds] = product[holds - 1];
                if (holds != t.target)
                    product[holds].multiply(row);
            }
        }
        return product[w.order - 2];
    }
};

template <class T, class Offset, unsigned V> static void walkTarget(const TargetWalk<T, Offset>& t, const RowSums<T>& to)
{
    const TreeWalk<T, Offset>& w = t.tree;
    const unsigned leafLevel = w.order - 1, fibreLevel = w.order - 2;
    const Index* const leaves = w.indices[leafLevel];
    const Index rows = t.endRow - t.firstRow;
    const std::uint64_t lastLeaf = w.children[fibreLevel][w.end];
    Prefixes<T, Offset, V> above{t, to.stride, {}, 0, {}};
    for (unsigned level = 0; level < fibreLevel; ++level)
        above.node[level] = w.nodes[level];
    for (std::uint64_t fibre = w.begin; fibre < w.end; ++fibre) {
        above.moveTo(fibre);
        const std::uint64_t begin = w.children[fibreLevel][fibre], end = w.children[fibreLevel][fibre + 1];
        if (t.target == leafLevel) {
            for (std::uint64_t leaf = begin; leaf < end; ++leaf) {
                if (leaf + leavesAhead < lastLeaf && leaves[leaf + leavesAhead] - t.firstRow < rows)
                    fetchRow<T, V>(to.out + leaves[leaf + leavesAhead] * to.stride);
                const Index row = leaves[leaf];
                if (row - t.firstRow >= rows)
                    continue;
                Sum<T, V> term = above.whole();
                term.multiply(w.values[leaf]);
                term.addTo(to.out + row * to.stride);
            }
            continue;
        }
        const Index row = w.indices[t.target][above.node[t.target]];
        if (row - t.firstRow >= rows)
            continue;
        Sum<T, V> sum;
        sum.clear();
        for (std::uint64_t leaf = begin; leaf < end; ++leaf) {
            if (leaf + leavesAhead < lastLeaf)
                fetchRow<T, V>(w.rows[leafLevel] + leaves[leaf + leavesAhead] * to.stride);
            sum.add(w.values[leaf], w.rows[leafLevel] + leaves[leaf] * to.stride);
        }
        sum.addTo(to.out + row * to.stride, above.whole());
    }
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

// ---- entries in blocks ------------------------------------------------------------------------------------

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

// ---- tables -----------------------------------------------------------------------------------------------

/// CALL(vectors) for slabs of 1, 2, 4 and 8 vectors: forEachSlab gives no others.
#define POLYAD_FOR_SLAB(CALL)                                                                                                              \
    switch (to.columns / lanes<T>) {                                                                                                       \
    case 8:                                                                                                                                \
        CALL(8) break;                                                                                                                     \
    case 4:                                                                                                                                \
        CALL(4) break;                                                                                                                     \
    case 2:                                                                                                                                \
        CALL(2) break;                                                                                                                     \
    default:                                                                                                                               \
        CALL(1) break;                                                                                                                     \
    }

template <class T> static void runs(const RunsWalk<T>& w, const RowSums<T>& to)
{
#define POLYAD_CALL(V) w.record.others == 2 ? walkRuns<T, V, 2>(w, to) : walkRuns<T, V, 0>(w, to);
    POLYAD_FOR_SLAB(POLYAD_CALL)
#undef POLYAD_CALL
}

template <class T, class Offset> static void tree(const TreeWalk<T, Offset>& w, const RowSums<T>& to)
{
#define POLYAD_CALL(V) walkTree<T, Offset, V>(w, to);
    POLYAD_FOR_SLAB(POLYAD_CALL)
#undef POLYAD_CALL
}

template <class T, class Offset> static void target(const TargetWalk<T, Offset>& w, const RowSums<T>& to)
{
#define POLYAD_CALL(V) walkTarget<T, Offset, V>(w, to);
    POLYAD_FOR_SLAB(POLYAD_CALL)
#undef POLYAD_CALL
}

template <class T> static void entries(const EntriesWalk<T>& w, const RowSums<T>& to)
{
#define POLYAD_CALL(V) walkEntries<T, V>(w, to);
    POLYAD_FOR_SLAB(POLYAD_CALL)
#undef POLYAD_CALL
}

template <class T> static void blocks(const BlocksWalk<T>& w, const RowSums<T>& to)
{
#define POLYAD_CALL(V) w.order == 3 ? walkBlocks<T, V, 2>(w, to) : walkBlocks<T, V, 0>(w, to);
    POLYAD_FOR_SLAB(POLYAD_CALL)
#undef POLYAD_CALL
}

template <class T> static void fillTable(RowWalks<T>& table)
{
    table.runs = runs<T>;
    table.narrowTree = tree<T, std::uint32_t>;
    table.wideTree = tree<T, std::uint64_t>;
    table.narrowTarget = target<T, std::uint32_t>;
    table.wideTarget = target<T, std::uint64_t>;
    table.entries = entries<T>;
    table.blocks = blocks<T>;
    table.widestSlab = mostVectors * lanes<T>;
}

void fill(RowWalks<float>& table) { fillTable(table); }
void fill(RowWalks<double>& table) { fillTable(table); }

} // namespace kernels::mttkrp::POLYAD_ISA
