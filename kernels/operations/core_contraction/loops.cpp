// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/loops.h"

#include "kernels/base/instruction_set.h"

namespace kernels::core_contraction {

POLYAD_DECLARE_FILLS(Loops<float>);
POLYAD_DECLARE_FILLS(Loops<double>);

namespace {

template <class T> Loops<T> bestLoops()
{
    Loops<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

} // namespace

const Loops<float>& loops(float)
{
    static const Loops<float> table = bestLoops<float>();
    return table;
}

const Loops<double>& loops(double)
{
    static const Loops<double> table = bestLoops<double>();
    return table;
}

} // namespace kernels::core_contraction
