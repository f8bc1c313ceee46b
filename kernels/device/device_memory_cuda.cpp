// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/device_memory.cuh"

#include "kernels/base/error.h"
#include "kernels/device/check.cuh"

namespace kernels::cuda {

std::uint64_t freeBytes()
{
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

void requireFree(std::uint64_t bytes, const std::string& hint)
{
    const std::uint64_t free = freeBytes();
    if (bytes > free)
        throw OutOfMemory(currentDeviceName(), bytes, free, hint);
}

} // namespace kernels::cuda
