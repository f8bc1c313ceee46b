// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/formats/csf.h"
#include "kernels/tensor/sort.h"

#include <vector>

/// New entries for a tree of fibres that stands (OnCSF): nothing of it is sorted or built again. On a GPU: csf_merge_cuda.cuh. `bench
/// formats --merge` measures it; updates of a model walk their new entries alone.
namespace kernels::formats {

/// A node that a level gets: before the node that now stands at `at`, with so many children, all new.
struct NewNode {
    Count at = 0;
    Index index = 0;
    Count children = 0;
};
/// A node that stands and gets so many children beside its own.
struct GrownNode {
    Count node = 0;
    Count children = 0;
};
struct NewLeaf {
    Count at = 0;
    Count entry = 0; ///< of the sorted new ones
};
/// A leaf that stands for the coordinates of a new entry, too.
struct MetLeaf {
    Count leaf = 0;
    Count entry = 0;
};

/// Where new entries go: found before anything is moved. Each list in the order of the tree.
struct CsfMergePlan {
    std::vector<std::vector<NewNode>> nodes; ///< [level]
    std::vector<std::vector<GrownNode>> grown; ///< [level]
    std::vector<NewLeaf> leaves;
    std::vector<MetLeaf> met;
};
/// sorted: the new entries with their modes in the order of the tree's, as sortedCopy makes them.
CsfMergePlan planCsfMerge(const Csf&, const SparseTensor& sorted, Duplicates, RunControl&);

/// Throws Error(BadArgument) for entries of another order and for what cannot become of duplicates.
void checkMerge(unsigned treeOrder, unsigned entriesOrder, Duplicates);
/// For Duplicates::Error: the coordinates (by mode) of an entry that stood, or that comes more than once.
[[noreturn]] void refuseDuplicate(const std::vector<Index>& coordinates, bool stood);
/// What is there for two entries of equal coordinates.
POLYAD_HOST_DEVICE double joinedValue(double before, double value, Duplicates duplicates)
{
    switch (duplicates) {
    case Duplicates::Sum:
        return before + value;
    case Duplicates::Max:
        return before < value ? value : before;
    default:
        return value;
    }
}

/// The tree, with the entries in it: the same bits as buildCsf makes of all entries at once, the tree's first, in its order of modes,
/// after duplicates were dealt with as a load does (of a tree that keeps none equal, but for Keep). Modes grow where entries ask for it.
/// Takes time for the new entries, to look for their places, and for what stands behind the first of these in each level, to move it: in
/// a tree rooted at the mode they extend that is nothing, tails grow. Throws Error(BadInput) for Duplicates::Error, Error(BadArgument)
/// for Duplicates::Mean (a mean does not say of how many) and entries of another order; these, Cancelled and OutOfMemory leave the tree as
/// it was. What the machine refuses although it had it free (std::bad_alloc) leaves a tree that only fits to be thrown away.
void mergeIntoCsf(Csf&, const SparseTensor& added, Duplicates, RunControl&);

} // namespace kernels::formats
