// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_async_copy.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_rows.cuh"

/// Which tiles of grouped entries a warp visits, and how their records come to it.
namespace kernels::fasttucker_plus::gpu {

/// How a place's rows change: by slope (d' + decay a).
struct alignas(16) PlaceSteps {
    float slope[stepLevels]; ///< by the level of a row's steps
    float decay;
    unsigned decayBits; ///< as operand
};

/// Compile-time shape: J and R of all modes in units of 16, the tensor's order, whether tiles share a row, whether rows are
/// kept in 16 bits, and whether gradients of the cores are taken while the rows to change are in registers.
template <Precision P, unsigned Tiles, unsigned Order, bool Uniform, bool Narrow, bool Gradient> struct GroupedGeometry {
    using Products = gpu::Products<P>;
    using Rows = RowBlocks<Products, Narrow>;
    static constexpr unsigned tiles = Tiles, order = Order;
    static constexpr RecordShape record{Order, Uniform};
    static constexpr bool uniform = Uniform, gradient = Gradient;
    static constexpr unsigned shared = Uniform ? 1 : 0; ///< places whose row a tile shares
    static constexpr unsigned coreBlocks = Tiles * Tiles; ///< 16 × 16 blocks of a core
    /// Blocks a multiprocessor should hold: bounds the registers. Nothing spills on sm_90 up to order 7 (32 columns: 3).
    static constexpr unsigned blocks = Tiles > 1 || Order > 4 ? 2 : Order == 4 ? 3 : Gradient ? 4 : 5;
    /// Projections and the products before each place; else they are in shared memory, each lane's apart.
    static constexpr bool inRegisters = Tiles == 1 ? Order < 8 : Order < 4;
    static constexpr unsigned keptBlocks = inRegisters ? 0 : (2 * Order - 2) * Tiles; ///< of a warp, there

    // ---- shared memory: the cores as operands, where gradients are added up at the end; a warp's rows to come, what it keeps
    static constexpr unsigned operandQuads = 2 * Order * coreBlocks * warpSize32;
    static constexpr unsigned recordBytes = slab * record.quads * static_cast<unsigned>(sizeof(uint4)); ///< of a tile
    static constexpr unsigned slotBytes = recordBytes + static_cast<unsigned>(sizeof(TileHeader));
    static constexpr unsigned slots = 3; ///< tiles whose records are on their way or there
    static constexpr unsigned blockBytes = slab * Rows::rowBytes; ///< 16 columns of a place's rows
    static constexpr unsigned rowBytes = Order * Tiles * blockBytes;
    static constexpr unsigned keptBytes = keptBlocks * warpSize32 * static_cast<unsigned>(sizeof(typename Products::Left));
    static constexpr unsigned warpBytes = slots * slotBytes + rowBytes + keptBytes;
    static constexpr unsigned operandBytes = operandQuads * static_cast<unsigned>(sizeof(uint4));
    static constexpr unsigned stepBytes = Order * static_cast<unsigned>(sizeof(PlaceSteps));
    /// No more than a block may have from compute capability 8.6 on; canGroup() knows of earlier GPUs.
    static constexpr unsigned sharedBytes = operandBytes + stepBytes + groupedThreads / warpSize32 * warpBytes;
    static_assert(sharedBytes <= 99 * 1024);
};

/// Which tiles a warp visits: groups in golden-ratio order, so that those of one hot row are spread over the pass. Warps take some
/// at a time from what is left: not all are equally fast. Those of the near half first, at the end those of the other.
class GroupedWalk {
public:
    unsigned tile = 0;

    __device__ GroupedWalk(const GroupedArguments& arguments, unsigned lane)
        : m_arguments(arguments)
        , m_lane(lane)
        , m_half(arguments.halves.ofProcessor())
    {
        askForBatch();
        advance();
        advance();
    }
    __device__ bool valid() const { return m_valid != 0; }

