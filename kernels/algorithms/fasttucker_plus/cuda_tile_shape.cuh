// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_vectors.cuh"
#include "kernels/base/types.h"

#include <cstddef>
#include <cstdint>

/// What passes on CUDA cores are compiled for and read, where a tile keeps what in shared memory, and which threads own it.
namespace kernels::fasttucker_plus::gpu {

constexpr unsigned slab = 16;
constexpr unsigned blockThreads = 256;

/// Compile-time shape of a kernel. Tiles: J and R of all modes in units of 16; 0: known at run time only.
template <class Number, unsigned Tiles, unsigned EntriesPerLane, unsigned WarpsPerTile> struct Geometry {
    using T = Number;
    static constexpr unsigned tiles = Tiles;
    static constexpr unsigned entriesPerLane = EntriesPerLane;
    static constexpr unsigned warpsPerTile = WarpsPerTile;
    static constexpr unsigned entries = 8 * EntriesPerLane;
    static constexpr unsigned groupThreads = warpSize32 * WarpsPerTile;
    static constexpr unsigned groupsPerBlock = blockThreads / groupThreads;
    /// B of all modes in shared memory; else it is read through L1.
    static constexpr bool coresInShared = Tiles == 1 || Tiles == 2;
    static constexpr unsigned padding = 16 / sizeof(T); ///< of staged rows: keeps 8 rows in different banks

    __host__ __device__ static unsigned rank(unsigned runtimeRank) { return Tiles ? Tiles * slab : runtimeRank; }
};

/// What every pass reads. Rows of A^(n) are rank[n] long, B^(n) is rank[n] × coreRank, its transpose apart.
template <class T> struct Tables {
    unsigned order = 0;
    unsigned coreRank = 0;
    unsigned widest = 0; ///< largest of all ranks and coreRank
    unsigned rank[maxOrder] = {};
    T* factors[maxOrder] = {};
    const T* cores[maxOrder] = {};
    const T* coresTransposed[maxOrder] = {};
    const Index* indices[maxOrder] = {};
    const T* values = nullptr;
};

/// Byte offsets inside a block's dynamic shared memory; the same function serves host and device.
struct SharedLayout {
    unsigned groupBytes = 0, coreBytes = 0;
    unsigned staging = 0, secondStaging = 0, projections = 0, accumulators = 0, partials = 0, values = 0, indices = 0; // inside a group

    template <class G>
    __host__ __device__ static SharedLayout of(unsigned order, unsigned widest, unsigned coreRank, unsigned coreElements, bool twoStagings,
                                               unsigned accumulatorElements)
    {
        constexpr unsigned size = sizeof(typename G::T);
        SharedLayout s;
        s.coreBytes = G::coresInShared ? 2 * coreElements * size : 0;
        const unsigned stagingBytes = G::entries * (widest + G::padding) * size;
        s.staging = 0;
        s.secondStaging = stagingBytes;
        s.projections = stagingBytes * (twoStagings ? 2 : 1);
        s.accumulators = s.projections + order * G::entries * coreRank * size;
        s.partials = s.accumulators + accumulatorElements * size;
        s.values = s.partials + G::warpsPerTile * G::entries * size;
        s.indices = s.values + G::entries * size;
        s.groupBytes = s.indices + order * G::entries * static_cast<unsigned>(sizeof(Index));
        return s;
    }
    template <class G> __host__ __device__ unsigned blockBytes() const { return coreBytes + G::groupsPerBlock * groupBytes; }
};

/// The threads that own a tile.
template <class G> struct ThreadGroup {
    unsigned number = threadIdx.x / G::groupThreads; ///< inside the block
    unsigned thread = threadIdx.x % G::groupThreads;
    unsigned warp = thread / warpSize32;
    unsigned g = thread % warpSize32 / 4;
    unsigned t = thread % 4;

    /// Half a warp may have had one block of a gradient more than the other: a warp meets before its barrier.
    __device__ void sync() const
    {
        __syncwarp();
        if constexpr (G::groupsPerBlock == 1)
            __syncthreads();
        else if constexpr (G::warpsPerTile > 1)
            asm volatile("bar.sync %0, %1;" ::"r"(number + 1), "n"(G::groupThreads) : "memory");
    }
};

/// The tiles of entries [begin, end), dealt to all groups of the grid in turn, where all groups of a block meet after them.
/// Those of a block take equally many, the last ones perhaps without entries, and so have met equally often at their own
/// barriers by then. Right without, but racecheck of CUDA 13.0 loses count and calls accesses apart by __syncthreads a hazard.
template <class G> struct TilesOfBlock {
    std::uint64_t begin, end, step; ///< of the block's first group

    __device__ TilesOfBlock(std::uint64_t first, std::uint64_t last)
        : begin(first + std::uint64_t{blockIdx.x} * G::groupsPerBlock * G::entries)
        , end(last)
        , step(std::uint64_t{gridDim.x} * G::groupsPerBlock * G::entries)
    {
    }
    /// Where a group's tile begins when that of the first group begins at v.
    __device__ std::uint64_t of(const ThreadGroup<G>& group, std::uint64_t v) const { return v + group.number * G::entries; }
    /// Entries of the tile that begins at v.
    __device__ unsigned count(std::uint64_t v) const
    {
        return v >= end ? 0 : end - v < G::entries ? static_cast<unsigned>(end - v) : G::entries;
    }
};

} // namespace kernels::fasttucker_plus::gpu
