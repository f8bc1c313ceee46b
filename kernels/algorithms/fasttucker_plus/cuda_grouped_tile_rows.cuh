// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_walk.cuh"

namespace kernels::fasttucker_plus::gpu {

/// The records and rows of a tile in one warp's registers, and how they come there. Lane (g, t) holds elements 4t … 4t+3 of
/// entries g and g+8 of every row.
template <class G> class GroupedTileRows {
public:
    using Products = typename G::Products;
    using Left = typename Products::Left;
    using Rows = typename G::Rows;
    using Record = GroupedRecord<G>;

    /// ofWarp: G::rowBytes of shared memory.
    __device__ GroupedTileRows(const GroupedArguments& arguments, unsigned char* ofWarp)
        : m_arguments(arguments)
        , m_lane(threadIdx.x % warpSize32)
        , m_g(m_lane / 4)
        , m_t(m_lane % 4)
        , m_staged(ofWarp)
        , m_taken(ofWarp + 4 * m_t * Rows::numberBytes)
    {
    }

    __device__ unsigned lane() const { return m_lane; }

    /// Begins to bring the rows of the tile whose records lie at slot, for take(): 16 bytes a lane at once, those of a row side by
    /// side. A row of all entries, a hot one, is read once.
    __device__ void askForRows(const unsigned char* slot) const
    {
        constexpr unsigned pieces = Rows::rowBytes / 16;
        const TileHeader header = headerAt(slot + G::recordBytes);
        __syncwarp(); // those before were taken by all lanes
#pragma unroll
        for (unsigned round = 0; round < slab * pieces / warpSize32; ++round) {
            const unsigned entry = m_lane / pieces + round * (warpSize32 / pieces);
            const unsigned piece = m_lane % pieces;
            const Record record(slot, entry);
#pragma unroll
            for (unsigned n = G::shared; n < G::order; ++n)
                if ((entry & ~ownRows(header, n)) == 0)
#pragma unroll
                    for (unsigned q = 0; q < G::tiles; ++q)
                        copyAsync<16, true>(staged(n, q, entry) + piece * 16,
                                            numbersAt(n, record.rowTimes16(n), q, piece * 16 / Rows::numberBytes), true);
        }
        if (G::shared > 0 && header.number() == 0 && m_lane < pieces)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
                copyAsync<16, true>(staged(0, q, 0) + m_lane * 16, numbersAt(0, header.row * slab, q, m_lane * 16 / Rows::numberBytes),
                                    true);
    }

    /// Takes records and rows that have come.
    __device__ void take(const unsigned char* slot)
    {
        m_slot = slot;
        m_header = headerAt(slot + G::recordBytes);
        m_records[0] = Record(slot, m_g);
        m_records[1] = Record(slot, m_g + 8);
#pragma unroll
        for (unsigned n = G::shared; n < G::order; ++n)
            takeRows(n, ownRows(m_header, n));
        if (opens())
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q) // in the place of the first entry's
                m_rows[0][q] = Rows::take(m_taken + q * G::blockBytes, m_taken + q * G::blockBytes);
    }
    /// The first tile of a group, which brings its uniform row, and the last.
    __device__ bool opens() const { return G::shared > 0 && m_header.number() == 0; }
    __device__ bool closes() const { return m_header.closes(); }

protected:
    /// Padding entries have row 0 and change nothing.
    __device__ bool isEntry(unsigned i) const { return m_g + 8 * i < m_header.entries(); }
    /// A row's number in a block of columns, counted in 32 bits and in so many numbers as there are blocks.
    __device__ unsigned char* numbersAt(unsigned n, unsigned rowTimes16, unsigned block, unsigned number) const
    {
        const unsigned position = rowTimes16 | (block * slab + number) / G::tiles;
        return static_cast<unsigned char*>(m_arguments.rows[n]) + std::size_t{position} * (G::tiles * Rows::numberBytes);
    }

    const GroupedArguments& m_arguments;
    unsigned m_lane, m_g, m_t;
    const unsigned char* m_slot; ///< of the records
    TileHeader m_header;
    Record m_records[2]; ///< of entries g and g+8
    Left m_rows[G::order][G::tiles];

private:
    /// All bits; none where all entries have the first one's row.
    __device__ static unsigned ownRows(const TileHeader& header, unsigned n)
    {
        return n - G::shared < readOncePlaces ? header.ownRows[n - G::shared] : ~0U;
    }

    __device__ unsigned char* staged(unsigned n, unsigned q, unsigned entry) const
    {
        return m_staged + (n * G::tiles + q) * G::blockBytes + entry * Rows::rowBytes;
    }
    /// own: all bits, or none: the first entry's row.
    __device__ void takeRows(unsigned n, unsigned own)
    {
        const unsigned low = m_g * Rows::rowBytes & own;
        const unsigned high = (m_g + 8) * Rows::rowBytes & own;
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
            m_rows[n][q] =
                Rows::take(m_taken + low + (n * G::tiles + q) * G::blockBytes, m_taken + high + (n * G::tiles + q) * G::blockBytes);
    }

    unsigned char* m_staged; ///< rows to come, [place][16 columns][entry]
    const unsigned char* m_taken; ///< this lane's columns of them
};

} // namespace kernels::fasttucker_plus::gpu
