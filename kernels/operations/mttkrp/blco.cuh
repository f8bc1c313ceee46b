// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/blco_cuda.cuh"
#include "kernels/operations/mttkrp/tiles.cuh"

namespace kernels::mttkrp::gpu {

/// Neighbouring linearised entries on the device, and the blocks that they are of; as tile_kernels.cuh wants them.
template <class T> struct BlcoEntries {
    using Record = std::uint64_t;

    const std::uint64_t* words;
    const T* values;
    const Count* begins; ///< [block]: first entry, counted from the tensor's first
    const Index* bases; ///< [block][mode]
    Count first; ///< entry
    std::uint32_t entries, blocks;
    unsigned order;
    bool based; ///< indices have bits in their block's base
    unsigned char shift[maxOrder], width[maxOrder]; ///< [column]: of its indices in words

    __device__ Record record(std::uint32_t entry, unsigned) const { return __ldcs(words + entry); }
    __device__ Index inBlock(Record word, std::uint32_t, unsigned column) const
    {
        return static_cast<Index>(word >> shift[column] & ((std::uint64_t{1} << width[column]) - 1));
    }
    __device__ bool inBlocks() const { return based; }
    __device__ Index base(unsigned block, unsigned mode) const { return bases[std::size_t{block} * order + mode]; }
    __device__ Count beginOf(unsigned block) const { return begins[block] - first; }
    /// Of the block that an entry is in; the last one of what is past them.
    __device__ unsigned blockAt(std::uint32_t entry) const
    {
        unsigned low = 0, high = blocks - 1;
        while (low < high) {
            const unsigned middle = low + (high - low + 1) / 2;
            if (begins[middle] <= first + entry)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }
};

extern template void launchTiles(TileArguments<float>, const BlcoEntries<float>&, unsigned, const cuda::Stream&);
extern template void launchTiles(TileArguments<double>, const BlcoEntries<double>&, unsigned, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
