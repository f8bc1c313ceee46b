// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/ttm_chain/ttm_chain.h"

#include "kernels/base/chunks.h"
#include "kernels/operations/mttkrp/tree_product.h"
#include "kernels/operations/ttm_chain/tree_walk.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>

namespace kernels::ttm {
namespace {

constexpr std::size_t noPiece = std::numeric_limits<std::size_t>::max();
constexpr Count fewestLeaves = Count{1} << 12; ///< of a task or a piece
constexpr Count tasksAimedAt = Count{1} << 10;

std::uint64_t product(std::uint64_t a, std::uint64_t b)
{
    return a > 0 && b > std::numeric_limits<std::uint64_t>::max() / a ? std::numeric_limits<std::uint64_t>::max() : a * b;
}

/// [level]: the product of the columns of all levels below.
std::vector<std::uint64_t> sizesOf(const std::vector<unsigned>& modeOrder, const std::vector<unsigned>& ranks)
{
    std::vector<std::uint64_t> sizes(modeOrder.size(), 1);
    for (std::size_t level = modeOrder.size() - 1; level-- > 0;)
        sizes[level] = product(sizes[level + 1], ranks[modeOrder[level + 1]]);
    return sizes;
}

/// The node of a level that has a node of the next below it.
template <class Offset> Count parent(const formats::Csf& tree, unsigned level, Count child)
{
    const auto& children = std::get<Array<Offset>>(tree.levels[level].children);
    return static_cast<Count>(std::upper_bound(children.begin(), children.end(), static_cast<Offset>(child)) - children.begin()) - 1;
}

template <class T, class Offset>
ChainWalk<T, Offset> walkOf(const formats::Csf& tree, const std::vector<std::uint64_t>& columns, const std::vector<std::uint64_t>& sizes,
                            const std::vector<const T*>& factors)
{
    ChainWalk<T, Offset> walk;
    walk.order = tree.order();
    for (unsigned level = 0; level < walk.order; ++level) {
        const bool leaves = level + 1 == walk.order;
        walk.indices[level] = leaves ? tree.leaves.data() : tree.levels[level].indices.data();
        walk.children[level] = leaves ? nullptr : std::get<Array<Offset>>(tree.levels[level].children).data();
        walk.rows[level] = factors[tree.modeOrder[level]];
        walk.columns[level] = columns[level];
        walk.sizes[level] = sizes[level];
    }
    walk.values = std::get<Array<T>>(tree.values).data();
    return walk;
}

/// Leaves from begin to end and everything above them.
template <class T, class Offset> void cutTo(ChainWalk<T, Offset>& walk, const formats::Csf& tree, Count begin, Count end)
{
    walk.begin[walk.order - 1] = begin;
    walk.end[walk.order - 1] = end;
    for (unsigned level = walk.order - 1; level-- > 0;) {
        walk.begin[level] = parent<Offset>(tree, level, walk.begin[level + 1]);
        walk.end[level] = parent<Offset>(tree, level, walk.end[level + 1] - 1) + 1;
    }
}

template <class T> void call(const ChainSums<T, std::uint32_t>& sums) { treeWalks(T(0)).narrowSums(sums); }
template <class T> void call(const ChainSums<T, std::uint64_t>& sums) { treeWalks(T(0)).wideSums(sums); }
template <class T> void call(JudgeWalk<T, std::uint32_t>& judge) { treeWalks(T(0)).narrowJudge(judge); }
template <class T> void call(JudgeWalk<T, std::uint64_t>& judge) { treeWalks(T(0)).wideJudge(judge); }

} // namespace

std::uint64_t widthOf(const std::vector<unsigned>& ranks, unsigned mode)
{
    std::uint64_t width = 1;
    for (unsigned k = 0; k < ranks.size(); ++k)
        width = k == mode ? width : product(width, ranks[k]);
    return width;
}

std::uint64_t workNumbers(const std::vector<Index>& dims, const std::vector<unsigned>& ranks)
{
    std::uint64_t most = 0;
    for (unsigned n = 0; n < dims.size(); ++n) {
        std::uint64_t sum = 0;
        const std::vector<std::uint64_t> sizes = sizesOf(formats::rootedAt(dims, n), ranks);
        for (std::size_t level = 0; level + 1 < sizes.size(); ++level)
            sum += std::min(sizes[level], std::numeric_limits<std::uint64_t>::max() / 32);
        most = std::max(most, sum);
    }
    return most;
}

Count pieceLeaves(Count entries, std::uint64_t width)
{
    constexpr std::uint64_t roomNumbers = std::uint64_t{1} << 22, fewest = 16, most = 256;
    return std::max(fewestLeaves, entries / std::clamp(roomNumbers / width, fewest, most));
}

ChainBytes chainBytes(const std::vector<Index>& dims, unsigned mode, Count entries, const std::vector<unsigned>& ranks,
                      unsigned tensorValueBytes, unsigned valueBytes)
{
    const unsigned given = tensorValueBytes ? tensorValueBytes : valueBytes;
    const std::vector<unsigned> order = formats::rootedAt(dims, mode);
    const std::vector<Count> nodes = formats::csfNodes(dims, order, entries);
    const std::uint64_t width = widthOf(ranks, mode);
    ChainBytes bytes;
    bytes.kept = formats::csfBytes(nodes, entries, valueBytes) + (nodes.front() + 1) * sizeof(Count)
        + product(entries / pieceLeaves(entries, width), product(width, valueBytes));
    bytes.building = std::max({formats::csfBuildBytes(dims, order, entries, given), bytes.kept,
                               formats::csfBytes(nodes, entries, given) + (given == valueBytes ? 0 : entries * valueBytes)});
    return bytes;
}

ThreadWork::ThreadWork(std::uint64_t numbers, unsigned threads)
    : m_each((numbers + 7) / 8 * 8)
    , m_room(m_each * threads)
{
}

double* ThreadWork::mine() { return m_room.data() + static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()) * m_each; }

