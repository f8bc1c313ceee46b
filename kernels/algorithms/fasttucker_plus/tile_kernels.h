// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

/// The CPU's inner loops, compiled once per instruction set. Only raw pointers cross this border.
namespace kernels::fasttucker_plus {

constexpr unsigned tileEntries = 16; ///< entries computed together
constexpr unsigned tileModes = 16; ///< largest order
constexpr std::size_t rowAlignment = 64; ///< bytes: rows are padded with zeros to whole cache lines

template <class T> constexpr unsigned paddedColumns(unsigned columns)
{
    constexpr unsigned step = rowAlignment / sizeof(T);
    return (columns + step - 1) / step * step;
}

/// Entries and factors as the loops see them. Strides are in elements.
template <class T> struct TileProblem {
    unsigned order = 0;
    unsigned coreRank = 0;
    unsigned coreStride = 0; ///< padded R
    unsigned rank[tileModes] = {}; ///< J_n
    unsigned stride[tileModes] = {}; ///< padded J_n
    T* factor[tileModes] = {}; ///< I_n × stride
    const T* core[tileModes] = {}; ///< J_n × coreStride
    const T* coreTransposed[tileModes] = {}; ///< R × stride
    const T* projection[tileModes] = {}; ///< I_n × coreStride where C^(n) is kept, else null
    const std::uint32_t* indices = nullptr; ///< entry × order
    const T* values = nullptr;
    unsigned firstMode = 0, endMode = 0; ///< wanted ones: whose rows a pass updates, or whose gradients it takes
};

/// A factor pass as the loops see it.
template <class T> struct TileStep {
    T rate[tileModes] = {};
    const float* rowScale[tileModes] = {}; ///< null: 1
    T damping[tileModes] = {}; ///< FactorPass::damping; 0: none
    T lambda = 0;
    bool nonnegative = false;
};

/// Positions [first, first + count) of the stored entries; the rows of position `after` are wanted next.
struct TileRange {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::uint64_t after = 0;
};

template <class T> struct TileKernels {
    /// Elements of scratch memory one thread needs, aligned to rowAlignment.
    std::size_t (*workElements)(const TileProblem<T>&) = nullptr;
    /// Updates the wanted modes' rows of the entries in place; rows may be read and written by other threads meanwhile.
    void (*update)(const TileProblem<T>&, const TileStep<T>&, const TileRange&, T* work) = nullptr;
    /// The changes the same pass would make, [entry][wanted modes' padded rows], nothing updated.
    void (*changes)(const TileProblem<T>&, const TileStep<T>&, const TileRange&, T* work, T* out) = nullptr;
    /// Adds Σ e · aᵀ w of the wanted modes to gradient, [mode][stride × coreStride].
    void (*gradient)(const TileProblem<T>&, const TileRange&, T* work, T* gradient) = nullptr;
    /// Adds Σ e² and Σ |e| to sums[0] and sums[1].
    void (*errors)(const TileProblem<T>&, const TileRange&, T* work, double* sums) = nullptr;
    /// C = A B of rows [first, first + count) of one mode.
    void (*project)(const TileProblem<T>&, unsigned mode, std::uint64_t first, std::uint64_t count, T* work, T* out) = nullptr;
};

#define POLYAD_DECLARE_TILE_KERNELS(level)                                                                                                 \
    namespace level {                                                                                                                      \
    void fill(TileKernels<float>&);                                                                                                        \
    void fill(TileKernels<double>&);                                                                                                       \
    }
POLYAD_DECLARE_TILE_KERNELS(v2)
POLYAD_DECLARE_TILE_KERNELS(v3)
POLYAD_DECLARE_TILE_KERNELS(v4)
POLYAD_DECLARE_TILE_KERNELS(generic)
#undef POLYAD_DECLARE_TILE_KERNELS

} // namespace kernels::fasttucker_plus
