// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_rows.cuh"

/// Which tiles of grouped entries a warp visits, and how their records come to it.
namespace kernels::fasttucker_plus::gpu {

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
    static constexpr unsigned blocks = Tiles == 1 && Order <= 3 ? 4 : Tiles == 1 && Order == 4 ? 3 : 2;
    /// Projections and the products before each place; else they are in shared memory, each lane's apart.
    static constexpr bool inRegisters = Tiles == 1 ? Order < 8 : Order < 4;
    static constexpr unsigned keptBlocks = inRegisters ? 0 : (2 * Order - 2) * Tiles; ///< of a warp, there

    // ---- shared memory: the cores as operands, where gradients are added up at the end; a warp's rows to come, what it keeps
    static constexpr unsigned operandQuads = 2 * Order * coreBlocks * warpSize32;
    static constexpr unsigned recordBytes = slab * record.quads * static_cast<unsigned>(sizeof(uint4)); ///< of a tile
    static constexpr unsigned slotBytes = recordBytes + 16; ///< and its header
    static constexpr unsigned slots = 3; ///< tiles whose records are on their way or there
    static constexpr unsigned rowBytes = Order * Tiles * Rows::bytes;
    static constexpr unsigned keptBytes = keptBlocks * warpSize32 * static_cast<unsigned>(sizeof(typename Products::Left));
    static constexpr unsigned warpBytes = slots * slotBytes + rowBytes + keptBytes;
    static constexpr unsigned operandBytes = operandQuads * static_cast<unsigned>(sizeof(uint4));
    static constexpr unsigned stepBytes = Order * static_cast<unsigned>(sizeof(StepLevels));
    /// No more than a block may have from compute capability 8.6 on; canGroup() knows of earlier GPUs.
    static constexpr unsigned sharedBytes = operandBytes + stepBytes + groupedThreads / warpSize32 * warpBytes;
    static_assert(sharedBytes <= 99 * 1024);
};

/// What is to be known of a tile: whether there is one, and is the first or last of its group.
struct TileOfWalk {
    bool exists, opens, closes;
};

/// Which tiles a warp visits: groups in golden-ratio order, so that those of one hot row are spread over the pass.
class GroupedWalk {
public:
    unsigned tile = 0;

    __device__ GroupedWalk(const GroupedArguments& arguments, unsigned warp, unsigned warps)
        : m_groups(arguments.tiles.groups)
        , m_number(arguments.begin + warp)
        , m_end(arguments.end)
        , m_warps(warps)
        , m_count(arguments.groupCount)
        , m_step(static_cast<unsigned>(std::uint64_t{warps} * arguments.multiplier % arguments.groupCount))
        , m_group(static_cast<unsigned>((std::uint64_t{m_number} * arguments.multiplier + arguments.offset) % arguments.groupCount))
    {
        if (!valid())
            return;
        const unsigned word = __ldg(m_groups + m_group);
        tile = word >> groupBits;
        m_more = word & (tilesPerGroup - 1);
        ask();
    }
    __device__ bool valid() const { return m_number < m_end; }
    __device__ TileOfWalk now() const { return {valid(), m_opens, m_more == 0}; }

    __device__ void advance()
    {
        if (!valid())
            return;
        m_opens = m_more == 0;
        if (m_more > 0) {
            ++tile;
            --m_more;
            return;
        }
        m_number += m_warps;
        tile = m_word >> groupBits;
        m_more = m_word & (tilesPerGroup - 1);
        ask();
    }

private:
    /// For the group after this one, long before it is needed.
    __device__ void ask()
    {
        m_group = m_group >= m_count - m_step ? m_group - (m_count - m_step) : m_group + m_step;
        m_word = m_number + m_warps < m_end ? __ldg(m_groups + m_group) : 0;
    }

    const unsigned* m_groups;
    unsigned m_number, m_end, m_warps, m_count, m_step, m_group;
    unsigned m_more = 0, m_word = 0;
    bool m_opens = true;
};

/// Begins to bring a tile's records and header to shared memory.
template <class G>
__device__ __forceinline__ void askForRecords(unsigned char* slot, const GroupedTiles& tiles, unsigned tile, unsigned lane)
{
    const uint4* const from = tiles.records + std::size_t{tile} * slab * G::record.quads;
#pragma unroll
    for (unsigned x = 0; x < slab * G::record.quads; x += warpSize32)
        if (x + lane < slab * G::record.quads)
            copyAsync<16, true>(slot + (x + lane) * 16, from + x + lane, true);
    if (lane == warpSize32 - 1)
        copyAsync<8, false>(slot + G::recordBytes, tiles.headers + tile, true);
}

/// The records of a lane's two entries and their tile's header.
template <class G> struct GroupedRecords {
    uint4 of[2][G::record.quads];
    TileHeader header;

    __device__ GroupedRecords(const unsigned char* slot, unsigned g)
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
#pragma unroll
            for (unsigned q = 0; q < G::record.quads; ++q)
                of[i][q] = reinterpret_cast<const uint4*>(slot)[(g + 8 * i) * G::record.quads + q];
        const uint2 words = *reinterpret_cast<const uint2*>(slot + G::recordBytes);
        header.row = words.x;
        header.bits = words.y;
    }
    __device__ unsigned word(unsigned i, unsigned number) const
    {
        const uint4& quad = of[i][number / 4];
        return number % 4 == 0 ? quad.x : number % 4 == 1 ? quad.y : number % 4 == 2 ? quad.z : quad.w;
    }
    __device__ unsigned row(unsigned n, unsigned i) const { return word(i, n - G::shared) & ((1U << rowBits) - 1); }
    __device__ unsigned level(unsigned n, unsigned i) const { return word(i, n - G::shared) >> rowBits; }
    __device__ float value(unsigned i) const { return __uint_as_float(word(i, G::record.value())); }
    /// Bit k: entry k of the tile has the same row.
    __device__ unsigned mates(unsigned n, unsigned i) const
    {
        const unsigned place = n - G::shared;
        return word(i, G::record.firstMates() + place / 2) >> place % 2 * 16 & 0xFFFF;
    }
    /// The first entry of the tile with the row of lane (g, …)'s entry, where equal ones are read once.
    __device__ unsigned first(unsigned n, unsigned i, unsigned g) const
    {
        return readsOnce(n) ? static_cast<unsigned>(__ffs(static_cast<int>(mates(n, i)))) - 1 : g + 8 * i;
    }
    __device__ bool readsOnce(unsigned n) const { return n - G::shared < mergedPlaces && header.readsOnce(n - G::shared); }
    __device__ bool merges(unsigned n) const { return n - G::shared < mergedPlaces && header.merges(n - G::shared); }
};

} // namespace kernels::fasttucker_plus::gpu
