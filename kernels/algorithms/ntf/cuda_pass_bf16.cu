// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/cuda_pass.cuh"

namespace kernels::ntf::gpu {

void launchNarrowPass(const PassArguments<float>& a, const Team& team, const cuda::Stream& stream)
{
    launchFor(a.runs.record, team, PassLaunch<float, __nv_bfloat16>{a, Grid(a, team), stream});
}

} // namespace kernels::ntf::gpu
