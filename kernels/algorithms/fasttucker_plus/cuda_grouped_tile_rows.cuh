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

    /// staged: where G::rowBytes of shared memory begin, a multiple of G::blockBytes.
    __device__ GroupedTileRows(const GroupedArguments& arguments, unsigned staged)
        : m_arguments(arguments)
        , m_lane(kept(threadIdx.x % warpSize32))
        , m_g(kept(m_lane / 4))
        , m_t(kept(m_lane % 4))
        , m_number(kept(4 * m_t))
        , m_staged(kept(staged + m_lane * 16))
        , m_taken(kept(staged + m_number * Rows::numberBytes))
    {
    }

    __device__ unsigned lane() const { return m_lane; }

    /// Begins to bring the rows of the tile whose records lie at slot, for take(): 16 bytes a lane at once, those of a row side by
    /// side. A row of all entries, a hot one, is read once.
    __device__ void askForRows(unsigned slot) const
    {
        const TileHeader header = headerAt(slot + G::recordBytes);
        const unsigned first = m_lane / pieces;
        Record records[rounds];
#pragma unroll
        for (unsigned round = 0; round < rounds; ++round)
            records[round] = Record(slot, first + round * (warpSize32 / pieces));
        const unsigned number = pieces == 4 ? m_number : m_lane % pieces * (16 / Rows::numberBytes);
        __syncwarp(); // those before were taken by all lanes
#pragma unroll
        for (unsigned round = 0; round < rounds; ++round)
#pragma unroll
            for (unsigned p = G::uniformPlaces; p < G::order; ++p)
#pragma unroll
                for (unsigned q = 0; q < G::columnBlocks; ++q)
                    copyIf(m_staged + block(p, q) + round * (warpSize32 * 16), numbersAt(p, records[round].rowTimes16(p), q, number),
                           ((first + round * (warpSize32 / pieces)) & ~ownRows(header, p)) == 0);
        if constexpr (G::uniformPlaces > 0)
#pragma unroll
            for (unsigned q = 0; q < G::columnBlocks; ++q)
                copyIf(slot + G::uniformRowAt + q * Rows::rowBytes + number * Rows::numberBytes, numbersAt(0, header.row * slab, q, number),
                       m_lane < pieces && header.number() == 0);
    }

    /// Takes rows that have come; slot: where the tile's records are.
    __device__ void take(unsigned slot)
    {
        m_slot = slot;
        m_header = headerAt(slot + G::recordBytes);
        m_header.bits = alike(m_header.bits);
#pragma unroll
        for (unsigned p = G::uniformPlaces; p < G::order; ++p)
            takeRows(p, ownRows(m_header, p));
    }
    /// The last tile of a group.
    __device__ unsigned closes() const { return m_header.bits & TileHeader::closing; }

protected:
    __device__ void takeUniform(unsigned slot)
    {
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q) {
            const unsigned at = slot + G::uniformRowAt + q * Rows::rowBytes + m_number * Rows::numberBytes;
            const Left row = Rows::take(at, at);
            m_rows[0][q] = {{row.r[0], row.r[0], row.r[2], row.r[2]}};
        }
    }
    /// Padding entries, which have row 0, change nothing.
    __device__ bool isEntry(unsigned i) const { return m_g + 8 * i < m_header.entries(); }
    __device__ float value(unsigned i) const { return Record::valueAt(m_slot, m_g + 8 * i); }
    __device__ Record record(unsigned i) const { return Record(m_slot, m_g + 8 * i); }
    /// Where a row's number in a block of 16 columns is, those of all blocks lying side by side. Of up to 32 columns positions count
    /// G::columnBlocks numbers at once, so that 2^28 rows fit into 32 bits; wider rows have several blocks from one address on.
    __device__ unsigned char* numbersAt(unsigned p, unsigned rowTimes16, unsigned block, unsigned number) const
    {
        auto* const rows = static_cast<unsigned char*>(m_arguments.rows[p]);
        if constexpr (G::columnBlocks > 2)
            return rows + std::size_t{rowTimes16} * (G::columnBlocks * Rows::numberBytes) + (block * slab + number) * Rows::numberBytes;
        const unsigned position = rowTimes16 | (block * slab + number) / G::columnBlocks;
        return rows + std::size_t{position} * (G::columnBlocks * Rows::numberBytes);
    }

    const GroupedArguments& m_arguments;
    unsigned m_lane, m_g, m_t;
    unsigned m_number; ///< the first of this lane's columns
    unsigned m_slot; ///< of the records
    TileHeader m_header;
    Left m_rows[G::order][G::columnBlocks];

private:
    static constexpr unsigned pieces = Rows::rowBytes / 16; ///< of a row of 16 columns, a lane copies one
    static constexpr unsigned rounds = entriesPerTile * pieces / warpSize32;

    __device__ static constexpr unsigned block(unsigned p, unsigned q)
    {
        return ((p - G::uniformPlaces) * G::columnBlocks + q) * G::blockBytes;
    }
    /// All bits; none where all entries have the first one's row.
    __device__ static unsigned ownRows(const TileHeader& header, unsigned p)
    {
        return p - G::uniformPlaces < readOncePlaces ? header.ownRows[p - G::uniformPlaces] : ~0U;
    }
    /// own: all bits, or none: the first entry's row.
    __device__ void takeRows(unsigned p, unsigned own)
    {
        const unsigned low = m_taken | (m_g * Rows::rowBytes & own);
        const unsigned high = m_taken | ((m_g + 8) * Rows::rowBytes & own);
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
            m_rows[p][q] = Rows::take(low + block(p, q), high + block(p, q));
    }

    unsigned m_staged; ///< where this lane copies to: rows to come, [place][16 columns][entry]
    unsigned m_taken; ///< this lane's columns of the first of them
};

} // namespace kernels::fasttucker_plus::gpu
