// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/csf_merge.h"

#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace kernels::formats {
namespace {

constexpr Count entriesBetweenLooks = Count{1} << 14;

template <class Offset> const Array<Offset>& childrenOf(const Csf& tree, unsigned level)
{
    return std::get<Array<Offset>>(tree.levels[level].children);
}

/// The first of [begin, end) that is not below the index, by steps that double: new entries come in order, mostly near each other.
Count firstNotBelow(const Array<Index>& indices, Count begin, Count end, Index index)
{
    Count step = 1;
    while (begin + step < end && indices[begin + step] < index)
        step *= 2;
    const auto first = indices.begin() + static_cast<std::ptrdiff_t>(begin + step / 2);
    const auto last = indices.begin() + static_cast<std::ptrdiff_t>(std::min(end, begin + step + 1));
    return static_cast<Count>(std::lower_bound(first, last, index) - indices.begin());
}

/// Follows each new entry down the tree as far as its path stands.
template <class Offset> class Planner {
public:
    Planner(const Csf& tree, const SparseTensor& sorted, Duplicates duplicates)
        : m_tree(tree)
        , m_sorted(sorted)
        , m_duplicates(duplicates)
        , m_inner(tree.order() - 1)
    {
        m_plan.nodes.resize(m_inner);
        m_plan.grown.resize(m_inner);
    }

    CsfMergePlan plan(RunControl& control)
    {
        for (Count e = 0; e < m_sorted.entries(); ++e) {
            if (e % entriesBetweenLooks == 0)
                control.checkpoint();
            place(e);
        }
        return std::move(m_plan);
    }

private:
    Index indexOf(unsigned level, Count e) const { return m_sorted.indices[level][e]; }
    const Array<Index>& indices(unsigned level) const { return level < m_inner ? m_tree.levels[level].indices : m_tree.leaves; }

    /// The first level in which it differs from the entry before.
    unsigned differs(Count e) const
    {
        unsigned level = 0;
        while (e > 0 && level < m_inner && indexOf(level, e) == indexOf(level, e - 1))
            ++level;
        return e > 0 ? level : 0;
    }

    /// The path of the entry before is kept up to where both agree: its nodes stand, or are new.
    void place(Count e)
    {
        unsigned level = differs(e);
        if (m_duplicates == Duplicates::Error && level == m_inner && indexOf(m_inner, e) == indexOf(m_inner, e - 1))
            refuseDuplicate(coordinates(e), false);
        for (; level < m_inner; ++level) {
            const auto [begin, end] = reach(level);
            const Count at = firstNotBelow(indices(level), std::max(begin, std::min(m_last[level], end)), end, indexOf(level, e));
            m_last[level] = at;
            m_isNew[level] = at == end || indices(level)[at] != indexOf(level, e);
            m_node[level] = at;
            if (m_isNew[level]) {
                m_plan.nodes[level].push_back({at, indexOf(level, e), 0});
                addChildTo(level);
            }
        }
        placeLeaf(e);
    }

    void placeLeaf(Count e)
    {
        const auto [begin, end] = reach(m_inner);
        const Index index = indexOf(m_inner, e);
        Count at = firstNotBelow(m_tree.leaves, std::max(begin, std::min(m_last[m_inner], end)), end, index);
        m_last[m_inner] = at;
        if (at < end && m_tree.leaves[at] == index) {
            if (m_duplicates == Duplicates::Error)
                refuseDuplicate(coordinates(e), true);
            if (m_duplicates != Duplicates::Keep) {
                m_plan.met.push_back({at, e});
                return;
            }
            while (at < end && m_tree.leaves[at] == index) // behind those that stand
                ++at;
        }
        m_plan.leaves.push_back({at, e});
        addChildTo(m_inner);
    }

    /// The places below the path on a level: of a new node those before which its children come, none.
    std::pair<Count, Count> reach(unsigned level) const
    {
        if (level == 0)
            return {0, indices(0).size()};
        const Array<Offset>& children = childrenOf<Offset>(m_tree, level - 1);
        const Count parent = m_node[level - 1];
        return {children[parent], m_isNew[level - 1] ? children[parent] : children[parent + 1]};
    }

    /// The node above a new one has it for a child.
    void addChildTo(unsigned level)
    {
        if (level == 0)
            return;
        const unsigned above = level - 1;
        if (m_isNew[above]) {
            ++m_plan.nodes[above].back().children;
            return;
        }
        std::vector<GrownNode>& grown = m_plan.grown[above];
        if (grown.empty() || grown.back().node != m_node[above])
            grown.push_back({m_node[above], 0});
        ++grown.back().children;
    }

    std::vector<Index> coordinates(Count e) const
    {
        std::vector<Index> byMode(m_tree.order());
        for (unsigned level = 0; level <= m_inner; ++level)
            byMode[m_tree.modeOrder[level]] = indexOf(level, e);
        return byMode;
    }

    const Csf& m_tree;
    const SparseTensor& m_sorted;
    Duplicates m_duplicates;
    unsigned m_inner;
    CsfMergePlan m_plan;
    std::array<Count, maxOrder> m_node{}, m_last{}; ///< [level] of the path: where it stands, or would; where the last search ended
    std::array<bool, maxOrder> m_isNew{};
};

void widen(Csf& tree)
{
    for (CsfLevel& level : tree.levels)
        if (const auto* const narrow = std::get_if<Array<std::uint32_t>>(&level.children))
            level.children = Array<std::uint64_t>(narrow->begin(), narrow->end());
}

/// Room for what comes; more than asked for, so that many small batches do not move all of it each time.
template <class T> void grow(Array<T>& array, Count by)
{
    if (array.capacity() < array.size() + by)
        array.reserve(array.size() + std::max<Count>(by, array.size() / 8));
}

/// What a level's nodes are moved to: from the last on, each to its place behind those that come before it.
template <class Offset>
void mergeLevel(CsfLevel& level, const std::vector<NewNode>& nodes, const std::vector<GrownNode>& grown, Count allChildren)
{
    auto& children = std::get<Array<Offset>>(level.children);
    const Count before = level.indices.size();
    grow(level.indices, nodes.size());
    grow(children, nodes.size());
    level.indices.resize(before + nodes.size());
    children.resize(before + nodes.size() + 1);
    Count end = allChildren; // of the node that is written next
    Count oldEnd = children[before];
    Count to = before + nodes.size();
    children[to] = static_cast<Offset>(end);
    auto grownLeft = grown.size();
    Count from = before;
    for (auto left = nodes.size(); left > 0 || grownLeft > 0;) {
        const bool takesNew = left > 0 && nodes[left - 1].at == from;
        Count count = 0;
        if (takesNew) {
            --left;
            count = nodes[left].children;
            level.indices[--to] = nodes[left].index;
        } else {
            --from;
            const Count begin = children[from];
            count = oldEnd - begin;
            oldEnd = begin;
            if (grownLeft > 0 && grown[grownLeft - 1].node == from)
                count += grown[--grownLeft].children;
            level.indices[--to] = level.indices[from];
        }
        end -= count;
        children[to] = static_cast<Offset>(end);
    }
}

/// Stretches between new leaves are moved as a whole.
template <class T> void spread(Array<T>& array, const std::vector<NewLeaf>& leaves, const auto& valueOf)
{
    const Count before = array.size();
    grow(array, leaves.size());
    array.resize(before + leaves.size());
    Count end = before;
    for (Count left = leaves.size(); left > 0; --left) {
        const NewLeaf& leaf = leaves[left - 1];
        const auto begin = array.begin() + static_cast<std::ptrdiff_t>(leaf.at);
        std::copy_backward(begin, array.begin() + static_cast<std::ptrdiff_t>(end),
                           array.begin() + static_cast<std::ptrdiff_t>(end + left));
        end = leaf.at;
        array[leaf.at + left - 1] = valueOf(leaf.entry);
    }
}

/// At most: arrays that have no room left are there twice while they move, with room for an eighth more; so are children that widen.
std::uint64_t bytesToMerge(const Csf& tree, const CsfMergePlan& plan, bool widens)
{
    std::uint64_t grown = tree.bytes() + plan.leaves.size() * (sizeof(Index) + sizeof(double));
    for (unsigned level = 0; level + 1 < tree.order(); ++level) {
        grown += plan.nodes[level].size() * (sizeof(Index) + sizeof(std::uint64_t));
        if (widens)
            grown += tree.levels[level].indices.size() * sizeof(std::uint64_t);
    }
    return grown + grown / 8;
}

void apply(Csf& tree, const CsfMergePlan& plan, const SparseTensor& sorted, Duplicates duplicates)
{
    std::visit(
        [&](auto& values) {
            using T = std::decay_t<decltype(values[0])>;
            for (const MetLeaf& leaf : plan.met)
                values[leaf.leaf] =
                    static_cast<T>(joinedValue(static_cast<double>(values[leaf.leaf]), sorted.value(leaf.entry), duplicates));
            spread(values, plan.leaves, [&](Count e) { return static_cast<T>(sorted.value(e)); });
        },
        tree.values);
    spread(tree.leaves, plan.leaves, [&](Count e) { return sorted.indices.back()[e]; });
    for (unsigned level = tree.order() - 1; level-- > 0;) {
        const Count all = level + 2 == tree.order() ? tree.leaves.size() : tree.levels[level + 1].indices.size();
        dispatchOffset(tree.hasWideOffsets(),
                       [&](auto zero) { mergeLevel<decltype(zero)>(tree.levels[level], plan.nodes[level], plan.grown[level], all); });
    }
}

} // namespace

