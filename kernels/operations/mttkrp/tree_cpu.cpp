// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/bcsf.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/row_sums.h"

namespace kernels::mttkrp {
namespace {

using formats::Csf;

/// A tree for every mode, rooted there. Tasks are ranges of fibres with about as many leaves, so that heavy slices are shared;
/// a fibre is one task's.
template <class T> class Trees final : public Operation<T> {
public:
    using Build = Csf (*)(const SparseTensor&, unsigned mode, RunControl&);

    Trees(const SparseTensor& tensor, Build build, RunControl& control)
    {
        for (unsigned n = 0; n < tensor.order(); ++n)
            m_trees.push_back(withValues(build(tensor, n, control)));
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        const Csf& tree = m_trees[mode];
        clearRows(out, tree.dims[mode], factors.stride, control);
        formats::dispatchOffset(tree.hasWideOffsets(), [&](auto zero) { walk<decltype(zero)>(tree, factors, out, control); });
    }

    std::uint64_t bytes() const override
    {
        std::uint64_t sum = 0;
        for (const Csf& tree : m_trees)
            sum += tree.bytes();
        return sum;
    }

private:
    static Csf withValues(Csf tree)
    {
        if (!std::holds_alternative<Array<T>>(tree.values))
            tree.values =
                std::visit([](const auto& values) { return SparseTensor::Values(Array<T>(values.begin(), values.end())); }, tree.values);
        return tree;
    }

    template <class Offset> struct Levels {
        std::vector<const Offset*> children;
        explicit Levels(const Csf& tree)
        {
            for (const formats::CsfLevel& level : tree.levels)
                children.push_back(std::get<Array<Offset>>(level.children).data());
        }
    };

    /// The node of a level that has a node of the next below it.
    template <class Offset> static Count parent(const Csf& tree, const Levels<Offset>& levels, unsigned level, Count child)
    {
        const Offset* const begin = levels.children[level];
        const Offset* const end = begin + tree.levels[level].indices.size() + 1;
        return static_cast<Count>(std::upper_bound(begin, end, static_cast<Offset>(child)) - begin) - 1;
    }

    /// The first fibre that begins at a leaf or behind it.
    template <class Offset> static Count fibreAt(const Csf& tree, const Levels<Offset>& levels, Count leaf)
    {
        const Offset* const begin = levels.children.back();
        return static_cast<Count>(std::lower_bound(begin, begin + tree.fibres(), static_cast<Offset>(leaf)) - begin);
    }

    template <class Offset> static Index rowOf(const Csf& tree, const Levels<Offset>& levels, Count fibre)
    {
        Count node = fibre;
        for (unsigned level = tree.order() - 2; level-- > 0;)
            node = parent(tree, levels, level, node);
        return tree.levels[0].indices[node];
    }

    template <class Offset> TreeWalk<T, Offset> walkOf(const Csf& tree, const Levels<Offset>& levels) const
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

    template <class Offset> void walk(const Csf& tree, const Factors<T>& factors, T* out, RunControl& control) const
    {
        if (tree.entries() == 0)
            return;
        const Levels<Offset> levels(tree);
        const Count share = entriesPerTask(tree.entries());
        std::vector<Count> begins; // fibres; tasks without any are left out
        for (Count leaf = 0; leaf < tree.entries(); leaf += share)
            if (const Count fibre = fibreAt(tree, levels, leaf); fibre < tree.fibres() && (begins.empty() || fibre > begins.back()))
                begins.push_back(fibre);
        begins.push_back(tree.fibres());
        const TreeWalk<T, Offset> whole = walkOf(tree, levels);
        CutRows<T>(factors.stride)
            .run(
                begins.size() - 1, out, control,
                [&](Count task, unsigned column, const RowSums<T>& sums) {
                    TreeWalk<T, Offset> walk = whole;
                    for (unsigned level = 1; level < tree.order(); ++level)
                        walk.rows[level] = factors.rows[tree.modeOrder[level]] + column;
                    walk.begin = begins[task];
                    walk.end = begins[task + 1];
                    Count node = walk.begin;
                    for (unsigned level = tree.order() - 2; level-- > 0;)
                        walk.nodes[level] = node = parent(tree, levels, level, node);
                    call(walk, sums);
                },
                [&](Count task) { return rowOf(tree, levels, begins[task]); },
                [&](Count task) { return rowOf(tree, levels, begins[task + 1] - 1); });
    }

    static void call(const TreeWalk<T, std::uint32_t>& walk, const RowSums<T>& sums) { rowWalks(T(0)).narrowTree(walk, sums); }
    static void call(const TreeWalk<T, std::uint64_t>& walk, const RowSums<T>& sums) { rowWalks(T(0)).wideTree(walk, sums); }

    std::vector<Csf> m_trees;
};

} // namespace

template <class T> Made<T> makeCsf(const SparseTensor& tensor, const Settings&, RunControl& control)
{
    return std::make_unique<Trees<T>>(
        tensor,
        [](const SparseTensor& entries, unsigned mode, RunControl& c) {
            return formats::buildCsf(entries, formats::rootedAt(entries.dims(), mode), c);
        },
        control);
}

/// Its blocks are for processors that cannot share a slice otherwise; here its shorter fibres share work.
template <class T> Made<T> makeBcsf(const SparseTensor& tensor, const Settings&, RunControl& control)
{
    return std::make_unique<Trees<T>>(
        tensor,
        [](const SparseTensor& entries, unsigned mode, RunControl& c) {
            return formats::buildBcsf(entries, formats::rootedAt(entries.dims(), mode), {}, c).tree;
        },
        control);
}

template Made<float> makeCsf(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeCsf(const SparseTensor&, const Settings&, RunControl&);
template Made<float> makeBcsf(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeBcsf(const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
