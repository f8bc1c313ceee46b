// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/kruskal_rows/loops.h"

#include "kernels/base/instruction_set.h"

namespace kernels::kruskal_rows {

#if defined(__x86_64__)
namespace v2 {
void fill(Loops<float>&);
void fill(Loops<double>&);
} // namespace v2
namespace v3 {
void fill(Loops<float>&);
void fill(Loops<double>&);
} // namespace v3
namespace v4 {
void fill(Loops<float>&);
void fill(Loops<double>&);
} // namespace v4
#else
namespace generic {
void fill(Loops<float>&);
void fill(Loops<double>&);
} // namespace generic
#endif

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

} // namespace kernels::kruskal_rows
