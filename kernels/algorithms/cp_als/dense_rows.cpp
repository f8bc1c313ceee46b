// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/dense_rows.h"

#include "kernels/base/instruction_set.h"

namespace kernels::cp_als {

#if defined(__x86_64__)
namespace v2 {
void fill(DenseRows<float>&);
void fill(DenseRows<double>&);
} // namespace v2
namespace v3 {
void fill(DenseRows<float>&);
void fill(DenseRows<double>&);
} // namespace v3
namespace v4 {
void fill(DenseRows<float>&);
void fill(DenseRows<double>&);
} // namespace v4
#else
namespace generic {
void fill(DenseRows<float>&);
void fill(DenseRows<double>&);
} // namespace generic
#endif

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
