// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/start.h"

#include "kernels/base/chunks.h"
#include "kernels/base/random.h"

#include <algorithm>
#include <cmath>

namespace kernels::cp_completion_als {
namespace {

constexpr std::uint64_t factorStream = 0x6370'0000;

} // namespace

std::vector<Matrix> drawStart(const StartSpec& spec, RunControl& control)
{
    std::vector<Matrix> factors;
    for (unsigned n = 0; n < spec.dims.size(); ++n) {
        const std::vector<double> mean = meanRow(spec, n);
        factors.push_back(Matrix::unfilled(spec.dims[n], spec.rank, spec.doubles));
        const auto number = [&](Count i) {
            return spec.paper ? random::uniform(spec.seed, factorStream + n, i)
                              : mean[i % spec.rank] * (1 + spec.noise * random::normal(spec.seed, factorStream + n, i));
        };
        std::visit(
            [&](auto& numbers) {
                using T = typename std::decay_t<decltype(numbers)>::value_type;
                forEachChunk(numbers.size(), Count{1} << 14, control, [&](Count, Count begin, Count end) {
                    for (Count i = begin; i < end; ++i)
                        numbers[i] = static_cast<T>(number(i));
                });
            },
            factors.back().data);
    }
    return factors;
}

std::vector<double> meanRow(const StartSpec& spec, unsigned mode)
{
    constexpr double least = 0.5; // of the values' spread: rows of nothing would stay so
    const double size = std::max(std::abs(spec.mean), least), order = static_cast<double>(spec.dims.size());
    std::vector<double> row(spec.rank, std::pow(size / spec.rank, 1 / order));
    const auto negative = static_cast<unsigned>(std::lround((1 - spec.mean / size) / 2 * spec.rank));
    for (unsigned r = 0; r < negative && mode == 0; ++r)
        row[r] = -row[r];
    return row;
}

} // namespace kernels::cp_completion_als
