// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/dense_products.h"

#include "kernels/base/instruction_set.h"

namespace kernels {

POLYAD_DECLARE_FILLS(DenseProducts<float>);
POLYAD_DECLARE_FILLS(DenseProducts<double>);

namespace {

template <class T> DenseProducts<T> bestLoops()
{
    DenseProducts<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

} // namespace

const DenseProducts<float>& denseProducts(float)
{
    static const DenseProducts<float> table = bestLoops<float>();
    return table;
}

const DenseProducts<double>& denseProducts(double)
{
    static const DenseProducts<double> table = bestLoops<double>();
    return table;
}

} // namespace kernels
