// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/dense_products.h"

#include "kernels/base/instruction_set.h"

namespace kernels {

#if defined(__x86_64__)
namespace v2 {
void fill(DenseProducts<float>&);
void fill(DenseProducts<double>&);
} // namespace v2
namespace v3 {
void fill(DenseProducts<float>&);
void fill(DenseProducts<double>&);
} // namespace v3
namespace v4 {
void fill(DenseProducts<float>&);
void fill(DenseProducts<double>&);
} // namespace v4
#else
namespace generic {
void fill(DenseProducts<float>&);
void fill(DenseProducts<double>&);
} // namespace generic
#endif

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
