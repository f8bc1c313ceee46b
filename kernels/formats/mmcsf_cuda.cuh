// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf_cuda.cuh"

namespace kernels::formats::gpu {

/// Trees of mixed modes on the GPU, those of buildMmcsf bit for bit: [mode of the leaves], some may be empty. Sorts positions once a
/// mode to find the longest fibres, then builds the trees. Throws as buildCsf does.
template <class T> std::vector<DeviceCsf<T>> buildMmcsf(const EntryColumns<T>&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