void checkMerge(unsigned treeOrder, unsigned entriesOrder, Duplicates duplicates)
{
    if (entriesOrder != treeOrder)
        throw Error(
            ErrorKind::BadArgument,
            {"entries of another order than the tree", "entries", fmt::format("{} modes", entriesOrder), fmt::format("{}", treeOrder), {}});
    if (duplicates == Duplicates::Mean)
        throw Error(ErrorKind::BadArgument,
                    {"a mean does not say of how many entries it is", "duplicates", "mean", "sum, last, max, error or keep", {}});
}

void refuseDuplicate(const std::vector<Index>& coordinates, bool stood)
{
    std::vector<Count> fromOne(coordinates.begin(), coordinates.end());
    for (Count& index : fromOne)
        ++index;
    throw Error(ErrorKind::BadInput,
                {stood ? "an entry was there already" : "an entry comes more than once",
                 fmt::format("({})", fmt::join(fromOne, ", ")),
                 {},
                 {},
                 "Choose what becomes of duplicates."});
}

CsfMergePlan planCsfMerge(const Csf& tree, const SparseTensor& sorted, Duplicates duplicates, RunControl& control)
{
    return dispatchOffset(tree.hasWideOffsets(),
                          [&](auto zero) { return Planner<decltype(zero)>(tree, sorted, duplicates).plan(control); });
}

void mergeIntoCsf(Csf& tree, const SparseTensor& added, Duplicates duplicates, RunControl& control)
{
    checkMerge(tree.order(), added.order(), duplicates);
    SparseTensor sorted = sortedCopy(added, tree.modeOrder, added.hasDoubleValues(), control);
    if (duplicates != Duplicates::Keep && duplicates != Duplicates::Error) // which is found where places are looked for
        mergeDuplicates(sorted, duplicates);
    const CsfMergePlan plan = planCsfMerge(tree, sorted, duplicates, control);
    const bool widens = needsWideOffsets(tree.entries() + plan.leaves.size()) && !tree.hasWideOffsets();
    requireHostMemory(bytesToMerge(tree, plan, widens), "While a part of the tree moves, it is there twice; give it more room.");
    control.checkpoint(); // the last look: from here on it is done
    if (widens)
        widen(tree);
    const std::vector<Index> dims = added.dims();
    for (unsigned n = 0; n < tree.order(); ++n)
        tree.dims[n] = std::max(tree.dims[n], dims[n]);
    apply(tree, plan, sorted, duplicates);
}

} // namespace kernels::formats
