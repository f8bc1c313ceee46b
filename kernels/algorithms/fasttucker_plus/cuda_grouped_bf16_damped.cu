// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_instances.cuh"

namespace kernels::fasttucker_plus::gpu {

GroupedKernels groupedKernelsBf16Damped(const GroupedShape& shape) { return makeGroupedKernels<Precision::Bf16, Updates::Damped>(shape); }

} // namespace kernels::fasttucker_plus::gpu
