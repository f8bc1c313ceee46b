// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"
#include "kernels/device/arithmetic_rate.h"
#include "kernels/device/device_list.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernels {

class Communicator;
namespace telemetry {
class Source;
enum class Counters;
}

/// Base of what an algorithm needs from a device: its own header derives the interface
/// (kernels/algorithms/<id>/back_end.h), cpu.cpp and cuda.cu implement it.
class BackEnd {
public:
    virtual ~BackEnd() = default;
};

/// What the CUDA module brings when it is opened, and what kernels/ looks up.
class BackEnds {
public:
    using Factory = std::function<std::unique_ptr<BackEnd>(Precision, const DeviceId&)>;

    void add(std::string algorithm, DeviceKind, Factory);
    /// Null where there is none.
    const Factory* find(std::string_view algorithm, DeviceKind) const;

    /// Enumerates CUDA devices; set by the module. Throws Error(NoDevice) with the driver's reason.
    /// A device that fails is among them, with its problem. Makes no context.
    std::function<std::vector<DeviceInfo>()> cudaDevices;
    /// Bytes free on a device; makes a context there. Throws Error(Device).
    std::function<std::uint64_t(int index)> cudaFreeMemory;

    /// Seconds of the fastest of some copies of so many bytes within a device's memory; makes a context there. Throws
    /// Error(Device), OutOfMemory.
    std::function<double(int index, std::uint64_t bytes)> cudaCopySeconds;
    /// Of a device's units that have the precision; makes a context there. Throws Error(Device).
    std::function<std::vector<ArithmeticRate>(int index, Precision)> cudaArithmeticRates;

    /// A rank for each of several GPUs of this machine (kernels/device/communicator.h), and why there can be none: empty where they can.
    std::function<std::vector<std::unique_ptr<Communicator>>(const std::vector<int>& indices)> cudaCommunicators;
    std::function<std::string()> cudaCommunicationProblem;

    /// Opens CUPTI's counters on a CUDA device; set by the module where it was built with CUPTI.
    std::function<std::unique_ptr<telemetry::Source>(const DeviceInfo&, telemetry::Counters)> cuptiPmSource;

private:
    std::map<std::pair<std::string, DeviceKind>, Factory, std::less<>> m_factories;
};

/// All back ends present: the CPU's at once, CUDA's after the module was opened (done by the first call,
/// from any thread). Never throws: a missing module or driver is told by cudaAbsenceReason().
/// POLYAD_CUDA_MODULE names another file to open as the module: how tests bring devices that fail.
const BackEnds& backEnds();

/// Makes the back end of one algorithm as its own interface. Throws Error(NoDevice).
std::unique_ptr<BackEnd> makeBackEnd(std::string_view algorithm, Precision, const DeviceId&);

/// The module's one entry point: extern "C" void polyadRegisterCuda(kernels::BackEnds&, const char* hostInterface).
/// The text is POLYAD_MODULE_INTERFACE of the program: both sides were built from the same headers where it is the same.
inline constexpr const char* cudaModuleEntry = "polyadRegisterCuda";

} // namespace kernels
