// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/operations/mttkrp/row_sums_isa.h"

namespace kernels::mttkrp::POLYAD_ISA {

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

template <class T> static void fillTable(RowWalks<T>& table)
{
    table.narrowTree = tree<T, std::uint32_t>;
    table.wideTree = tree<T, std::uint64_t>;
    table.narrowTarget = target<T, std::uint32_t>;
    table.wideTarget = target<T, std::uint64_t>;
}

void fillTrees(RowWalks<float>& table) { fillTable(table); }
void fillTrees(RowWalks<double>& table) { fillTable(table); }

} // namespace kernels::mttkrp::POLYAD_ISA
