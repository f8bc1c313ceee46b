// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_fibre_pass.cuh"

namespace kernels::fastertucker::gpu {

POLYAD_FIBRE_PASS(Precision::Fp32)
POLYAD_FIBRE_PASS(Precision::Fp64)

} // namespace kernels::fastertucker::gpu
