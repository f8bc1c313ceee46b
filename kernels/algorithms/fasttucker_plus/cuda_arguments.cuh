// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tile_shape.cuh"
#include "kernels/algorithms/fasttucker_plus/visiting_order.h"

/// What the passes are told, on CUDA cores and on tensor cores alike.
namespace kernels::fasttucker_plus::gpu {

/// What kernels on tensor cores read beside Tables. Scales are powers of two and 1 but for fp16.
template <class T> struct Operands {
    const uint4* projecting[maxOrder] =
        {}; ///< B^(n), so scaled that c^(n) is, as right-hand fragments; block q J/16 + k has rows 16k, columns 16q
    const uint4* returning[maxOrder] = {}; ///< its transpose, unscaled; block q R/16 + k
    T rowScale[maxOrder] = {}; ///< rows are held times this where they are kept in fp16
    T projectionScale[maxOrder] = {}; ///< c^(n) is held times this
    T changeScale[maxOrder] = {}; ///< d^(n) comes out divided by this
    T predictionScale = 1; ///< x̂ comes out divided by this
    T residualScale = 1; ///< e enters the gradient times this
    unsigned warpsPerTile = 1;
    unsigned rowOffset[maxOrder + 1] = {}; ///< of a mode's rows in a group's work memory; last, what all take
    unsigned workElements = 0;
    T* work = nullptr; ///< [group][workElements], where shared memory is too small
};

/// Entries [begin, end) of the iteration's visiting order.
template <class T> struct FactorArguments {
    Tables<T> tables;
    Operands<T> operands;
    VisitingOrder order;
    std::uint64_t begin = 0, end = 0;
    unsigned groupsPerBlock = 1; ///< that work; the others leave (few entries in flight)
    T rates[maxOrder] = {};
    const float* rowScales[maxOrder] = {}; ///< null: 1
    T damping[maxOrder] = {}; ///< FactorPass::damping; 0: none. CUDA cores: where entries are not together
    T lambda = 0;
    bool nonnegative = false;
    bool together = false; ///< entries that share hot rows stand together: a row that a tile shares is read and changed once
    unsigned mode = 0; ///< kernels of one mode: whose rows are updated
    const T* projections[maxOrder] = {}; ///< kernels of stale projections: C^(n) as it was before
    T* changes[maxOrder] = {}; ///< deterministic mode: row v − begin gets γ s (e d + λ a), nothing is updated

    /// a += change of visiting number v, columns `column` … + 3 of a row.
    __device__ void change(unsigned n, Index row, unsigned rank, unsigned column, std::uint64_t v, const Vec4<T>& by) const
    {
        if (changes[n]) {
            store4(changes[n] + (v - begin) * rank + column, by);
            return;
        }
        T* const a = tables.factors[n] + std::size_t{row} * rank + column;
        add4(a, by);
        if (nonnegative)
            clip4(a, by);
    }
    __device__ T rate(unsigned n, Index row) const
    {
        return rowScales[n] ? rates[n] * static_cast<T>(__ldg(rowScales[n] + row)) : rates[n];
    }
};

/// 16 rows of a gradient that a core launch on tensor cores takes.
struct GradientPart {
    unsigned mode = 0, block = 0; ///< rows 16 · block …
    unsigned offset = 0; ///< in partials
};
constexpr unsigned maxGradientParts = 12;

/// Stored positions [begin, end).
template <class T> struct CoreArguments {
    Tables<T> tables;
    Operands<T> operands;
    std::uint64_t begin = 0, end = 0;
    unsigned firstMode = 0,
             modes = 0; ///< CUDA cores: whose gradient is taken by this launch; tensor cores, kernels of one mode: firstMode's
    unsigned parts = 0; ///< tensor cores: the same in parts
    GradientPart part[maxGradientParts] = {};
    const T* projections[maxOrder] = {}; ///< variant "store"; null: computed here
    T* accumulators = nullptr; ///< CUDA cores: global memory, where shared memory cannot hold them
    double* partials = nullptr; ///< [block][Σ J_n R], added to
    unsigned gradientElements = 0; ///< Σ J_n R
};

/// Stored positions [begin, end) of one set of entries.
template <class T> struct EvaluateArguments {
    Tables<T> tables;
    std::uint64_t begin = 0, end = 0;
    double* partials = nullptr; ///< [block][2]: Σ e², Σ |e|; added to
};

} // namespace kernels::fasttucker_plus::gpu
