// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_kernel_set.cuh"

namespace kernels::fasttucker_plus::gpu {

template <> const std::vector<KernelSet<float>>& kernelSets<float>()
{
    static const std::vector<KernelSet<float>> sets = makeKernelSets<float>();
    return sets;
}

} // namespace kernels::fasttucker_plus::gpu
