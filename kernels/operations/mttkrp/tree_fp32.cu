// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/tree_kernels.cuh"

namespace kernels::mttkrp::gpu {

template void launchTree(const TreeArguments<float>&, Team, unsigned, const cuda::Stream&);
template void launchCutRows(const CutRowsArguments<float>&, unsigned, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