    __device__ void advance()
    {
        if (m_more > 0) {
            ++tile;
            --m_more;
            return;
        }
        m_valid = m_hasNext;
        tile = m_word >> groupBits;
        m_more = m_word & (tilesPerGroup - 1);
        m_hasNext = nextGroup() ? 1 : 0;
        if (m_hasNext != 0)
            m_word = __ldg(m_arguments.tiles.groups + m_group); // long before it is needed
    }

private:
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
        m_group = share.first + static_cast<unsigned>((std::uint64_t{number} * share.multiplier + share.offset) % share.count);
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
    unsigned m_valid = 0, m_hasNext = 0; ///< 0 or 1
    unsigned m_asked = 0; ///< lane 0: where the next batch begins
    unsigned m_ofBatch = 0, m_group = 0; ///< groups after the next; the next
    unsigned m_more = 0, m_word = 0; ///< tiles after this one; the next group's
};

/// Brings records and headers to shared memory, 16 bytes a lane at once: a tile's records, then its header.
template <class G> class RecordCopies {
public:
    __device__ RecordCopies(const GroupedTiles& tiles, unsigned lane)
        : m_records(tiles.records + lane)
        , m_lane(lane)
    {
        const bool header = lastRound + lane == quads;
        m_last = header ? reinterpret_cast<const uint4*>(tiles.headers) : m_records + lastRound;
        m_lastStride = header ? 1 : quads;
    }
    __device__ void ask(unsigned char* slot, unsigned tile) const
    {
        auto* const to = reinterpret_cast<uint4*>(slot) + m_lane;
#pragma unroll
        for (unsigned x = 0; x + warpSize32 <= quads; x += warpSize32)
            copyAsync<16, true>(to + x, m_records + std::size_t{tile} * quads + x, true);
        if (lastRound + m_lane <= quads)
            copyAsync<16, true>(to + lastRound, m_last + std::uint64_t{tile} * m_lastStride, true);
    }

private:
    static_assert(sizeof(TileHeader) == sizeof(uint4));
    static constexpr unsigned quads = slab * G::record.quads; ///< of a tile's records; one more is its header
    static constexpr unsigned lastRound = quads / warpSize32 * warpSize32;

    const uint4* m_records;
    const uint4* m_last; ///< of tile 0, what this lane copies in the last round
    unsigned m_lastStride, m_lane;
};

__device__ __forceinline__ TileHeader headerAt(const unsigned char* at)
{
    const uint4 words = *reinterpret_cast<const uint4*>(at);
    return {words.x, words.y, {words.z, words.w}};
}

/// What one entry's record holds.
template <class G> struct GroupedRecord {
    uint4 of[G::record.quads];

    GroupedRecord() = default;
    __device__ GroupedRecord(const unsigned char* slot, unsigned entry)
    {
#pragma unroll
        for (unsigned q = 0; q < G::record.quads; ++q)
            of[q] = reinterpret_cast<const uint4*>(slot)[entry * G::record.quads + q];
    }
    __device__ unsigned word(unsigned number) const
    {
        const uint4& quad = of[number / 4];
        return number % 4 == 0 ? quad.x : number % 4 == 1 ? quad.y : number % 4 == 2 ? quad.z : quad.w;
    }
    __device__ unsigned rowTimes16(unsigned n) const { return word(n - G::shared) & ~(stepLevels - 1); }
    __device__ unsigned level(unsigned n) const { return word(n - G::shared) & (stepLevels - 1); }
    __device__ float value() const { return __uint_as_float(word(G::record.value())); }
    /// Bit k: entry k of the tile has the same row.
    __device__ unsigned mates(unsigned n) const
    {
        const unsigned place = n - G::shared;
        return word(G::record.firstMates() + place / 2) >> place % 2 * 16 & 0xFFFF;
    }
    /// below: bits 0 … of the entries before it.
    __device__ bool isFirst(unsigned n, unsigned below) const
    {
        const unsigned place = n - G::shared;
        return (word(G::record.firstMates() + place / 2) & below << place % 2 * 16) == 0;
    }
};

} // namespace kernels::fasttucker_plus::gpu
