// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

/// The CPU's inner loops, compiled once per instruction set. Only raw pointers cross this border.
namespace kernels::fastertucker {

constexpr unsigned mostModes = 16;
constexpr unsigned mostColumns = 128; ///< of a row, padding included

/// One mode at work, the projected rows C^(k) = A^(k) B^(k) of the others given. Rows are padded with zeros to whole cache lines.
template <class T> struct RowProblem {
    unsigned others = 0; ///< modes but this one
    unsigned coreStride = 0; ///< padded R
    unsigned stride = 0; ///< padded J
    unsigned rank = 0, coreRank = 0;
    const T* projections[mostModes] = {}; ///< [other mode]: I_k × coreStride
    bool far[mostModes] = {}; ///< [other mode]: too large a table for the core's own caches
    const std::uint32_t* indices[mostModes] = {}; ///< [other mode][position], of entries or of fibres
    const T* values = nullptr;
    const T* own = nullptr; ///< C of this mode
    T* rows = nullptr; ///< A of this mode: I × stride
    const T* core = nullptr; ///< J × coreStride
    const T* coreTransposed = nullptr; ///< R × stride
    const T* coreGram = nullptr; ///< BᵀB, R × coreStride
    /// First position of every row, or first leaf of every fibre, of which none is empty; then their number.
    const std::uint64_t* begins = nullptr;
    std::uint64_t positions = 0; ///< how many indices there are
    std::uint64_t leafCount = 0;
    const std::uint32_t* leaves = nullptr; ///< fibres: row of every leaf
};

/// A factor pass as the loops see it.
template <class T> struct RowStep {
    T rate = 0, lambda = 0;
    T damping = 0; ///< FactorPass::damping of this mode; 0: none
    const float* rowScales = nullptr; ///< null: 1
    std::uint64_t tile = 1; ///< so many of a row's entries see the same old row
    bool tilesOfRows = false; ///< tiles are counted from where a row begins, not from position 0
    bool nonnegative = false;
    bool reuse = false; ///< fibres: w and d once for all leaves
};

/// Positions [begin, end), the first of them in this row, the others in it or those after it.
struct RowSpan {
    std::uint64_t row = 0, begin = 0, end = 0;
};

template <class T> struct RowKernels {
    /// Updates the rows, each tile after tile.
    void (*update)(const RowProblem<T>&, const RowStep<T>&, const RowSpan&) = nullptr;
    /// Adds Σ aᵀ e w to total, stride × coreStride.
    void (*gradient)(const RowProblem<T>&, const RowSpan&, double* total) = nullptr;
    /// Adds Σ e² and Σ |e| to sums[0] and sums[1].
    void (*errors)(const RowProblem<T>&, const RowSpan&, double* sums) = nullptr;
    /// Updates the leaves' rows of fibres [begin, end) one after another.
    void (*updateFibres)(const RowProblem<T>&, const RowStep<T>&, std::uint64_t begin, std::uint64_t end) = nullptr;
    /// What update() and updateFibres() read and write, without their arithmetic: rows are written back as they are.
    void (*touch)(const RowProblem<T>&, const RowStep<T>&, const RowSpan&) = nullptr;
    void (*touchFibres)(const RowProblem<T>&, const RowStep<T>&, std::uint64_t begin, std::uint64_t end) = nullptr;
    /// own[row] = A B of rows [begin, end).
    void (*project)(const RowProblem<T>&, std::uint64_t begin, std::uint64_t end, T* own) = nullptr;
};

#define POLYAD_DECLARE_ROW_KERNELS(level)                                                                                                  \
    namespace level {                                                                                                                      \
    void fill(RowKernels<float>&);                                                                                                         \
    void fill(RowKernels<double>&);                                                                                                        \
    }
POLYAD_DECLARE_ROW_KERNELS(v2)
POLYAD_DECLARE_ROW_KERNELS(v3)
POLYAD_DECLARE_ROW_KERNELS(v4)
POLYAD_DECLARE_ROW_KERNELS(generic)
#undef POLYAD_DECLARE_ROW_KERNELS

} // namespace kernels::fastertucker
