// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/row_steps.h"

#include "kernels/base/instruction_set.h"

namespace kernels::ntf {

POLYAD_DECLARE_FILLS(RowSteps<float>);
POLYAD_DECLARE_FILLS(RowSteps<double>);

namespace {

template <class T> RowSteps<T> bestLoops()
{
    RowSteps<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

} // namespace

const RowSteps<float>& rowSteps(float)
{
    static const RowSteps<float> table = bestLoops<float>();
    return table;
}

const RowSteps<double>& rowSteps(double)
{
    static const RowSteps<double> table = bestLoops<double>();
    return table;
}

} // namespace kernels::ntf
