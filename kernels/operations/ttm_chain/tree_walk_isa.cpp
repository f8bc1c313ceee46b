// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/base/vectors.h"
#include "kernels/operations/ttm_chain/tree_walk.h"

namespace kernels::ttm::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

/// A vector wherever it begins: factor rows have as many numbers as the mode has columns.
template <class T> struct LooseVectorOf {
    typedef T type __attribute__((vector_size(POLYAD_VECTOR_BYTES), aligned(sizeof(T)), may_alias));
};
template <class T> static inline Vector<T> loadLoose(const T* p) { return *reinterpret_cast<const typename LooseVectorOf<T>::type*>(p); }
template <class T> static inline void storeLoose(T* p, Vector<T> v) { *reinterpret_cast<typename LooseVectorOf<T>::type*>(p) = v; }

/// sum += x · from
template <class T> static inline void addScaled(T* __restrict sum, T x, const T* __restrict from, std::uint64_t count)
{
    std::uint64_t i = 0;
    for (; i + lanes<T> <= count; i += lanes<T>)
        storeLoose(sum + i, loadLoose(sum + i) + x * loadLoose(from + i));
    for (; i < count; ++i)
        sum[i] += x * from[i];
}

/// Rows of leaves lie anywhere in a factor, most of them not in cache: one is asked for some leaves before it is needed. Always inlined:
/// to GCC a function that only asks does nothing and is left out.
template <class T>
static inline __attribute__((always_inline)) void askForRow(const Index* leaf, const Index* end, const T* rows, std::uint64_t columns)
{
    constexpr unsigned ahead = 16, line = 64 / sizeof(T);
    if (leaf + ahead >= end)
        return;
    const T* const row = rows + leaf[ahead] * columns;
    for (std::uint64_t c = 0; c < columns; c += line)
        __builtin_prefetch(row + c);
}

/// sum += Σ x · rows of leaves; Vectors · lanes columns, or any number of them for 0. end: of all leaves that are to come.
template <class T, unsigned Vectors>
static inline void addLeaves(T* sum, const T* values, const Index* leaves, std::uint64_t count, const Index* end, const T* rows,
                             std::uint64_t columns)
{
    if constexpr (Vectors == 0) {
        for (std::uint64_t e = 0; e < count; ++e) {
            askForRow(leaves + e, end, rows, columns);
            addScaled(sum, values[e], rows + leaves[e] * columns, columns);
        }
    } else {
        Vector<T> kept[Vectors];
        for (unsigned v = 0; v < Vectors; ++v)
            kept[v] = loadLoose(sum + v * lanes<T>);
        for (std::uint64_t e = 0; e < count; ++e) {
            askForRow(leaves + e, end, rows, Vectors * std::uint64_t{lanes<T>});
            const T* const row = rows + leaves[e] * (Vectors * std::uint64_t{lanes<T>});
            for (unsigned v = 0; v < Vectors; ++v)
                kept[v] += values[e] * loadLoose(row + v * lanes<T>);
        }
        for (unsigned v = 0; v < Vectors; ++v)
            storeLoose(sum + v * lanes<T>, kept[v]);
    }
}

/// sum += row ⊗ from
template <class T, unsigned Vectors>
static inline void addOuter(T* sum, const T* row, std::uint64_t columns, const T* from, std::uint64_t size)
{
    if constexpr (Vectors == 0) {
        for (std::uint64_t j = 0; j < columns; ++j)
            addScaled(sum + j * size, row[j], from, size);
    } else {
        Vector<T> kept[Vectors];
        for (unsigned v = 0; v < Vectors; ++v)
            kept[v] = loadLoose(from + v * lanes<T>);
        for (std::uint64_t j = 0; j < columns; ++j) {
            T* const to = sum + j * (Vectors * std::uint64_t{lanes<T>});
            for (unsigned v = 0; v < Vectors; ++v)
                storeLoose(to + v * lanes<T>, loadLoose(to + v * lanes<T>) + row[j] * kept[v]);
        }
    }
}

/// Children of a node that belong to the walk.
template <class T, class Offset> struct Children {
    std::uint64_t begin, end;
    Children(const ChainWalk<T, Offset>& walk, unsigned level, std::uint64_t node)
        : begin(walk.children[level][node])
        , end(walk.children[level][node + 1])
    {
        if (begin < walk.begin[level + 1])
            begin = walk.begin[level + 1];
        if (end > walk.end[level + 1])
            end = walk.end[level + 1];
    }
};

