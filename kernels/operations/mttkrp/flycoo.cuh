// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/flycoo_cuda.cuh"
#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"
#include "kernels/operations/mttkrp/row_vectors.cuh"

namespace kernels::mttkrp::gpu {

constexpr unsigned mostFlycooThreads = 256; ///< of a block

/// What the kernels of entries in FLYCOO are given.
template <class T> struct FlycooArguments {
    formats::FlycooRecord record;
    const formats::FlycooVector* from;
    const std::uint32_t* sources; ///< [position]: where its entry lies; null: there
    formats::FlycooVector* to; ///< where fetched entries are written in this mode's order
    const std::uint32_t *begins, *firstCut; ///< of partitions
    const formats::FlycooCut* cuts;
    const std::uint32_t *firstOfRow, *cutsOfRow;
    unsigned partitions, cutRows, mode, others;
    unsigned char otherModes[maxOrder];
    const T* rows[maxOrder]; ///< [other]
    unsigned parts; ///< of 16 bytes in a row
    unsigned threads, perGroup; ///< of a block; entries that a group of lanes takes at a time
    T* out;
    T* partials; ///< [cut][stride]
};

/// Blocks of most threads that a multiprocessor is to hold, by the number of other modes and the vectors of a record: without
/// any register being spilled.
constexpr unsigned flycooBlocks(unsigned others, unsigned vectors) { return vectors == 1 && others == 2 ? 3 : 2; }

/// Both kernels: a block for each partition, then rows that were cut between them are put together.
template <class T> void launchFlycoo(const FlycooArguments<T>&, unsigned lanes, const cuda::Stream&);
extern template void launchFlycoo(const FlycooArguments<float>&, unsigned, const cuda::Stream&);
extern template void launchFlycoo(const FlycooArguments<double>&, unsigned, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
