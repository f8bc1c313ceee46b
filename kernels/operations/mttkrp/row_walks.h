// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/hicoo_parts.h"
#include "kernels/formats/runs_parts.h"

#include <cstddef>
#include <cstdint>

/// The loops of MTTKRP on the CPU, one table for each instruction set (row_walks_isa.cpp). Plain data alone: what such a source
/// includes must bring no inline functions that others use.
namespace kernels::mttkrp {

/// Rows that are added up and where the sums go. A walk adds to `out` what it has whole; the first row's sum goes to `head`
/// where the row began before the walk, the last row's always to `tail`, both overwritten. All aligned, `columns` a multiple of
/// 64 bytes.
template <class T> struct RowSums {
    T* out = nullptr;
    std::size_t stride = 0;
    unsigned columns = 0; ///< of the slab that is worked on; pointers are at its first
    T* head = nullptr;
    T* tail = nullptr;
};

/// Entries in runs: positions of one block.
template <class T> struct RunsWalk {
    formats::RunsRecord record;
    const std::uint32_t* words = nullptr;
    const T* values = nullptr;
    const Index* runRows = nullptr;
    std::uint64_t positions = 0; ///< of the copy
    const T* rows[maxOrder] = {}; ///< [other], that of other 0 of the block's first row
    bool far[maxOrder] = {}; ///< rows of it come from beyond the core's caches
    std::uint64_t begin = 0, end = 0, run = 0; ///< run of the first position
};

/// Fibres of a tree from begin to end.
template <class T, class Offset> struct TreeWalk {
    unsigned order = 0;
    const Index* indices[maxOrder] = {}; ///< [level]; of the last the leaves
    const Offset* children[maxOrder] = {}; ///< [level]
    const T* values = nullptr;
    const T* rows[maxOrder] = {}; ///< [level], none of the first
    std::uint64_t begin = 0, end = 0;
    std::uint64_t nodes[maxOrder] = {}; ///< [level]: the first fibre's ancestors
};

/// The same for the rows of a level below the root: those from firstRow to endRow alone, added to out.
template <class T, class Offset> struct TargetWalk {
    TreeWalk<T, Offset> tree; ///< rows of all levels but the target
    unsigned target = 0; ///< level
    Index firstRow = 0, endRow = 0;
};

/// Entries as they come: those of rows firstRow to endRow alone, added to out.
template <class T> struct EntriesWalk {
    unsigned others = 0;
    const Index* outRows = nullptr;
    const Index* indices[maxOrder] = {}; ///< [other]
    const T* rows[maxOrder] = {};
    const float* floats = nullptr; ///< the values: one of the two
    const double* doubles = nullptr;
    std::uint64_t begin = 0, end = 0;
    Index firstRow = 0, endRow = 0;
};

/// Blocks as a mode lists them (formats/hicoo.h): so many entries from one of a block's on. Sums are added to out, which begins
/// with the first row of block firstBlock.
template <class T> struct BlocksWalk {
    unsigned order = 0;
    unsigned modes[maxOrder] = {}; ///< the one that is summed for first, then the others
    const std::uint32_t* list = nullptr;
    const std::uint32_t* begins = nullptr; ///< [block]
    const Index* blocks = nullptr; ///< [block × order + mode]
    const unsigned char* offsets[maxOrder] = {}; ///< as modes
    const T* values = nullptr;
    const T* rows[maxOrder] = {}; ///< [other]
    bool far[maxOrder] = {}; ///< [other]: rows of it come from beyond the core's caches
    std::uint64_t listed = 0, listEnd = 0, skipped = 0, entries = 0;
    Index firstBlock = 0;
};

template <class T> struct RowWalks {
    void (*runs)(const RunsWalk<T>&, const RowSums<T>&) = nullptr;
    void (*narrowTree)(const TreeWalk<T, std::uint32_t>&, const RowSums<T>&) = nullptr;
    void (*wideTree)(const TreeWalk<T, std::uint64_t>&, const RowSums<T>&) = nullptr;
    void (*narrowTarget)(const TargetWalk<T, std::uint32_t>&, const RowSums<T>&) = nullptr;
    void (*wideTarget)(const TargetWalk<T, std::uint64_t>&, const RowSums<T>&) = nullptr;
    void (*entries)(const EntriesWalk<T>&, const RowSums<T>&) = nullptr;
    void (*blocks)(const BlocksWalk<T>&, const RowSums<T>&) = nullptr;
    unsigned widestSlab = 0; ///< columns a walk takes at once
};

/// For the machine.
const RowWalks<float>& rowWalks(float);
const RowWalks<double>& rowWalks(double);

} // namespace kernels::mttkrp
