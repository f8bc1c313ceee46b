// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_arguments.cuh"

#include <vector>

namespace kernels::fasttucker_plus::gpu {

/// The passes on tensor cores for one geometry, and how much shared memory a group wants.
template <class T> struct TensorKernelSet {
    using Bytes = unsigned (*)(unsigned order, unsigned warps, unsigned workElements);

    void (*factor)(FactorArguments<T>) = nullptr;
    void (*factorOfStale)(FactorArguments<T>) = nullptr; ///< by projections that were computed before; null: none
    void (*core)(CoreArguments<T>) = nullptr;
    void (*coreOfStored)(CoreArguments<T>) = nullptr; ///< the same from projections that were computed before
    unsigned parts = 0; ///< 16-row parts of gradients a core launch takes
    bool modeByMode = false; ///< a core launch takes parts of one mode alone
    unsigned threads = 0; ///< a block at most
    unsigned tiles = 0; ///< 0: serves all ranks
    unsigned order = 0; ///< 0: serves all orders
    bool inShared = true; ///< else rows and products stay in global memory
    Bytes factorBytes = nullptr, coreBytes = nullptr;
};

template <class T> struct TensorKernels {
    std::vector<TensorKernelSet<T>> sets; ///< best first; the last one serves everything
    std::vector<TensorKernelSet<T>> setsOfOneMode; ///< the same for passes that renew one mode
    unsigned operandBytes = 0;
    bool narrowRange = false; ///< operands are scaled so that they do not leave the type's range
    /// B as right-hand fragments, times scale, and its transpose.
    void (*writeOperands)(const T* core, unsigned rank, unsigned coreRank, T scale, uint4* projecting, uint4* returning,
                          cudaStream_t) = nullptr;
};

/// One file each (cuda_tensor_*.cu), so that they compile side by side.
const TensorKernels<float>& fp32Kernels();
const TensorKernels<float>& tf32Kernels();
const TensorKernels<float>& fp16Kernels();
const TensorKernels<float>& bf16Kernels();
const TensorKernels<double>& fp64Kernels();

} // namespace kernels::fasttucker_plus::gpu
