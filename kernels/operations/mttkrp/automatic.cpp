// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/automatic.h"

#include "kernels/base/array.h"
#include "kernels/base/host_memory.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/formats_cuda.h"

#include <algorithm>
#include <chrono>

namespace kernels::formats {
TensorFormatInfo autoInfo(); // formats_list.cpp calls it
}

namespace kernels::mttkrp {
namespace {

/// The second time that the products of all modes are computed, of factors that are zero.
template <class T> double secondsOnCpu(Operation<T>& operation, const std::vector<Index>& dims, unsigned rank, RunControl& control)
{
    const std::size_t stride = hostStride<T>(rank), numbers = *std::max_element(dims.begin(), dims.end()) * stride;
    const Array<T> rows(numbers, T(0));
    Array<T> out(numbers);
    const Factors<T> factors{std::vector<const T*>(dims.size(), rows.data()), stride};
    double seconds = 0;
    for (unsigned round = 0; round < 2; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (unsigned mode = 0; mode < dims.size(); ++mode)
            operation.compute(mode, factors, out.data(), control);
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    return seconds;
}

} // namespace

FormatBytes bytesOfAutomatic(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    return likelyBytes(DeviceKind::Cpu, shape, settings, valueBytes);
}

FormatBytes cudaBytesOfAutomatic(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    return likelyBytes(DeviceKind::Cuda, shape, settings, valueBytes);
}

template <class T> Made<T> makeOnCpu(const Plan& plan, const SparseTensor& tensor, const Settings& settings, RunControl& control)
{
    const auto make = [&](const std::string& format) { return makeOnCpu<T>(format, tensor, settings, control); };
    const auto secondsOf = [&](Operation<T>& operation) { return secondsOnCpu(operation, tensor.dims(), settings.rank, control); };
    return plan.automatic ? makeAutomatic<T>(plan, make, secondsOf) : make(plan.formats.front());
}
template Made<float> makeOnCpu(const Plan&, const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeOnCpu(const Plan&, const SparseTensor&, const Settings&, RunControl&);

template <class T> Made<T> makeAutomaticFormat(const SparseTensor& tensor, const Settings& settings, RunControl& control)
{
    const ProblemShape shape{tensor.dims(), tensor.entries(), 0, tensor.hasDoubleValues() ? 8U : 4U};
    const Room room{availableHostMemory()};
    return makeOnCpu<T>(planFor(DeviceKind::Cpu, automaticId, shape, settings, sizeof(T), room), tensor, settings, control);
}
template Made<float> makeAutomaticFormat(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeAutomaticFormat(const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp

namespace kernels::formats {

TensorFormatInfo autoInfo()
{
    return {
        "auto", "Automatic",
        "The format that sizes and statistics tell to be the fastest that fits; where two come into question and trying is cheap, the one "
        "that was faster.",
        [](const ProblemShape& shape, unsigned valueBytes) {
            return mttkrp::bytesOfAutomatic(shape, mttkrp::Settings{}, valueBytes).kept;
        }};
}

} // namespace kernels::formats
