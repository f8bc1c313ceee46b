// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/hicoo_cuda.cuh"
#include "kernels/operations/mttkrp/tiles.cuh"

namespace kernels::mttkrp::gpu {

/// Entries of HiCOO on the device, as tile_kernels.cuh wants them.
template <class T> struct HicooEntries {
    using Record = std::uint64_t; ///< a byte for each of the first columns
    static constexpr unsigned recorded = sizeof(Record);

    const unsigned char* offsets[maxOrder]; ///< [column][entry]
    const T* values;
    const formats::HicooPosition* begins; ///< [block]
    const Index* blocks; ///< [block][mode]
    const formats::HicooPosition* stretches; ///< [entry / tileStretch]: its block; then the last one
    std::uint32_t entries;
    unsigned order;

    __device__ Record record(std::uint32_t entry, unsigned columns) const
    {
        Record record = 0;
#pragma unroll
        for (unsigned k = 0; k < recorded; ++k)
            if (k < columns)
                record |= Record{__ldcs(offsets[k] + entry)} << 8 * k;
        return record;
    }
    __device__ Index inBlock(Record record, std::uint32_t entry, unsigned column) const
    {
        return column < recorded ? static_cast<Index>(record >> 8 * column & 0xFF) : offsets[column][entry];
    }
    __device__ bool inBlocks() const { return true; }
    __device__ Index base(unsigned block, unsigned mode) const
    {
        return blocks[std::size_t{block} * order + mode] << formats::hicooBlockBits;
    }
    __device__ Count beginOf(unsigned block) const { return begins[block]; }
    /// Of an entry where a stretch begins; the last one of what is past them.
    __device__ unsigned blockAt(std::uint32_t entry) const { return stretches[(entry + tileStretch - 1) / tileStretch]; }
};

extern template void launchTiles(TileArguments<float>, const HicooEntries<float>&, unsigned, const cuda::Stream&);
extern template void launchTiles(TileArguments<double>, const HicooEntries<double>&, unsigned, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
