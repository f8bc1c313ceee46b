// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_instances.cuh"

namespace kernels::fasttucker_plus::gpu {

const TensorKernels<double>& fp64Kernels()
{
    static const TensorKernels<double> kernels = makeTensorKernels<Precision::Fp64>();
    return kernels;
}

} // namespace kernels::fasttucker_plus::gpu
