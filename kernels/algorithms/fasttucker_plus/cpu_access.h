// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/algorithms/fasttucker_plus/visiting_order.h"

#include <cstddef>

/// What a factor pass reads and writes, without its arithmetic.
namespace kernels::fasttucker_plus {

/// Threads meet here as they do in a factor pass, each with what the row has held all along.
template <class T> __attribute__((no_sanitize("thread"))) inline void touchRow(T* row, unsigned elements)
{
    typedef T Part __attribute__((vector_size(16), may_alias));
    for (unsigned j = 0; j < elements; j += 16 / sizeof(T)) {
        Part* const at = reinterpret_cast<Part*>(row + j);
        const Part held = *at;
        asm volatile("" : : "r"(at) : "memory"); // else the compiler knows that nothing changes
        *at = held;
    }
}

/// Reads entries begin to end of an order and writes their rows back, but those of one mode (the order: none).
template <class T>
void touchEntries(const TileProblem<T>& problem, const VisitingOrder& order, std::uint64_t begin, std::uint64_t end, unsigned leftOut)
{
    for (std::uint64_t v = begin; v < end; ++v) {
        const std::uint64_t entry = order.at(v);
        [[maybe_unused]] const T value = *static_cast<const volatile T*>(&problem.values[entry]);
        const std::uint32_t* const indices = problem.indices + entry * problem.order;
        for (unsigned n = 0; n < problem.order; ++n)
            if (n != leftOut)
                touchRow(problem.factor[n] + std::size_t{indices[n]} * problem.stride[n], problem.stride[n]);
    }
}

} // namespace kernels::fasttucker_plus
