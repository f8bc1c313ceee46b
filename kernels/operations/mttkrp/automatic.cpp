// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/automatic.h"

#include "kernels/base/array.h"
#include "kernels/base/host_memory.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/formats_cuda.h"

#include <chrono>
#include <limits>

namespace kernels::formats {
TensorFormatInfo autoInfo(); // formats_list.cpp calls it
}

namespace kernels::mttkrp {
namespace {

/// As they were measured (docs/PERFORMANCE.md); coo, which builds nothing, is what always remains.
const std::vector<std::string>& byExpectedSpeed(DeviceKind kind)
{
    static const std::vector<std::string> cpu{"runs", "csf", "bcsf", "coo"};
    static const std::vector<std::string> cuda{"runs", "blco", "bcsf", "coo"};
    return kind == DeviceKind::Cpu ? cpu : cuda;
}

/// Trying a format means to build it: on a GPU some ten products' time, on a CPU more than most runs take.
constexpr Count triedOnCpuAtMost = Count{1} << 20;

} // namespace

Choices choicesFor(DeviceKind kind, const ProblemShape& shape, const Settings& settings, unsigned valueBytes, std::uint64_t room)
{
    const std::vector<std::string>& there = kind == DeviceKind::Cpu ? cpuFormats() : cudaFormats();
    const std::uint64_t longest = *std::max_element(shape.dims.begin(), shape.dims.end());
    const std::uint64_t trial = 2 * longest * (settings.rank * std::uint64_t{valueBytes} + 64); // factors and products that it takes
    Choices choices;
    std::string least;
    std::uint64_t leastBytes = std::numeric_limits<std::uint64_t>::max(), kept = 0;
    bool twoFit = false;
    for (const std::string& format : byExpectedSpeed(kind)) {
        if (std::find(there.begin(), there.end(), format) == there.end() || (settings.deterministic && !promisesBits(format, kind)))
            continue;
        const FormatBytes bytes = bytesOn(kind, format, shape, settings, valueBytes);
        const std::uint64_t most = std::max(bytes.most, bytes.kept + bytes.work);
        if (most < leastBytes) {
            least = format;
            leastBytes = most;
        }
        if (most > room)
            continue;
        if (choices.formats.size() == 1)
            twoFit = most <= room - kept && trial <= room - kept - most;
        if (choices.formats.empty())
            kept = bytes.kept + bytes.work;
        choices.formats.push_back(format);
    }
    if (choices.formats.empty())
        choices.formats.push_back(least);
    const bool cheap = kind == DeviceKind::Cuda || shape.trainEntries <= triedOnCpuAtMost;
    choices.tried = twoFit && cheap && !settings.deterministic ? 2 : 1;
    return choices;
}

namespace {

/// What is likely to be taken, with room enough for all: where two are tried, the first one while the second is built and timed.
FormatBytes likelyBytes(DeviceKind kind, const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const Choices choices = choicesFor(kind, shape, settings, valueBytes, std::numeric_limits<std::uint64_t>::max());
    FormatBytes bytes = bytesOn(kind, choices.formats.front(), shape, settings, valueBytes);
    if (choices.tried < 2)
        return bytes;
    const FormatBytes second = bytesOn(kind, choices.formats[1], shape, settings, valueBytes);
    const std::uint64_t longest = *std::max_element(shape.dims.begin(), shape.dims.end());
    const std::uint64_t line = 64 / valueBytes, trial = 2 * longest * ((settings.rank + line - 1) / line * line) * valueBytes;
    bytes.most = std::max(bytes.most,
                          bytes.kept + std::max(second.most, second.kept + trial)
                              + (kind == DeviceKind::Cuda ? bytes.work + second.work : bytes.work));
    bytes.kept = std::max(bytes.kept, second.kept);
    bytes.work = std::max(bytes.work, second.work);
    return bytes;
}

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

template <class T> Made<T> makeAutomaticFormat(const SparseTensor& tensor, const Settings& settings, RunControl& control)
{
    const std::vector<Index> dims = tensor.dims();
    const ProblemShape shape{dims, tensor.entries(), 0, tensor.hasDoubleValues() ? 8U : 4U};
    return makeAutomatic<T>(
        choicesFor(DeviceKind::Cpu, shape, settings, sizeof(T), availableHostMemory()),
        [&](const std::string& format) { return makeOnCpu<T>(format, tensor, settings, control); },
        [&](Operation<T>& operation) { return secondsOnCpu(operation, dims, settings.rank, control); });
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
