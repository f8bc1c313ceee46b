// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/spttm/balanced_kernels.cuh"

namespace kernels::spttm::gpu {

template void launchBalanced(const ProductArguments<double>&, const cuda::Stream&, RunControl&);

} // namespace kernels::spttm::gpu
