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

/// Asks for a row that is touched soon.
template <class T> inline void fetchRow(const T* row, unsigned elements)
{
    constexpr unsigned line = 64 / sizeof(T);
    for (unsigned j = 0; j < elements; j += line)
        __builtin_prefetch(row + j, 1);
}

/// Reads entries begin to end of an order, begin at a multiple of visitingBlock, and writes their rows back, but those of one mode (the
/// order: none). As the passes with arithmetic do, it asks the order once a block and for rows some entries ahead: else it would wait where
/// those do not.
template <class T>
void touchEntries(const TileProblem<T>& problem, const VisitingOrder& order, std::uint64_t begin, std::uint64_t end, unsigned leftOut)
{
    constexpr std::uint64_t ahead = 16;
    const auto forRows = [&](std::uint64_t entry, const auto& body) {
        const std::uint32_t* const indices = problem.indices + entry * problem.order;
        for (unsigned n = 0; n < problem.order; ++n)
            if (n != leftOut)
                body(problem.factor[n] + std::size_t{indices[n]} * problem.stride[n], problem.stride[n]);
    };
    for (std::uint64_t block = begin; block < end; block += visitingBlock) {
        const std::uint64_t first = order.at(block), count = end - block < visitingBlock ? end - block : visitingBlock;
        const bool another = block + 2 * visitingBlock <= end;
        const std::uint64_t next = another ? order.at(block + visitingBlock) : 0;
        for (std::uint64_t e = 0; e < count; ++e) {
            if (e + ahead < count || another)
                forRows(e + ahead < count ? first + e + ahead : next + (e + ahead - count),
                        [](const T* row, unsigned elements) { fetchRow(row, elements); });
            [[maybe_unused]] const T value = *static_cast<const volatile T*>(&problem.values[first + e]);
            forRows(first + e, [](T* row, unsigned elements) { touchRow(row, elements); });
        }
    }
}

} // namespace kernels::fasttucker_plus
