// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace kernels::cuda {

/// "GPU 0 (NVIDIA H200)" of the current device.
std::string currentDeviceName();

/// Throws Error(Device) with call, file, line and device. After a sticky error the device is of no use to
/// this process any more, and the message says so.
[[noreturn]] void fail(cudaError_t, const char* call, const char* file, int line);

} // namespace kernels::cuda

#define CUDA_CHECK(call)                                                                                                                   \
    do {                                                                                                                                   \
        const cudaError_t cudaCheckStatus = (call);                                                                                        \
        if (cudaCheckStatus != cudaSuccess)                                                                                                \
            ::kernels::cuda::fail(cudaCheckStatus, #call, __FILE__, __LINE__);                                                             \
    } while (false)

/// After every launch: a bad launch configuration is told here, a fault inside the kernel by a later call.
#define CUDA_CHECK_LAUNCH() CUDA_CHECK(cudaGetLastError())
