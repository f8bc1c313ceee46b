// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_rows.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_warp.cuh"

/// Which tiles of grouped entries a warp visits, and how their records come to it.
namespace kernels::fasttucker_plus::gpu {

/// What a block may have where canGroup() lets one run.
constexpr unsigned mostSharedBytes(unsigned columnBlocks, unsigned order) { return sharedKiBOfShape(columnBlocks * slab, order) * 1024; }

/// Whether such a kernel ever runs on what is compiled for: else it needs no code.
template <class G> __device__ constexpr bool runsHere()
{
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 800 || (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1200)
    return updatesTakeGradient(G::columnBlocks * slab, G::order);
#else
    return true;
#endif
}

/// What a pass does with a tile's rows: changes them; takes gradients of the cores meanwhile; damps their steps, where gradients have to be
/// apart, being of e w as it is; or reads them and adds 0 wherever it would add.
enum class TileWork { Update, Both, Damped, Touch };

/// Compile-time shape: J and R of all modes in units of 16, the tensor's order, whether tiles share a row, whether rows are
/// kept in 16 bits, and what is done with them.
template <Precision P, unsigned ColumnBlocks, unsigned Order, bool Uniform, bool Narrow, TileWork Work> struct GroupedGeometry {
    using Products = gpu::Products<P>;
    using Rows = RowBlocks<Products, Narrow>;
    static constexpr unsigned columnBlocks = ColumnBlocks, order = Order;
    static constexpr RecordShape record{Order, Uniform};
    static constexpr bool uniform = Uniform;
    static constexpr bool gradient = Work == TileWork::Both, damped = Work == TileWork::Damped, touches = Work == TileWork::Touch;
    static constexpr unsigned uniformPlaces = Uniform ? 1 : 0; ///< the first, whose row a tile shares, or none
    static constexpr unsigned coreBlocks = ColumnBlocks * ColumnBlocks; ///< 16 × 16 blocks of a core
    /// Blocks a multiprocessor should hold: bounds the registers. On sm_90 nothing spills but a few bytes in bf16 (orders 3 and 6) and at
    /// 32 columns of order 3, where a third block gains more than they cost.
    static constexpr unsigned blocks = ColumnBlocks > 1 ? (ColumnBlocks == 2 && Order == 3 ? 3 : 2)
        : Order > 6                                     ? 2
        : Order > 4                                     ? 3
        : Order == 4 || (gradient && !Uniform)          ? 4
                                                        : 5;
    /// Projections and the products before each place; else they are in shared memory, each lane's apart.
    static constexpr bool inRegisters = ColumnBlocks == 1 ? Order < 8 : Order < 4;
    static constexpr unsigned keptBlocks = inRegisters ? 0 : (2 * Order - 2) * ColumnBlocks; ///< of a warp, there

    // ---- shared memory: the cores as operands, where gradients are added up at the end; a warp's rows to come, what it keeps
    static constexpr unsigned operandQuads = 2 * Order * coreBlocks * warpSize32;
    static constexpr unsigned recordBytes = entriesPerTile * record.quads * static_cast<unsigned>(sizeof(uint4)); ///< of a tile
    static constexpr unsigned uniformRowAt = recordBytes + static_cast<unsigned>(sizeof(TileHeader)); ///< with a group's first tile
    static constexpr unsigned slotBytes = uniformRowAt + uniformPlaces * ColumnBlocks * Rows::rowBytes;
    static constexpr unsigned slots = 3; ///< tiles whose records are on their way or there
    static constexpr unsigned blockBytes = entriesPerTile * Rows::rowBytes; ///< 16 columns of a place's rows
    static constexpr unsigned rowBytes = (Order - uniformPlaces) * ColumnBlocks * blockBytes;
    /// The gradient of the uniform place, which is added to once a group.
    static constexpr unsigned uniformGradientBytes = gradient ? uniformPlaces * coreBlocks * slab * slab * 4 : 0;
    static constexpr unsigned keptBytes = keptBlocks * warpSize32 * static_cast<unsigned>(sizeof(typename Products::Left));
    static constexpr unsigned warpBytes = rowBytes + keptBytes + uniformGradientBytes + slots * slotBytes;
    static constexpr unsigned operandBytes = operandQuads * static_cast<unsigned>(sizeof(uint4));
    static constexpr unsigned sharedBytes = operandBytes + groupedThreads / warpSize32 * warpBytes;
    static_assert(sharedBytes <= mostSharedBytes(ColumnBlocks, Order));
    static_assert(operandBytes % blockBytes == 0 && rowBytes % blockBytes == 0); // so that a warp's rows begin at multiples of it
    static_assert(Order * coreBlocks * slab * slab * 4 <= operandBytes); // keepGradients() has the sums there
};

/// Which tiles a warp visits: groups in golden-ratio order, so that those of one hot row are spread over the pass. Warps take some
/// at a time from what is left: not all are equally fast. Those of the near half first, at the end those of the other.
class GroupedWalk {
public:
    unsigned tile = ~0U - 1; ///< none's, so that the first group comes next

