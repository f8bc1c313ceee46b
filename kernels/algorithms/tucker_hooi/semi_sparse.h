// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/formats/csf.h"

#include <vector>

namespace kernels::tucker_hooi {

/// The side of the unfolded tensor M that a product is of: M Mᵀ, or MᵀM.
enum class Side { Rows, Columns };

/// What a step of an ST-HOSVD works on: the tensor with the modes of the steps before contracted. A member is what is left of all entries
/// that agree in the step's mode and the later ones, a small dense tensor of `size` numbers; those of a group agree in the later ones.
struct StepSizes {
    std::uint64_t rows = 0; ///< the mode's slices
    std::uint64_t groups = 0, members = 0; ///< at most
    std::uint64_t size = 1; ///< the product of the ranks before
    unsigned lastRank = 1; ///< of the step before
};

/// How its products are made; follows from sizes alone.
struct StepPlan {
    StepSizes sizes;
    bool held = true; ///< all members are there at once; else some groups', contracted anew for every product
    std::uint64_t room = 0; ///< then numbers of those that are
    Side side = Side::Rows;
    unsigned width = 0, stride = 0; ///< columns of what is multiplied, and numbers from one of its rows to the next
    unsigned parts = 1; ///< of a product, each of which has sums of its own
};

/// The tensor of an ST-HOSVD, step after step. One tree serves all: from the last step's mode at the root to the first step's in the
/// leaves, where a step's members are the nodes of one level, and what a step leaves belongs to the nodes of the level above.
class SemiSparse {
public:
    /// treeOrder: the last step's mode first. Throws OutOfMemory, Cancelled.
    SemiSparse(const SparseTensor&, const std::vector<unsigned>& treeOrder, RunControl&);

    /// The step of that number: plans of earlier ones that say `held` must have begun, in order. factors: of the steps before, J numbers
    /// a row; those that are not needed any more are emptied.
    void begin(unsigned step, const StepPlan&, std::vector<Array<double>>& factors, RunControl&);
    /// Rows of what a product is of: slices, or columns of M.
    std::uint64_t length() const;
    /// z: parts × length() × stride numbers. The first length() × stride become M Mᵀ p or MᵀM p, the same bits for any number of threads.
    void multiply(const Array<double>& p, Array<double>& z, RunControl&);
    /// a ← M p, of rows `stride` apart, where the plan's side is that of columns.
    void project(const Array<double>& p, Array<double>& a, unsigned stride, RunControl&) const;

    static std::uint64_t treeBytes(const std::vector<Count>& nodes, Count entries); ///< with its values in fp64
    /// What a step takes beside those members that are held, and what is multiplied.
    static std::uint64_t stepBytes(unsigned step, const StepPlan&);

private:
    /// Members that are there, of some groups; of a group's numbers from firstColumn on.
    struct Block {
        Count firstGroup, endGroup;
        const double* members; ///< `size` apart
        std::uint64_t size, firstColumn;
    };
    struct Walk;

    Count nodes(unsigned level) const { return level + 1 < m_tree.order() ? m_tree.levels[level].indices.size() : m_tree.entries(); }
    Index indexOf(unsigned level, Count node) const
    {
        return level + 1 < m_tree.order() ? m_tree.levels[level].indices[node] : m_tree.leaves[node];
    }
    Count child(unsigned level, Count node) const { return std::get<Array<std::uint64_t>>(m_tree.levels[level].children)[node]; }
    Count groups() const { return m_level == 0 ? 1 : nodes(m_level - 1); }
    Count begins(Count group) const { return m_level > 0 ? child(m_level - 1, group) : group == 0 ? 0 : nodes(0); } ///< of members

    void compute(Count first, Count end, unsigned firstColumn, unsigned endColumn, double* to, RunControl&) const;
    void contract(unsigned level, Count node, unsigned firstColumn, unsigned endColumn, double* to, Walk&) const;
    void sortByRows(RunControl&);
    template <class Body> void forEachBlock(RunControl&, const Body&);
    void multiplyRows(const Block&, const double* q, double* z, RunControl&) const;
    void multiplyRows(const Block&, Count begin, Count end, unsigned column, unsigned columns, const double* q, double* z,
                      RunControl&) const;
    void multiplyColumns(const double* p, double* z, RunControl&) const;
    const double* memberOfRow(Count k) const { return m_nodes.empty() ? &m_values[k] : m_held.data() + m_nodes[k] * m_plan.sizes.size; }

    formats::Csf m_tree; ///< its values are in m_held first
    StepPlan m_plan;
    unsigned m_level = 0; ///< of the step's mode
    unsigned m_heldLevel = 0; ///< whose members m_held are
    Array<double> m_held, m_room;
    std::vector<const double*> m_factors; ///< by level
    std::vector<std::uint64_t> m_columns, m_sizes; ///< by level: of the mode's factor, of a node's tensor
    // Members by rows, where products are of the columns' side.
    Array<Count> m_begins; ///< of every row
    Array<Index> m_groups;
    Array<Count> m_nodes; ///< empty where members are single numbers
    Array<double> m_values; ///< those
};

} // namespace kernels::tucker_hooi
