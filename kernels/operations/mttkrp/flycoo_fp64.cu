// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/flycoo_kernels.cuh"

namespace kernels::mttkrp::gpu {

template void launchFlycoo(const FlycooArguments<double>&, unsigned, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
