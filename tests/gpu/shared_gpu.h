// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

#include <algorithm>
#include <vector>

namespace test {

/// GPUs that can be used.
inline std::vector<kernels::DeviceId> usableGpus()
{
    std::vector<kernels::DeviceId> ids;
    for (const kernels::DeviceInfo& info : kernels::devices())
        if (info.id.kind == kernels::DeviceKind::Cuda && info.problem.empty())
            ids.push_back(info.id);
    return ids;
}

/// The first of them as so many ranks, which NCCL would not take: what several do is tried where there is one.
inline std::vector<kernels::DeviceId> sharedGpu(std::size_t ranks) { return {ranks, usableGpus().at(0)}; }

} // namespace test
