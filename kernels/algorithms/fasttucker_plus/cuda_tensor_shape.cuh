// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tensor_products.cuh"

/// What a kernel on tensor cores is compiled for, and where it keeps what in shared memory.
namespace kernels::fasttucker_plus::gpu {

constexpr unsigned tileOfEntries = 16;
static_assert(tileOfEntries == slab); // a tile of rows and a block of columns are the sides of one product

/// Compile-time shape of a kernel. Tiles: J and R of all modes in units of 16, and warps a tile; Order: of the tensor; 0:
/// known at run time only. InShared: rows and products stay in shared memory; else, where that is too small, in global memory.
/// RoundedOnce: rows of half precisions are rounded once, by the warp that brought them, and read by all warps as operands.
template <Precision P, unsigned Tiles, bool InShared, unsigned Order = 0, bool RoundedOnce = false> struct TensorGeometry {
    static_assert(!RoundedOnce || (InShared && Tiles > 0));
    using Products = gpu::Products<P>;
    using T = typename Products::T;
    static constexpr unsigned tiles = Tiles;
    static constexpr bool inShared = InShared;
    static constexpr unsigned order = Order;
    static constexpr bool roundedOnce = RoundedOnce;
    /// Threads a block at most, and blocks a multiprocessor should hold: bounds the registers so that nothing spills.
    static constexpr unsigned threads = Tiles == 0 ? 256 : Tiles <= 2 ? 128 : Tiles * warpSize32;
    static constexpr unsigned groups = Tiles ? threads / (Tiles * warpSize32) : 0; ///< of a block; 0: known at run time
    static constexpr unsigned operandBytes = sizeof(typename Products::Operand);
    static constexpr unsigned blocks(unsigned registers) { return 65536 / (threads * registers); }
    /// Whether kernels of this shape may keep a warp's part of all B in registers: every tile needs all of it, and reading it from L2
    /// again is what they wait for.
    static constexpr bool holdsOperands = RoundedOnce && Order == 3 && Tiles > 4;
    static constexpr unsigned heldRegisters = Order * Tiles * 4;
    static constexpr unsigned factorBlocks(bool holds)
    {
        return blocks(holds                   ? heldRegisters + 96
                          : sizeof(T) == 8    ? 168
                          : operandBytes >= 4 ? (Tiles == 1 ? 96 : 128)
                          : Tiles == 1        ? 80
                          : threads <= 128    ? 96
                                              : 128);
    }
    static constexpr unsigned coreBlocks(unsigned parts, bool holds)
    {
        return blocks(holds                               ? heldRegisters + 8 * parts + 48
                          : sizeof(T) == 8                ? 255
                          : parts <= 4                    ? (sizeof(T) == 4 && operandBytes == 8 ? 128 : 96)
                          : parts <= 6                    ? 128
                          : parts <= 8                    ? (operandBytes == 2 ? 128 : 168)
                          : roundedOnce && threads <= 128 ? 168
                                                          : 255);
    }
    static constexpr unsigned unrolledModes = Order ? Order : 1;
    static constexpr unsigned unrolled = Tiles == 0 ? 1 : Tiles > 4 ? Tiles / 2 : Tiles; ///< products over blocks

    __host__ __device__ static unsigned tilesOf(unsigned rank) { return Tiles ? Tiles : rank / slab; }
    __host__ __device__ static unsigned warps(unsigned atRunTime) { return Tiles ? Tiles : atRunTime; }
};

/// Tiles whose coordinates are there at a time: where rows leave shared memory's place to the next tile's before they are worked on,
/// those of the tile after that come meanwhile.
template <class G> constexpr unsigned coordinateBuffers = G::roundedOnce ? 3 : 2;

/// Byte offsets inside a group's part of shared memory; the same function serves host and device.
struct TensorLayout {
    unsigned exchange = 0, rounded = 0, partials = 0, values = 0, indices = 0, scales = 0, bytes = 0;

    template <class G>
    __host__ __device__ static TensorLayout of(unsigned order, unsigned warps, unsigned workElements, unsigned exchangeBytes)
    {
        constexpr unsigned size = sizeof(typename G::T);
        TensorLayout l;
        l.exchange = G::inShared ? workElements * size : 0;
        l.rounded = l.exchange + exchangeBytes;
        l.partials = l.rounded + (G::roundedOnce ? order * G::tiles * roundedBlock * static_cast<unsigned>(sizeof(unsigned)) : 0);
        l.values = l.partials + warps * tileOfEntries * size;
        l.indices = l.values + coordinateBuffers<G> * tileOfEntries * size;
        l.scales = l.indices + coordinateBuffers<G> * order * tileOfEntries * static_cast<unsigned>(sizeof(Index));
        l.bytes = l.scales + order * tileOfEntries * static_cast<unsigned>(sizeof(float));
        return l;
    }
    /// Fragments of two modes' products, one being read while the other is written.
    template <class G> __host__ __device__ static unsigned factorExchange(unsigned warps)
    {
        return G::tiles == 1 ? 0 : 2 * warps * warpSize32 * static_cast<unsigned>(sizeof(typename G::Products::Left));
    }
    /// A block a warp, to turn it.
    template <class G> __host__ __device__ static unsigned coreExchange(unsigned warps)
    {
        return G::Products::turnsInShared ? warps * stagedBlock * static_cast<unsigned>(sizeof(typename G::T)) : 0;
    }
};

} // namespace kernels::fasttucker_plus::gpu
