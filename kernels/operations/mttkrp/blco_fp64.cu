// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/blco_kernels.cuh"

namespace kernels::mttkrp::gpu {

template void launchBlco(BlcoArguments<double>, unsigned, const cuda::Stream&);
template void launchSumOfCopies(const BlcoArguments<double>&, double*, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
