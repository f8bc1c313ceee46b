// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The one door of the CUDA module: kernels/device/back_ends.cpp opens the library and calls
// polyadRegisterCuda, which adds what the module has to the table of back ends.
#include "kernels/base/error.h"
#include "kernels/device/arithmetic_rate.cuh"
#include "kernels/device/back_ends.h"
#include "kernels/device/check.cuh"
#include "kernels/device/communicator.cuh"
#include "kernels/device/copy_seconds.cuh"
#include "kernels/telemetry/cupti_pm.h"

#include <fmt/format.h>

#include <cstring>

namespace kernels {

void addCudaAlgorithms(BackEnds&); // written by cmake/PolyadRegistries.cmake
void addCudaRowGather(BackEnds&); // row_gather.cu
namespace formats {
void addCudaBackEnds(BackEnds&); // csf_builder_cuda.cu
void addCudaBlcoBuilder(BackEnds&); // blco_builder_cuda.cu
void addCudaHicooBuilder(BackEnds&); // hicoo_builder_cuda.cu
void addFlycooBuilder(BackEnds&); // flycoo_builder_cuda.cu
void addCudaRunsBuilder(BackEnds&); // runs_builder_cuda.cu
}
namespace mttkrp {
void addCudaBackEnds(BackEnds&); // operations/mttkrp/back_end.cu
}
namespace spttm {
void addCudaBackEnds(BackEnds&); // operations/spttm/back_end.cu
}

namespace {

Error noDevice(std::string reason) { return Error(ErrorKind::NoDevice, "no CUDA device: " + std::move(reason)); }

std::string textOf(cudaError_t status) { return fmt::format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status)); }

/// Without a driver the run-time library says cudaErrorInsufficientDriver, as it does for one too old.
std::string absenceReason(cudaError_t status)
{
    int driver = 0;
    int runtime = 0;
    const bool driverKnown = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
    switch (status) {
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorStubLibrary:
        if (!driverKnown)
            return "the NVIDIA driver is not installed";
        (void)cudaRuntimeGetVersion(&runtime);
        if (status == cudaErrorInsufficientDriver)
            return fmt::format("the NVIDIA driver is too old (it supports CUDA {}.{}, this build needs {}.0)", driver / 1000,
                               driver % 1000 / 10, runtime / 1000);
        break;
    case cudaErrorNoDevice:
        return "the NVIDIA driver finds no GPU";
    default:
        break;
    }
    return textOf(status);
}

std::string uuidText(const cudaUUID_t& uuid)
{
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

/// Asked of the device itself, which makes a context there.
std::uint64_t askFreeMemory(int index)
{
    int before = 0;
    std::size_t free = 0;
    std::size_t total = 0;
    CUDA_CHECK(cudaGetDevice(&before));
    cudaError_t status = cudaSetDevice(index);
    if (status == cudaSuccess)
        status = cudaMemGetInfo(&free, &total);
    (void)cudaSetDevice(before);
    CUDA_CHECK(status);
    return free;
}

/// Properties and attributes come from the driver and make no context.
DeviceInfo describe(int index)
{
    DeviceInfo info;
    info.id = {DeviceKind::Cuda, index};
    cudaDeviceProp properties{};
    if (const cudaError_t status = cudaGetDeviceProperties(&properties, index); status != cudaSuccess) {
        (void)cudaGetLastError();
        info.problem = textOf(status);
        return info;
    }
    int mode = cudaComputeModeDefault;
    if (cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index) == cudaSuccess && mode == cudaComputeModeProhibited)
        info.problem = "its compute mode is Prohibited (nvidia-smi -c DEFAULT lets programs compute again)";
    info.name = properties.name;
    info.memoryTotal = properties.totalGlobalMem;
    info.processors = properties.multiProcessorCount;
    info.computeMajor = properties.major;
    info.computeMinor = properties.minor;
    info.uuid = uuidText(properties.uuid);
    char busId[32] = {};
    if (cudaDeviceGetPCIBusId(busId, sizeof busId, index) == cudaSuccess)
        info.pciBusId = busId;
    return info;
}

std::vector<DeviceInfo> enumerateDevices()
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    if (status != cudaSuccess)
        throw noDevice(absenceReason(status));
    if (count == 0)
        throw noDevice("the NVIDIA driver finds no GPU");
    std::vector<DeviceInfo> found;
    for (int index = 0; index < count; ++index)
        found.push_back(describe(index));
    return found;
}

} // namespace
} // namespace kernels

extern "C" void polyadRegisterCuda(kernels::BackEnds& table, const char* hostInterface)
{
    if (std::strcmp(hostInterface, POLYAD_MODULE_INTERFACE) != 0)
        throw kernels::noDevice("the CUDA module belongs to another build of Polyad: install matching packages");
    table.cudaDevices = &kernels::enumerateDevices;
    table.cudaFreeMemory = &kernels::askFreeMemory;
    table.cudaCopySeconds = &kernels::cuda::copySeconds;
    table.cudaArithmeticRates = &kernels::cuda::arithmeticRates;
    table.cudaCommunicators = &kernels::cuda::makeCommunicators;
    table.cudaCommunicationProblem = &kernels::cuda::communicationProblem;
#ifdef POLYAD_WITH_CUPTI
    table.cuptiPmSource = &kernels::telemetry::openCuptiPm;
#endif
    kernels::addCudaAlgorithms(table);
    kernels::addCudaRowGather(table);
    kernels::formats::addCudaBackEnds(table);
    kernels::formats::addCudaBlcoBuilder(table);
    kernels::formats::addCudaHicooBuilder(table);
    kernels::formats::addFlycooBuilder(table);
    kernels::formats::addCudaRunsBuilder(table);
    kernels::mttkrp::addCudaBackEnds(table);
    kernels::spttm::addCudaBackEnds(table);
}
