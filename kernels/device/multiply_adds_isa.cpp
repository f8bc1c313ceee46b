// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/device/multiply_adds.h"

#include "kernels/base/vectors.h"

namespace kernels::POLYAD_ISA {

constexpr unsigned chains = 12; ///< two units of a latency of four or five; with both operands no more than SSE's sixteen registers

template <class T> static T run(std::uint64_t rounds, T start)
{
    const Vector<T> by = filledWith<T>(T(0.999)), plus = filledWith<T>(start);
    Vector<T> sum[chains];
#pragma GCC unroll 12
    for (unsigned i = 0; i < chains; ++i)
        sum[i] = filledWith<T>(start * T(i + 1));
    for (; rounds > 0; --rounds)
#pragma GCC unroll 12
        for (unsigned i = 0; i < chains; ++i)
            sum[i] = sum[i] * by + plus;
#pragma GCC unroll 12
    for (unsigned i = 1; i < chains; ++i)
        sum[0] += sum[i];
    return sumOf(sum[0]);
}

template <class T> static void fillTable(MultiplyAdds<T>& table)
{
    table.operations = std::uint64_t{2} * chains * lanes<T>;
    table.run = &run<T>;
}

void fill(MultiplyAdds<float>& table) { fillTable(table); }
void fill(MultiplyAdds<double>& table) { fillTable(table); }

} // namespace kernels::POLYAD_ISA
