// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/start.h"

#include "kernels/algorithms/cp_als/nvecs.h"
#include "kernels/algorithms/tucker_hooi/sequential.h"
#include "kernels/base/chunks.h"
#include "kernels/base/random.h"

#include <algorithm>
#include <cmath>

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

} // namespace

std::vector<Matrix> drawStart(const SolverInput& input, RunControl& control)
{
    const RunConfig& config = input.config;
    const bool doubles = config.precision == Precision::Fp64;
    std::vector<Matrix> factors;
    for (unsigned n = 0; n < input.train.order(); ++n) {
        const Index rows = input.train.modes[n].size;
        if (startOf(config) == "hosvd")
            factors.push_back(cp_als::leadingVectors(input.train, n, config.ranks[n], config.seed, doubles, control));
        else if (startOf(config) == "sthosvd")
            factors.push_back(sequentialVectors(input.train, n, factors, config.ranks[n], config.seed, doubles, control));
        else
            factors.push_back(drawn(rows, config.ranks[n], n, config.seed, doubles, control));
    }
    return factors;
}

std::uint64_t startBytes(const RunConfig& config, const ProblemShape& shape, unsigned valueBytes)
{
    std::uint64_t factors = 0, most = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        factors += std::uint64_t{shape.dims[n]} * config.ranks[n] * valueBytes;
        const unsigned given = shape.tensorValueBytes ? shape.tensorValueBytes : valueBytes;
        if (startOf(config) == "hosvd")
            most = std::max(most, cp_als::leadingVectorsBytes(shape.dims, n, shape.trainEntries, config.ranks[n], given));
        if (startOf(config) == "sthosvd")
            most = std::max(most, sequentialBytes(shape.dims, n, shape.trainEntries, config.ranks, given));
    }
    return factors + most + (std::uint64_t{4} << 10);
}

} // namespace kernels::tucker_hooi