    __device__ GroupedWalk(const GroupedArguments& arguments, unsigned lane)
        : m_arguments(arguments)
        , m_lane(lane)
        , m_half(arguments.halves.ofProcessor())
    {
        askForBatch();
        m_nextWord = nextGroup() ? __ldg(m_arguments.tiles.groups + m_group) : none;
        advance();
    }
    __device__ bool valid() const { return tile != none; }

    __device__ void advance()
    {
        if (++tile != m_endTile) [[likely]]
            return;
        tile = none;
        if (m_nextWord == none)
            return;
        tile = m_nextWord >> groupBits;
        m_endTile = tile + 1 + (m_nextWord & ((1U << groupBits) - 1));
        m_nextWord = nextGroup() ? __ldg(m_arguments.tiles.groups + m_group) : none; // long before it is needed
    }

private:
    static constexpr unsigned none = ~0U;
    static constexpr unsigned batch = 4; ///< groups

    __device__ bool nextGroup()
    {
        const GroupedShare& share = m_arguments.shares[m_half];
        if (m_ofBatch == 0)
            return nextBatch();
        if (--m_ofBatch == 0)
            askForBatch(); // a group before it is needed
        m_group += share.multiplier;
        if (m_group >= share.first + share.count)
            m_group -= share.count;
        return true;
    }
    __device__ bool nextBatch()
    {
        unsigned number = __shfl_sync(~0U, m_asked, 0);
        if (number >= m_arguments.shares[m_half].end && m_away == 0) {
            m_half = 1 - m_half;
            m_away = 1;
            askForBatch();
            number = __shfl_sync(~0U, m_asked, 0);
        }
        const GroupedShare& share = m_arguments.shares[m_half];
        if (number >= share.end)
            return false;
        m_ofBatch = min(batch, share.end - number) - 1;
        if (m_ofBatch == 0)
            askForBatch();
        m_group = share.first + share.at(number);
        return true;
    }
    /// Its first visiting number comes to lane 0.
    __device__ void askForBatch()
    {
        if (m_lane == 0)
            m_asked = m_arguments.shares[m_half].begin + atomicAdd(m_arguments.groupsTaken + m_half, batch);
    }

    const GroupedArguments& m_arguments;
    unsigned m_lane, m_half;
    unsigned m_away = 0; ///< 1: all groups of the near half are taken
    unsigned m_asked = 0; ///< lane 0: where the next batch begins
    unsigned m_ofBatch = 0, m_group = 0; ///< groups after the next; the next
    unsigned m_endTile = none, m_nextWord = none; ///< after the group's last tile; the next group's
};

/// Begins to bring a tile's records and its header to shared memory, 16 bytes a lane at once, where there is one.
template <class G>
__device__ __forceinline__ void askForRecords(const GroupedTiles& tiles, unsigned slot, const GroupedWalk& walk, unsigned lane)
{
    constexpr unsigned quads = G::record.ofTile();
#pragma unroll
    for (unsigned x = 0; x < quads; x += warpSize32)
        copyIf(slot + (x + lane) * static_cast<unsigned>(sizeof(uint4)),
               reinterpret_cast<const unsigned char*>(tiles.records)
                   + std::uint64_t{walk.tile} * (quads * static_cast<unsigned>(sizeof(uint4))) + (x + lane) * sizeof(uint4),
               x + lane < quads && walk.valid());
}

__device__ __forceinline__ TileHeader headerAt(unsigned at)
{
    const uint4 words = sharedAt<uint4>(at);
    return {words.x, words.y, {words.z, words.w}};
}

/// What one entry's record holds.
template <class G> struct GroupedRecord {
    uint4 of[G::record.quads];

    GroupedRecord() = default;
    __device__ GroupedRecord(unsigned slot, unsigned entry)
    {
#pragma unroll
        for (unsigned q = 0; q < G::record.quads; ++q)
            of[q] = sharedAt<uint4>(slot + (entry * G::record.quads + q) * static_cast<unsigned>(sizeof(uint4)));
    }
    __device__ static float valueAt(unsigned slot, unsigned entry)
    {
        return sharedAt<float>(slot + (entry * G::record.quads * 4 + G::record.value()) * 4);
    }
    __device__ unsigned word(unsigned number) const
    {
        const uint4& quad = of[number / 4];
        return number % 4 == 0 ? quad.x : number % 4 == 1 ? quad.y : number % 4 == 2 ? quad.z : quad.w;
    }
    __device__ unsigned rowTimes16(unsigned p) const { return word(p - G::uniformPlaces) & ~(stepLevels - 1); }
    __device__ unsigned rowAndLevel(unsigned p) const { return word(p - G::uniformPlaces); }
    /// The word that tells which entries of the tile have the same row, and the lowest bit of it that does (mateBit()).
    __device__ unsigned mates(unsigned p) const { return word(G::record.firstMates() + (p - G::uniformPlaces) / 2); }
    __device__ static constexpr unsigned firstMate(unsigned p) { return mateBit(p - G::uniformPlaces, 0); }
};

} // namespace kernels::fasttucker_plus::gpu
