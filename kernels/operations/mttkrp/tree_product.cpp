// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/tree_product.h"

#include "kernels/operations/mttkrp/row_sums.h"

#include <tbb/parallel_for.h>

namespace kernels::mttkrp {
namespace {

using formats::Csf;

template <class Offset> struct Levels {
    std::vector<const Offset*> children;
    explicit Levels(const Csf& tree)
    {
        for (const formats::CsfLevel& level : tree.levels)
            children.push_back(std::get<Array<Offset>>(level.children).data());
    }
};

/// The node of a level that has a node of the next below it.
template <class Offset> Count parent(const Csf& tree, const Levels<Offset>& levels, unsigned level, Count child)
{
    const Offset* const begin = levels.children[level];
    const Offset* const end = begin + tree.levels[level].indices.size() + 1;
    return static_cast<Count>(std::upper_bound(begin, end, static_cast<Offset>(child)) - begin) - 1;
}

/// The first fibre that begins at a leaf or behind it.
template <class Offset> Count fibreAt(const Csf& tree, const Levels<Offset>& levels, Count leaf)
{
    const Offset* const begin = levels.children.back();
    return static_cast<Count>(std::lower_bound(begin, begin + tree.fibres(), static_cast<Offset>(leaf)) - begin);
}

template <class Offset> Index rowOf(const Csf& tree, const Levels<Offset>& levels, Count fibre)
{
    Count node = fibre;
    for (unsigned level = tree.order() - 2; level-- > 0;)
        node = parent(tree, levels, level, node);
    return tree.levels[0].indices[node];
}

template <class T, class Offset> TreeWalk<T, Offset> walkOf(const Csf& tree, const Levels<Offset>& levels)
{
    TreeWalk<T, Offset> walk;
    walk.order = tree.order();
    for (unsigned level = 0; level + 1 < tree.order(); ++level) {
        walk.indices[level] = tree.levels[level].indices.data();
        walk.children[level] = levels.children[level];
    }
    walk.indices[tree.order() - 1] = tree.leaves.data();
    walk.values = std::get<Array<T>>(tree.values).data();
    return walk;
}

/// First fibres of tasks with about so many leaves; then how many fibres there are. Tasks without any are left out.
template <class Offset> std::vector<Count> tasksOf(const Csf& tree, const Levels<Offset>& levels, Count share)
{
    std::vector<Count> begins;
    for (Count leaf = 0; leaf < tree.entries(); leaf += share)
        if (const Count fibre = fibreAt(tree, levels, leaf); fibre < tree.fibres() && (begins.empty() || fibre > begins.back()))
            begins.push_back(fibre);
    begins.push_back(tree.fibres());
    return begins;
}

/// The ancestors of a walk's first fibre.
template <class T, class Offset> void putNodes(TreeWalk<T, Offset>& walk, const Csf& tree, const Levels<Offset>& levels)
{
    Count node = walk.begin;
    for (unsigned level = tree.order() - 2; level-- > 0;)
        walk.nodes[level] = node = parent(tree, levels, level, node);
}

template <class T> void call(const TreeWalk<T, std::uint32_t>& walk, const RowSums<T>& sums) { rowWalks(T(0)).narrowTree(walk, sums); }
template <class T> void call(const TreeWalk<T, std::uint64_t>& walk, const RowSums<T>& sums) { rowWalks(T(0)).wideTree(walk, sums); }
template <class T> void call(const TargetWalk<T, std::uint32_t>& walk, const RowSums<T>& sums) { rowWalks(T(0)).narrowTarget(walk, sums); }
template <class T> void call(const TargetWalk<T, std::uint64_t>& walk, const RowSums<T>& sums) { rowWalks(T(0)).wideTarget(walk, sums); }

template <class T, class Offset> void addRoot(const Csf& tree, const Factors<T>& factors, T* out, RunControl& control)
{
    if (tree.entries() == 0)
        return;
    const Levels<Offset> levels(tree);
    const std::vector<Count> begins = tasksOf(tree, levels, entriesPerTask(tree.entries()));
    const TreeWalk<T, Offset> whole = walkOf<T>(tree, levels);
    CutRows<T>(factors.stride)
        .run(
            begins.size() - 1, out, control,
            [&](Count task, unsigned column, const RowSums<T>& sums) {
                TreeWalk<T, Offset> walk = whole;
                for (unsigned level = 1; level < tree.order(); ++level)
                    walk.rows[level] = factors.rows[tree.modeOrder[level]] + column;
                walk.begin = begins[task];
                walk.end = begins[task + 1];
                putNodes(walk, tree, levels);
                call(walk, sums);
            },
            [&](Count task) { return rowOf(tree, levels, begins[task]); },
            [&](Count task) { return rowOf(tree, levels, begins[task + 1] - 1); });
}

/// The entries of the rows from firstRow to endRow, task by task.
template <class T, class Offset>
void addOwned(const Csf& tree, unsigned level, const Factors<T>& factors, Index firstRow, Index endRow, T* out, RunControl& control)
{
    constexpr Count leavesPerLook = Count{1} << 12; // between two looks at who wants to stop
    const Levels<Offset> levels(tree);
    const std::vector<Count> begins = tasksOf(tree, levels, leavesPerLook);
    TargetWalk<T, Offset> walk{walkOf<T>(tree, levels), level, firstRow, endRow};
    for (std::size_t task = 0; task + 1 < begins.size() && !control.stopRequested(); ++task) {
        walk.tree.begin = begins[task];
        walk.tree.end = begins[task + 1];
        putNodes(walk.tree, tree, levels);
        forEachSlab<T>(factors.stride, [&](unsigned column, unsigned columns) {
            if (control.stopRequested())
                return;
            for (unsigned l = 0; l < tree.order(); ++l)
                walk.tree.rows[l] = factors.rows[tree.modeOrder[l]] + column;
            call(walk, RowSums<T>{out + column, factors.stride, columns, nullptr, nullptr});
        });
    }
}

} // namespace

template <class T> Csf withValues(Csf tree)
{
    if (!std::holds_alternative<Array<T>>(tree.values))
        tree.values =
            std::visit([](const auto& values) { return SparseTensor::Values(Array<T>(values.begin(), values.end())); }, tree.values);
    return tree;
}
template Csf withValues<float>(Csf);
template Csf withValues<double>(Csf);

template <class T> void addAtRoot(const Csf& tree, const Factors<T>& factors, T* out, RunControl& control)
{
    formats::dispatchOffset(tree.hasWideOffsets(), [&](auto zero) { addRoot<T, decltype(zero)>(tree, factors, out, control); });
}
template void addAtRoot(const Csf&, const Factors<float>&, float*, RunControl&);
template void addAtRoot(const Csf&, const Factors<double>&, double*, RunControl&);

template <class T>
void addBelowRoot(const Csf& tree, unsigned level, const Factors<T>& factors, const std::vector<Index>& firstRows, T* out,
                  RunControl& control)
{
    if (tree.entries() == 0)
        return;
    tbb::parallel_for(std::size_t{1}, firstRows.size(), [&](std::size_t owner) {
        formats::dispatchOffset(tree.hasWideOffsets(), [&](auto zero) {
            addOwned<T, decltype(zero)>(tree, level, factors, firstRows[owner - 1], firstRows[owner], out, control);
        });
    });
    control.checkpoint();
}
template void addBelowRoot(const Csf&, unsigned, const Factors<float>&, const std::vector<Index>&, float*, RunControl&);
template void addBelowRoot(const Csf&, unsigned, const Factors<double>&, const std::vector<Index>&, double*, RunControl&);

} // namespace kernels::mttkrp
