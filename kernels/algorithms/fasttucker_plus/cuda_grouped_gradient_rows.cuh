// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_walk.cuh"

/// The rows of a tile for a pass that only reads them, from copies in 16 bits.
namespace kernels::fasttucker_plus::gpu {

/// Compile-time shape of a gradient pass, as GroupedGeometry. Places: how many places' gradients a launch takes; the sums of all of a wide
/// shape find no place in registers.
template <Precision P, unsigned ColumnBlocks, unsigned Order, bool Uniform, unsigned Places> struct GradientGeometry {
    using Products = gpu::Products<P>;
    static constexpr unsigned columnBlocks = ColumnBlocks, order = Order, places = Places;
    static constexpr RecordShape record{Order, Uniform};
    static constexpr unsigned uniformPlaces = Uniform ? 1 : 0;
    static constexpr unsigned coreBlocks = ColumnBlocks * ColumnBlocks; ///< 16 × 16 blocks of a core
    /// Blocks a multiprocessor should hold: bounds the registers.
    static constexpr unsigned blocks = ColumnBlocks > 1 || Order > 7 ? 2 : Order > 4 ? 3 : Order > 3 ? 4 : 5;
    static constexpr bool coresInRegisters = ColumnBlocks == 1;

    // ---- shared memory: the cores as operands, where gradients are added up at the end; a warp's records and rows to come
    static constexpr unsigned recordBytes = entriesPerTile * record.quads * static_cast<unsigned>(sizeof(uint4)); ///< of a tile
    static constexpr unsigned slotBytes = recordBytes + static_cast<unsigned>(sizeof(TileHeader));
    static constexpr unsigned slots = 3; ///< tiles whose records are on their way or there
    static constexpr unsigned blockBytes = slab * 2; ///< 16 columns of a row
    /// So that eight rows that are read at once touch every bank once.
    static constexpr unsigned rowStride = ColumnBlocks * blockBytes + 16;
    static constexpr unsigned placeBytes = entriesPerTile * rowStride;
    static constexpr unsigned pageBytes = Order * placeBytes; ///< of a tile
    static constexpr unsigned rowBytes = 2 * pageBytes; ///< of this tile and the next
    static constexpr unsigned warpBytes = slots * slotBytes + rowBytes;
    static constexpr unsigned coreBytes = Order * coreBlocks * warpSize32 * static_cast<unsigned>(sizeof(uint4));
    static constexpr unsigned sumBytes = Places * coreBlocks * slab * slab * static_cast<unsigned>(sizeof(float));
    static constexpr unsigned workBytes = coreBytes + groupedThreads / warpSize32 * warpBytes;
    static constexpr unsigned sharedBytes = workBytes > sumBytes ? workBytes : sumBytes;
    static_assert(sharedBytes <= mostSharedBytes(ColumnBlocks, Order));
};

/// Four 8 × 8 matrices of 16-bit numbers from shared memory: lane l brings row l % 8 of matrix l / 8, 16 bytes. Lane (g, t) gets numbers
/// 2t and 2t + 1 of each one's row g, of its column g where they are turned.
template <bool Turned> __device__ __forceinline__ void loadMatrices(unsigned (&of)[4], unsigned at)
{
    if constexpr (Turned)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(of[0]), "=r"(of[1]), "=r"(of[2]), "=r"(of[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(of[0]), "=r"(of[1]), "=r"(of[2]), "=r"(of[3])
                     : "r"(at)
                     : "memory");
}

/// Rows lie as copyToWorking() wrote them: number p of 16 columns is column(p % 8, p / 8). So eight rows at a time are operands,
/// and turned while they are read they are those of sums over entries.
template <class G> class GradientRows {
public:
    using Products = typename G::Products;
    using Left = typename Products::Left;
    using Record = GroupedRecord<G>;

    /// ofWarp: G::rowBytes of shared memory.
    __device__ GradientRows(const GroupedArguments& arguments, unsigned char* ofWarp)
        : m_arguments(arguments)
        , m_lane(threadIdx.x % warpSize32)
    {
        const auto pages = static_cast<unsigned>(__cvta_generic_to_shared(ofWarp));
        const unsigned asked = m_lane / 2;
        m_askedRecord = kept(asked * recordBytes);
        m_askedHalf = kept(m_lane % 2 * (G::columnBlocks > 2 ? 16 : 8 / G::columnBlocks));
        m_here = pages + handedBy(m_lane) * G::rowStride + m_lane / 8 % 2 * 16;
        m_pages = kept(2 * m_here + G::pageBytes);
        m_toThere = kept(m_here + pages + G::pageBytes + asked * G::rowStride + m_lane % 2 * 16);
        m_here += G::pageBytes;
    }
    __device__ unsigned lane() const { return m_lane; }

    /// Begins to bring the rows of the tile whose records lie at slot, two lanes a row, to the page that is not read now; returns its
    /// header's bits.
    __device__ unsigned askForRows(const unsigned char* slot) const
    {
        Record record;
#pragma unroll
        for (unsigned q = 0; q < G::record.quads; ++q)
            record.of[q] = reinterpret_cast<const uint4*>(slot + m_askedRecord)[q];
        const uint2 header = *reinterpret_cast<const uint2*>(slot + G::recordBytes);
#pragma unroll
        for (unsigned p = G::uniformPlaces; p < G::order; ++p)
            askForRow(p, record.rowTimes16(p), true);
        if (G::uniformPlaces > 0 && TileHeader{0, header.y, {}}.number() == 0)
            askForRow(0, header.x * slab, m_lane < 2); // once: 16 copies of one row are as many requests for one line of L2
        return header.y;
    }
    /// The rows last asked for are read from now on.
    __device__ void turnPage() { m_here = m_pages - m_here; }

protected:
    /// Right-hand operands, [entries 0-7, 8-15][columns].
    __device__ Left rows(unsigned p, unsigned q) const { return load<false>(p, q, m_here); }
    /// Left-hand operands of sums over entries.
    __device__ Left rowsTurned(unsigned p, unsigned q) const { return load<true>(p, q, m_here); }
    /// The same of the uniform row, which stands where the first entry's would.
    __device__ Left uniformRow(unsigned q) const { return load<false>(0, q, firstEntryHere()); }
    __device__ Left uniformRowTurned(unsigned q) const { return load<true>(0, q, firstEntryHere()); }

    const GroupedArguments& m_arguments;
    unsigned m_lane;

private:
    __device__ static constexpr unsigned block(unsigned p, unsigned q) { return p * G::placeBytes + q * G::blockBytes; }
    /// Which entry's half row a lane hands to loadMatrices().
    __device__ static unsigned handedBy(unsigned lane) { return lane % 8 + lane / 16 * 8; }
    __device__ unsigned firstEntryHere() const { return m_here - handedBy(m_lane) * G::rowStride; }
    template <bool Turned> __device__ static Left load(unsigned p, unsigned q, unsigned from)
    {
        Left rows;
        loadMatrices<Turned>(rows.r, from + block(p, q));
        return rows;
    }
    /// This lane's halves of all blocks of columns; a row's number is counted in 32 bits up to 32 columns.
    __device__ void askForRow(unsigned p, unsigned rowTimes16, bool asked) const
    {
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q) {
            constexpr unsigned bytes = G::columnBlocks * sizeof(std::uint16_t); // of a position
            const auto* const rows = static_cast<const unsigned char*>(m_arguments.rows[p]);
            const auto* const from = G::columnBlocks > 2
                ? rows + std::size_t{rowTimes16} * bytes + q * G::blockBytes + m_askedHalf
                : rows + std::size_t{rowTimes16 | (q * slab / G::columnBlocks + m_askedHalf)} * bytes;
            copyIf(m_toThere - m_here + block(p, q), from, asked);
        }
    }

    static constexpr unsigned recordBytes = G::record.quads * static_cast<unsigned>(sizeof(uint4)); ///< of an entry

    unsigned m_askedRecord, m_askedHalf; ///< of the entry whose rows this lane asks for; which half, in positions, of wide rows in bytes
    unsigned m_here; ///< in the page that is read, which half row this lane hands to loadMatrices()
    unsigned m_pages; ///< the sum of what m_here may be
    unsigned m_toThere; ///< less m_here: where this lane copies to, in the other page
};

} // namespace kernels::fasttucker_plus::gpu