/// sum += what is below the node. Vectors: of a leaf's row.
template <class T, class Offset, unsigned Vectors>
static void addNode(const ChainSums<T, Offset>& sums, unsigned level, std::uint64_t node, T* sum)
{
    const ChainWalk<T, Offset>& walk = sums.walk;
    const Children<T, Offset> children(walk, level, node);
    const unsigned below = level + 1;
    if (below + 1 == walk.order) {
        addLeaves<T, Vectors>(sum, walk.values + children.begin, walk.indices[below] + children.begin, children.end - children.begin,
                              walk.indices[below] + walk.end[below], walk.rows[below], walk.columns[below]);
        return;
    }
    const std::uint64_t size = walk.sizes[below];
    T* const own = sums.work[below];
    for (std::uint64_t child = children.begin; child < children.end; ++child) {
        for (std::uint64_t s = 0; s < size; ++s)
            own[s] = 0;
        addNode<T, Offset, Vectors>(sums, below, child, own);
        const T* const row = walk.rows[below] + walk.indices[below][child] * walk.columns[below];
        if (below + 2 == walk.order)
            addOuter<T, Vectors>(sum, row, walk.columns[below], own, size);
        else
            addOuter<T, 0>(sum, row, walk.columns[below], own, size);
    }
}

template <class T, class Offset, unsigned Vectors> static void addRoots(const ChainSums<T, Offset>& sums)
{
    for (std::uint64_t root = sums.walk.begin[0]; root < sums.walk.end[0]; ++root)
        addNode<T, Offset, Vectors>(sums, 0, root, sums.out + (root - sums.firstRoot) * sums.stride);
}

template <class T, class Offset> static void addSums(const ChainSums<T, Offset>& sums)
{
    const std::uint64_t columns = sums.walk.columns[sums.walk.order - 1];
    if (columns == lanes<T>)
        addRoots<T, Offset, 1>(sums);
    else if (columns == 2 * lanes<T>)
        addRoots<T, Offset, 2>(sums);
    else if (columns == 4 * lanes<T>)
        addRoots<T, Offset, 4>(sums);
    else
        addRoots<T, Offset, 0>(sums);
}

/// to = Σ_j row[j] · from's j-th part
template <class T>
static void contract(double* __restrict to, const T* row, std::uint64_t columns, const double* __restrict from, std::uint64_t size)
{
    for (std::uint64_t s = 0; s < size; ++s)
        to[s] = 0;
    for (std::uint64_t j = 0; j < columns; ++j) {
        const auto x = static_cast<double>(row[j]);
        const double* const part = from + j * size;
        for (std::uint64_t s = 0; s < size; ++s)
            to[s] += x * part[s];
    }
}

/// In eight sums, which one vector or a few hold.
template <class T> static inline double dot(const T* row, const double* with, std::uint64_t count)
{
    constexpr unsigned width = 8;
    double part[width] = {};
    std::uint64_t j = 0;
    for (; j + width <= count; j += width)
        for (unsigned i = 0; i < width; ++i)
            part[i] += static_cast<double>(row[j + i]) * with[j + i];
    double sum = 0;
    for (; j < count; ++j)
        sum += static_cast<double>(row[j]) * with[j];
    for (unsigned i = 0; i < width; ++i)
        sum += part[i];
    return sum;
}

template <class T, class Offset> static void judgeNode(JudgeWalk<T, Offset>& judge, unsigned level, std::uint64_t node, const double* from)
{
    const ChainWalk<T, Offset>& walk = judge.walk;
    double* const own = judge.work[level];
    contract(own, walk.rows[level] + walk.indices[level][node] * walk.columns[level], walk.columns[level], from, walk.sizes[level]);
    const Children<T, Offset> children(walk, level, node);
    const unsigned below = level + 1;
    if (below + 1 < walk.order) {
        for (std::uint64_t child = children.begin; child < children.end; ++child)
            judgeNode(judge, below, child, own);
        return;
    }
    const std::uint64_t columns = walk.columns[below];
    for (std::uint64_t e = children.begin; e < children.end; ++e) {
        askForRow(walk.indices[below] + e, walk.indices[below] + walk.end[below], walk.rows[below], columns);
        const T* const row = walk.rows[below] + walk.indices[below][e] * columns;
        const double predicted = dot(row, own, columns);
        const auto x = static_cast<double>(walk.values[e]);
        const double error = predicted - x;
        judge.squared += error * error;
        judge.absolute += error < 0 ? -error : error;
        judge.products += x * predicted;
    }
}

template <class T, class Offset> static void judgeAll(JudgeWalk<T, Offset>& judge)
{
    for (std::uint64_t root = judge.walk.begin[0]; root < judge.walk.end[0]; ++root)
        judgeNode(judge, 0, root, judge.core);
}

template <class T> static void fillTable(TreeWalks<T>& table)
{
    table.narrowSums = addSums<T, std::uint32_t>;
    table.wideSums = addSums<T, std::uint64_t>;
    table.narrowJudge = judgeAll<T, std::uint32_t>;
    table.wideJudge = judgeAll<T, std::uint64_t>;
}

void fill(TreeWalks<float>& table) { fillTable(table); }
void fill(TreeWalks<double>& table) { fillTable(table); }

} // namespace kernels::ttm::POLYAD_ISA
