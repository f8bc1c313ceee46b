// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/coo.cuh"
#include "kernels/operations/mttkrp/tile_kernels.cuh"

namespace kernels::mttkrp::gpu {

template void launchTiles(TileArguments<double>, const CooEntries<double>&, unsigned, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
