// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"

/// The CPU's loops over groups of entries that share the row of one mode, compiled once per instruction set.
namespace kernels::fasttucker_plus {

/// Groups in the order of storing: group g has the entries [begins[g], begins[g + 1]).
struct GroupRange {
    const std::uint64_t* begins = nullptr;
    std::uint64_t count = 0;
    unsigned shared = 0; ///< mode whose row a group's entries share; the order: none
    bool pairs = false; ///< order 3, shared: two rows at a time, see group_kernels_isa.cpp
};

template <class T> struct GroupKernels {
    /// Elements of scratch memory one thread needs, aligned to rowAlignment.
    std::size_t (*workElements)(const TileProblem<T>&, unsigned shared, bool pairs) = nullptr;
    /// Updates the rows of all modes, that of the shared one once a group; other threads may read and write them meanwhile.
    /// Adds Σ e · aᵀ w of all modes, of rows just before they change, to gradient, [mode][stride × coreStride]; null: not wanted.
    void (*update)(const TileProblem<T>&, const TileStep<T>&, const GroupRange&, T* work, T* gradient) = nullptr;
};

#define POLYAD_DECLARE_GROUP_KERNELS(level)                                                                                                \
    namespace level {                                                                                                                      \
    void fill(GroupKernels<float>&);                                                                                                       \
    void fill(GroupKernels<double>&);                                                                                                      \
    }
POLYAD_DECLARE_GROUP_KERNELS(v2)
POLYAD_DECLARE_GROUP_KERNELS(v3)
POLYAD_DECLARE_GROUP_KERNELS(v4)
POLYAD_DECLARE_GROUP_KERNELS(generic)
#undef POLYAD_DECLARE_GROUP_KERNELS

} // namespace kernels::fasttucker_plus
