// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

namespace kernels {

/// Shared memory a block of threads may have; of no known device, the most there is.
inline unsigned sharedKiBOfBlock(ComputeCapability capability)
{
    constexpr unsigned most = 227;
    if (capability == ComputeCapability{})
        return most;
    if (capability < ComputeCapability{8, 0})
        return 64;
    if (capability >= ComputeCapability{12, 0})
        return 99;
    return capability >= ComputeCapability{9, 0} ? most : capability == ComputeCapability{8, 0} ? 163 : 99;
}

} // namespace kernels
