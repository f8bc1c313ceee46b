// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/start.h"

#include "kernels/algorithms/tucker_hooi/sequential.h"
#include "kernels/base/chunks.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kernels::tucker_hooi {
namespace {

/// Gaussian columns: the first sweep from them is a randomised ST-HOSVD, whose sketches are products of small matrices.
Matrix drawn(Index rows, unsigned columns, unsigned mode, std::uint64_t seed, bool doubles, RunControl& control)
{
    Matrix matrix = Matrix::unfilled(rows, columns, doubles);
    const double size = 1 / std::sqrt(static_cast<double>(rows));
    std::visit(
        [&](auto& numbers) {
            forEachChunk(numbers.size(), Count{1} << 14, control, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    numbers[i] = static_cast<std::decay_t<decltype(numbers[0])>>(size * random::normal(seed, mode, i));
            });
        },
        matrix.data);
    return matrix;
}

std::string startOf(const RunConfig& config)
{
    const auto start = config.parameters.find("start");
    return start == config.parameters.end() ? "random" : std::get<std::string>(start->second);
}

std::optional<Hosvd> hosvdOf(const RunConfig& config)
{
    const std::string start = startOf(config);
    if (start == "hosvd")
        return Hosvd::Truncated;
    return start == "sthosvd" ? std::optional(Hosvd::SequentiallyTruncated) : std::nullopt;
}

/// What is not drawn is made on the host, whatever computes later: the run's limit is of the device.
std::uint64_t roomFor(const RunConfig& config)
{
    const bool onCpu = config.devices.front().kind == DeviceKind::Cpu;
    const std::uint64_t available = availableHostMemory();
    return onCpu && config.memoryLimit ? std::min(config.memoryLimit, available) : available;
}

} // namespace

std::vector<Matrix> drawStart(const SolverInput& input, RunControl& control)
{
    const RunConfig& config = input.config;
    const bool doubles = config.precision == Precision::Fp64;
    if (const auto kind = hosvdOf(config))
        return hosvd(*kind, input.train, config.ranks, config.seed, doubles, roomFor(config), control);
    std::vector<Matrix> factors;
    for (unsigned n = 0; n < input.train.order(); ++n)
        factors.push_back(drawn(input.train.modes[n].size, config.ranks[n], n, config.seed, doubles, control));
    return factors;
}

std::uint64_t startBytes(const RunConfig& config, const ProblemShape& shape, unsigned valueBytes)
{
    constexpr std::uint64_t margin = std::uint64_t{4} << 10; // arrays begin at whole cache lines
    const bool doubles = valueBytes == sizeof(double);
    if (const auto kind = hosvdOf(config))
        return margin
            + hosvdBytes(*kind, shape.dims, shape.trainEntries, config.ranks, shape.tensorValueBytes ? shape.tensorValueBytes : valueBytes,
                         doubles, roomFor(config));
    std::uint64_t factors = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n)
        factors += std::uint64_t{shape.dims[n]} * config.ranks[n] * valueBytes;
    return factors + margin;
}

} // namespace kernels::tucker_hooi
