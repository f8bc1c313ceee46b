// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/tiles.cuh"

namespace kernels::mttkrp::gpu {

/// Entries as coordinates, in the order in which they were loaded: neighbours are near in the first modes at least.
template <class T> struct CooEntries {
    using Record = Index; ///< of the product's mode, which is asked for first

    const Index* indices[maxOrder]; ///< [column]
    const T* values;
    std::uint32_t entries;

    __device__ Record record(std::uint32_t entry, unsigned) const { return __ldcs(indices[0] + entry); }
    __device__ Index inBlock(Record record, std::uint32_t entry, unsigned column) const
    {
        return column == 0 ? record : __ldcs(indices[column] + entry);
    }
    __device__ bool inBlocks() const { return false; }
    __device__ Index base(unsigned, unsigned) const { return 0; }
    __device__ Count beginOf(unsigned) const { return 0; }
    __device__ unsigned blockAt(std::uint32_t) const { return 0; }
};

extern template void launchTiles(TileArguments<float>, const CooEntries<float>&, unsigned, const cuda::Stream&);
extern template void launchTiles(TileArguments<double>, const CooEntries<double>&, unsigned, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