template <class T>
TreeChain<T>::TreeChain(const SparseTensor& tensor, unsigned mode, const std::vector<unsigned>& ranks, RunControl& control)
    : m_tree(mttkrp::withValues<T>(formats::buildCsf(tensor, formats::rootedAt(tensor.dims(), mode), control)))
    , m_sizes(sizesOf(m_tree.modeOrder, ranks))
{
    for (const unsigned k : m_tree.modeOrder)
        m_columns.push_back(ranks[k]);
    m_pieceLeaves = pieceLeaves(m_tree.entries(), width());
    // No more than some ten milliseconds between two looks at a stop, if every node has one leaf.
    constexpr std::uint64_t additions = std::uint64_t{1} << 24, fewestAtOnce = 64;
    m_leavesAtOnce = std::max(fewestAtOnce, additions / (2 * width()));
    m_pieces.resize(m_tree.entries() / m_pieceLeaves * width());
    m_leafBegins.resize(rows() + 1);
    formats::dispatchOffset(m_tree.hasWideOffsets(), [&](auto zero) {
        using Offset = decltype(zero);
        forEachChunk(rows() + 1, Count{1} << 16, control, [&](Count, Count begin, Count end) {
            for (Count row = begin; row < end; ++row) {
                Count node = row;
                for (const formats::CsfLevel& level : m_tree.levels)
                    node = std::get<Array<Offset>>(level.children)[node];
                m_leafBegins[row] = node;
            }
        });
    });
}

/// Rows together until they have enough leaves, very long ones in pieces. Cut alike whatever rows are asked for: a row's sum is
/// added up in its own pieces, or whole.
template <class T> std::vector<typename TreeChain<T>::Task> TreeChain<T>::tasksOf(Count first, Count end) const
{
    const Count enough = std::max(fewestLeaves, m_tree.entries() / tasksAimedAt);
    std::vector<Task> tasks;
    std::size_t pieces = 0;
    Count begin = m_leafBegins[first];
    for (Count row = first; row < end; ++row) {
        const Count from = m_leafBegins[row], to = m_leafBegins[row + 1], parts = (to - from) / m_pieceLeaves;
        if (parts < 2) {
            if (to - begin >= enough) {
                tasks.push_back({begin, to, noPiece});
                begin = to;
            }
            continue;
        }
        if (begin < from)
            tasks.push_back({begin, from, noPiece});
        for (Count part = 0; part < parts; ++part)
            tasks.push_back({from + (to - from) * part / parts, from + (to - from) * (part + 1) / parts, pieces++});
        begin = to;
    }
    if (begin < m_leafBegins[end])
        tasks.push_back({begin, m_leafBegins[end], noPiece});
    return tasks;
}

