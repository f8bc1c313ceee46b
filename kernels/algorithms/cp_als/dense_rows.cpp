// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/dense_rows.h"

#include "kernels/base/instruction_set.h"

namespace kernels::cp_als {

POLYAD_DECLARE_FILLS(DenseRows<float>);
POLYAD_DECLARE_FILLS(DenseRows<double>);

namespace {

template <class T> DenseRows<T> bestLoops()
{
    DenseRows<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

} // namespace

const DenseRows<float>& denseRows(float)
{
    static const DenseRows<float> table = bestLoops<float>();
    return table;
}

const DenseRows<double>& denseRows(double)
{
    static const DenseRows<double> table = bestLoops<double>();
    return table;
}

} // namespace kernels::cp_als
