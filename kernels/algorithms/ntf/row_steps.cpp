// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/row_steps.h"

#include "kernels/base/instruction_set.h"

namespace kernels::ntf {

#if defined(__x86_64__)
namespace v2 {
void fill(RowSteps<float>&);
void fill(RowSteps<double>&);
} // namespace v2
namespace v3 {
void fill(RowSteps<float>&);
void fill(RowSteps<double>&);
} // namespace v3
namespace v4 {
void fill(RowSteps<float>&);
void fill(RowSteps<double>&);
} // namespace v4
#else
namespace generic {
void fill(RowSteps<float>&);
void fill(RowSteps<double>&);
} // namespace generic
#endif

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
