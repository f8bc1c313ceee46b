// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf_cuda.cuh"
#include "kernels/formats/csf_merge.h"

/// New entries for a tree of fibres that stands on the GPU (OnCSF).
namespace kernels::formats::gpu {

/// As mergeIntoCsf of csf_merge.h, and the same bits: those that buildCsf makes of all entries at once. The new entries become a tree of
/// their own first (buildCsf, which asks for its memory); all its nodes are placed in the tree at once, then one array of the tree after
/// another is written anew beside itself. Index and offset of a node are read and written once, 16 bytes (of a level that gets no node
/// its offsets only, and nothing where no level below gets one), index and value of a leaf likewise.
/// Beside the tree are, while it moves, its largest array, what it grows by, the tree of the new entries and 8 bytes a node of that. Throws
/// as the CPU's does, Error(BadArgument) for 2^32 entries and more, too; that, Cancelled and OutOfMemory leave the tree as it was. What the
/// device refuses although it had it free leaves a tree that only fits to be thrown away. A stop is not honoured while the tree moves.
/// Of Duplicates::Error what comes twice among the new ones is told before what stands already. Returns when it stands. Entries have the
/// type of the tree's values: sums are made in fp64 and rounded to it.
template <class T> void mergeIntoCsf(DeviceCsf<T>&, const EntryColumns<T>& added, Duplicates, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
