// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/ttm_chain/tree_walk.h"

#include "kernels/base/instruction_set.h"

namespace kernels::ttm {

POLYAD_DECLARE_FILLS(TreeWalks<float>);
POLYAD_DECLARE_FILLS(TreeWalks<double>);

namespace {

template <class T> TreeWalks<T> bestLoops()
{
    TreeWalks<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

} // namespace

const TreeWalks<float>& treeWalks(float)
{
    static const TreeWalks<float> table = bestLoops<float>();
    return table;
}

const TreeWalks<double>& treeWalks(double)
{
    static const TreeWalks<double> table = bestLoops<double>();
    return table;
}

} // namespace kernels::ttm
