// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/ttm_chain/tree_walk.h"

#include "kernels/base/instruction_set.h"

namespace kernels::ttm {

#if defined(__x86_64__)
namespace v2 {
void fill(TreeWalks<float>&);
void fill(TreeWalks<double>&);
} // namespace v2
namespace v3 {
void fill(TreeWalks<float>&);
void fill(TreeWalks<double>&);
} // namespace v3
namespace v4 {
void fill(TreeWalks<float>&);
void fill(TreeWalks<double>&);
} // namespace v4
#else
namespace generic {
void fill(TreeWalks<float>&);
void fill(TreeWalks<double>&);
} // namespace generic
#endif

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