template <class T>
template <class Offset>
void TreeChain<T>::computeIn(const std::vector<const T*>& factors, Count first, Count end, T* out, std::uint64_t stride, ThreadWork& work,
                             RunControl& control)
{
    const std::vector<Task> tasks = tasksOf(first, end);
    const ChainWalk<T, Offset> whole = walkOf<T, Offset>(m_tree, m_columns, m_sizes, factors);
    const auto rowOf = [&](Count leaf) {
        return static_cast<Count>(std::upper_bound(m_leafBegins.begin(), m_leafBegins.end(), leaf) - m_leafBegins.begin()) - 1;
    };
    forEachChunk(tasks.size(), 1, control, [&](Count number, Count, Count) {
        const Task& task = tasks[number];
        const Count firstRow = rowOf(task.firstLeaf), endRow = rowOf(task.endLeaf - 1) + 1;
        ChainSums<T, Offset> sums{whole, {}, out + (firstRow - first) * stride, stride, firstRow};
        if (task.piece != noPiece)
            sums.out = m_pieces.data() + task.piece * width();
        const Count rowsHere = task.piece == noPiece ? endRow - firstRow : 1;
        for (Count row = 0; row < rowsHere; ++row)
            std::fill_n(sums.out + row * stride, task.piece == noPiece ? stride : width(), T(0));
        T* room = reinterpret_cast<T*>(work.mine()); // doubles have room for either
        for (unsigned level = 1; level + 1 < m_tree.order(); ++level) {
            sums.work[level] = room;
            room += m_sizes[level];
        }
        for (Count leaf = task.firstLeaf; leaf < task.endLeaf && !control.stopRequested();) {
            const Count next = std::min(task.endLeaf, (leaf / m_leavesAtOnce + 1) * m_leavesAtOnce); // cut alike wherever tasks begin
            cutTo(sums.walk, m_tree, leaf, next);
            call(sums);
            leaf = next;
        }
    });
    // Pieces of a row, one after another.
    for (std::size_t begin = 0; begin < tasks.size();) {
        std::size_t next = begin + 1;
        if (tasks[begin].piece == noPiece) {
            begin = next;
            continue;
        }
        const Count row = rowOf(tasks[begin].firstLeaf);
        while (next < tasks.size() && tasks[next].piece != noPiece && tasks[next].firstLeaf < m_leafBegins[row + 1])
            ++next;
        T* const to = out + (row - first) * stride;
        forEachChunk(stride, Count{1} << 12, control, [&](Count, Count from, Count until) {
            for (Count c = from; c < until; ++c) {
                T sum = 0;
                for (std::size_t task = begin; task < next && c < width(); ++task)
                    sum += m_pieces[tasks[task].piece * width() + c];
                to[c] = sum;
            }
        });
        begin = next;
    }
}

template <class T>
void TreeChain<T>::compute(const std::vector<const T*>& factors, Count first, Count end, T* out, std::uint64_t stride, ThreadWork& work,
                           RunControl& control)
{
    formats::dispatchOffset(m_tree.hasWideOffsets(),
                            [&](auto zero) { computeIn<decltype(zero)>(factors, first, end, out, stride, work, control); });
}

template <class T>
template <class Offset>
Judgement TreeChain<T>::judgeIn(const double* core, const std::vector<const T*>& factors, ThreadWork& work, RunControl& control) const
{
    const ChainWalk<T, Offset> whole = walkOf<T, Offset>(m_tree, m_columns, m_sizes, factors);
    const Count leaves = std::min(m_leavesAtOnce, std::max(fewestLeaves, m_tree.entries() / tasksAimedAt));
    std::vector<Judgement> parts(chunkCount(m_tree.entries(), leaves));
    forEachChunk(m_tree.entries(), leaves, control, [&](Count part, Count begin, Count end) {
        JudgeWalk<T, Offset> judge{whole, core};
        double* room = work.mine();
        for (unsigned level = 0; level + 1 < m_tree.order(); ++level) {
            judge.work[level] = room;
            room += m_sizes[level];
        }
        cutTo(judge.walk, m_tree, begin, end);
        call(judge);
        parts[part] = {judge.squared, judge.absolute, judge.products};
    });
    Judgement sum;
    for (const Judgement& part : parts) {
        sum.squared += part.squared;
        sum.absolute += part.absolute;
        sum.products += part.products;
    }
    return sum;
}

template <class T>
Judgement TreeChain<T>::judge(const double* core, const std::vector<const T*>& factors, ThreadWork& work, RunControl& control) const
{
    return formats::dispatchOffset(m_tree.hasWideOffsets(),
                                   [&](auto zero) { return judgeIn<decltype(zero)>(core, factors, work, control); });
}

template class TreeChain<float>;
template class TreeChain<double>;

} // namespace kernels::ttm
