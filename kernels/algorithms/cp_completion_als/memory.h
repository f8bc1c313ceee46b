// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/operations/kruskal_rows/walker.h"
#include "kernels/operations/observed_rows/ridge_row.h"

#include <cstdint>

namespace kernels::cp_completion_als {

/// What renewing rows takes for a while: what tasks have for themselves, and what pieces of a giant row come to.
template <class T> std::uint64_t renewingBytes(unsigned order, unsigned columns, std::uint64_t threads, std::uint64_t pieces)
{
    const std::uint64_t room = kruskal_rows::Room<T>::bytes(order, columns);
    if (columns == 1)
        return threads * room;
    const unsigned stride = kruskal_rows::strideOf<T>(columns);
    return threads * (room + observed_rows::RidgeRow<T>::bytes(stride))
        + (pieces + 1) * observed_rows::Equations::numbers(stride) * sizeof(double);
}

/// Of a run on the CPU that keeps the entries in an order for every mode.
struct ListNeeds {
    unsigned columns = 0; ///< that are renewed together
    bool residuals = false; ///< beside the values, and columns apart from the rows, twice
};
MemoryUse estimateWithLists(const RunConfig&, const ProblemShape&, const ListNeeds&);
unsigned threadsOf(const RunConfig&);
ProblemShape shapeOf(const SolverInput&);

} // namespace kernels::cp_completion_als
