// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_instances.cuh"

namespace kernels::fasttucker_plus::gpu {

const TensorKernels<float>& fp32Kernels()
{
    static const TensorKernels<float> kernels = makeTensorKernels<Precision::Fp32>();
    return kernels;
}

} // namespace kernels::fasttucker_plus::gpu
