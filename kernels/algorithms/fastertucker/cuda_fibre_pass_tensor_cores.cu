// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_fibre_pass.cuh"

namespace kernels::fastertucker::gpu {

POLYAD_FIBRE_PASS(Precision::Tf32)
POLYAD_FIBRE_PASS(Precision::Fp16)
POLYAD_FIBRE_PASS(Precision::Bf16)

} // namespace kernels::fastertucker::gpu
