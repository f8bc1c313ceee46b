// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/cuda_pass.cuh"

namespace kernels::ntf::gpu {

template void launchPass(const PassArguments<double>&, const Team&, const cuda::Stream&);
template void judge(const JudgeArguments<double>&, const Team&, const cuda::Stream&);

} // namespace kernels::ntf::gpu
