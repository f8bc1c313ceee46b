// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstdint>

/// The loops of chains of products on the CPU, one table for each instruction set (tree_walk_isa.cpp). Plain data alone: what such a
/// source includes must bring no inline functions that others use.
namespace kernels::ttm {

/// Some leaves of a tree of fibres and everything above them. `columns` of a level are those of its mode's factor, whose rows lie
/// one after another; `sizes` of a level the product of the columns of all levels below it.
template <class T, class Offset> struct ChainWalk {
    unsigned order = 0;
    const Index* indices[maxOrder] = {}; ///< [level]; of the last the leaves
    const Offset* children[maxOrder] = {}; ///< [level]
    const T* values = nullptr;
    const T* rows[maxOrder] = {}; ///< [level]
    std::uint64_t columns[maxOrder] = {}; ///< [level]
    std::uint64_t sizes[maxOrder] = {}; ///< [level]
    std::uint64_t begin[maxOrder] = {}, end[maxOrder] = {}; ///< [level]: nodes; of the last level leaves
};

/// out + (root − firstRoot) · stride += Σ over the root's leaves of x ⊗ rows, root after root.
template <class T, class Offset> struct ChainSums {
    ChainWalk<T, Offset> walk;
    T* work[maxOrder] = {}; ///< [level]: sizes of them, of levels 1 to order − 2
    T* out = nullptr;
    std::uint64_t stride = 0, firstRoot = 0;
};

/// Entries against x̂ = core contracted with the rows on the way down, all in fp64.
template <class T, class Offset> struct JudgeWalk {
    ChainWalk<T, Offset> walk;
    const double* core = nullptr; ///< columns of level 0 × sizes of level 0
    double* work[maxOrder] = {}; ///< [level]: sizes of them, of levels 0 to order − 2
    double squared = 0, absolute = 0, products = 0; ///< out: Σ (x̂ − x)², Σ |x̂ − x|, Σ x x̂
};

template <class T> struct TreeWalks {
    void (*narrowSums)(const ChainSums<T, std::uint32_t>&) = nullptr;
    void (*wideSums)(const ChainSums<T, std::uint64_t>&) = nullptr;
    void (*narrowJudge)(JudgeWalk<T, std::uint32_t>&) = nullptr;
    void (*wideJudge)(JudgeWalk<T, std::uint64_t>&) = nullptr;
};

/// For the machine.
const TreeWalks<float>& treeWalks(float);
const TreeWalks<double>& treeWalks(double);

} // namespace kernels::ttm
