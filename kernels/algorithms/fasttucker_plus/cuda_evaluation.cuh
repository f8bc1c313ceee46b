// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cuda_runtime_api.h>

#include <cstdint>

/// Evaluation by projected rows: with C^(n) = A^(n) B^(n) an entry is x̂ = Σ_r Π_n C^(n)[i_n, r], N R multiplications in place of
/// N J R. Worth it where a row has several entries (projectedElements()).
namespace kernels::fasttucker_plus::gpu {

/// Stored positions [begin, end) of one set of entries.
template <class T> struct ProjectedEvaluation {
    unsigned order = 0;
    unsigned coreRank = 0; ///< padded to 16, at most 128
    const T* projections[maxOrder] = {};
    const Index* indices[maxOrder] = {};
    const T* values = nullptr;
    std::uint64_t begin = 0, end = 0;
    double* partials = nullptr; ///< [block][2]: Σ e², Σ |e|; added to
};

/// At most; the same for all launches that add to the same sums.
unsigned evaluationBlocks();
/// Entries of one launch: some 10 ms of gathers on a large card.
Count entriesPerEvaluation(unsigned order, unsigned coreRank);

template <class T> void launchEvaluation(const ProjectedEvaluation<T>&, cudaStream_t);

} // namespace kernels::fasttucker_plus::gpu
