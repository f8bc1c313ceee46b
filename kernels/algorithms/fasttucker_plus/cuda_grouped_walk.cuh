// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
/// kept in 16 bits, and what is done: rows updated, gradients of the cores taken, or both while the rows are in registers.
template <Precision P, unsigned Tiles, unsigned Order, bool Uniform, bool Narrow, bool Update, bool Gradient> struct GroupedGeometry {
    using Products = gpu::Products<P>;
    using Rows = RowBlocks<Products, Narrow>;
    static constexpr unsigned tiles = Tiles, order = Order;
    static constexpr RecordShape record{Order, Uniform};
    static constexpr bool uniform = Uniform, update = Update, gradient = Gradient;
    static constexpr unsigned shared = Uniform ? 1 : 0; ///< places whose row a tile shares
    static constexpr unsigned coreBlocks = Tiles * Tiles; ///< 16 × 16 blocks of a core
    /// Blocks a multiprocessor should hold: bounds the registers. Nothing spills on sm_90 up to order 7 (32 columns: 3).
    static constexpr unsigned blocks = Tiles > 1 || Order > 4 ? 2 : Order == 4 ? 3 : Update&& Gradient ? 4 : 5;
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

/// Which share of the groups a block visits, and as which of those who do.
struct GroupedSeat {
    GroupedShare share;
    unsigned number;

    /// By one thread. There are as many seats as blocks: who finds none where it is near has one in the other share.
    __device__ explicit GroupedSeat(const GroupedArguments& arguments)
    {
        unsigned half = arguments.halves.ofProcessor();
        number = atomicAdd(arguments.seatsTaken + half, 1U);
        if (number >= arguments.shares[half].seats) {
            half = 1 - half;
            number = atomicAdd(arguments.seatsTaken + half, 1U);
        }
        share = arguments.shares[half];
    }
};

/// Which tiles a warp visits: groups in golden-ratio order, so that those of one hot row are spread over the pass.
class GroupedWalk {
public:
    unsigned tile = 0;

    /// seat: in shared memory; warp: of the block's.
    __device__ GroupedWalk(const GroupedArguments& arguments, const GroupedSeat& seat, unsigned warp)
        : m_arguments(arguments)
        , m_seat(seat)
    {
        const GroupedShare& share = seat.share;
        const unsigned warps = share.seats * warpsPerBlock;
        const unsigned number = share.begin + seat.number * warpsPerBlock + warp;
        if (number >= share.end)
            return;
        m_left = (share.end - number - 1) / warps + 1;
        m_step = static_cast<unsigned>(std::uint64_t{warps} * share.multiplier % share.count);
        m_group = share.first + static_cast<unsigned>((std::uint64_t{number} * share.multiplier + share.offset) % share.count);
        open(__ldg(m_arguments.tiles.groups + m_group));
    }
    __device__ bool valid() const { return m_left > 0; }

    __device__ void advance()
    {
        if (m_more > 0) {
            ++tile;
            --m_more;
        } else if (--m_left > 0)
            open(m_word);
    }

private:
    /// Begins with a group and asks for the one after it, long before that is needed.
    __device__ void open(unsigned word)
    {
        tile = word >> groupBits;
        m_more = word & (tilesPerGroup - 1);
        m_group += m_step;
        if (m_group >= m_seat.share.first + m_seat.share.count)
            m_group -= m_seat.share.count;
        m_word = __ldg(m_arguments.tiles.groups + m_group);
    }

    static constexpr unsigned warpsPerBlock = groupedThreads / warpSize32;

    const GroupedArguments& m_arguments;
    const GroupedSeat& m_seat;
    unsigned m_left = 0; ///< groups
    unsigned m_step = 0, m_group = 0; ///< between groups, of the next
    unsigned m_more = 0, m_word = 0;
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
