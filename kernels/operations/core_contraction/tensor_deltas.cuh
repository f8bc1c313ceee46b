// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/core_contraction/device_contraction.cuh"

namespace kernels::core_contraction::gpu {

/// Whether tensorDeltas() can: two positions at least, no table, and what a block takes is not much.
bool onTensorCores(const Contraction<float>&);
/// As deltas(), its products in tf32, fp16 or bf16 on tensor cores, added up in fp32.
void tensorDeltas(const Contraction<float>&, Precision, Count begin, Count end, float* to, const cuda::Stream&);

} // namespace kernels::core_contraction::gpu
