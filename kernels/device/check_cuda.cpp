// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/device/check.cuh"

#include <fmt/format.h>

#include <string_view>

namespace kernels::cuda {
namespace {

bool isSticky(cudaError_t status)
{
    switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorHardwareStackError:
    case cudaErrorECCUncorrectable:
    case cudaErrorAssert:
        return true;
    default:
        return false;
    }
}

} // namespace

std::string currentDeviceName()
{
    int device = 0;
    cudaDeviceProp properties{};
    if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess)
        return "the GPU";
    return fmt::format("GPU {} ({})", device, properties.name);
}

void fail(cudaError_t status, const char* call, const char* file, int line)
{
    (void)cudaGetLastError(); // so that the next check does not report this error again
    std::string_view name(file);
    name.remove_prefix(name.rfind('/') + 1); // npos + 1 is 0
    Error::Details details;
    details.where = currentDeviceName();
    details.message = fmt::format("{} ({}) in {} at {}:{}", cudaGetErrorString(status), cudaGetErrorName(status), call, name, line);
    details.hint = isSticky(status) ? "The device can be used again after a restart of the program; save what is open first."
                                    : "Try again, or choose the CPU.";
    throw Error(ErrorKind::Device, std::move(details));
}

} // namespace kernels::cuda
