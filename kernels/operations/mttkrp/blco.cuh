// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/blco_cuda.cuh"
#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"
#include "kernels/operations/mttkrp/row_vectors.cuh"

namespace kernels::mttkrp::gpu {

/// Neighbouring entries on the device, and the blocks that they are of.
template <class T> struct BlcoStretch {
    const std::uint64_t* words;
    const T* values;
    const Count* begins; ///< [block]: first entry, counted from the tensor's first
    const Index* bases; ///< [block][mode]
    Count first; ///< entry
    std::uint32_t entries, blocks;
};

/// What the kernels of linearised entries are given.
template <class T> struct BlcoArguments {
    BlcoStretch<T> from;
    unsigned perTile; ///< entries that a block of threads takes, a power of two
    unsigned order, others;
    bool based; ///< indices have bits in their block's base
    unsigned char modes[maxOrder]; ///< [column]: the product's, then the others
    unsigned char shift[maxOrder], width[maxOrder]; ///< [column]: of its indices in words
    const T* rows[maxOrder]; ///< [other]
    unsigned parts; ///< of 16 bytes in a row
    T* out; ///< so many copies of the product, dealt out to the blocks
    unsigned copies;
    Index outRows;
};

/// Adds a stretch's share of the product to out.
template <class T> void launchBlco(BlcoArguments<T>, unsigned multiprocessors, const cuda::Stream&);
extern template void launchBlco(BlcoArguments<float>, unsigned, const cuda::Stream&);
extern template void launchBlco(BlcoArguments<double>, unsigned, const cuda::Stream&);

/// product = the sum of a.out's copies.
template <class T> void launchSumOfCopies(const BlcoArguments<T>& a, T* product, const cuda::Stream&);
extern template void launchSumOfCopies(const BlcoArguments<float>&, float*, const cuda::Stream&);
extern template void launchSumOfCopies(const BlcoArguments<double>&, double*, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
