// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/start.h"

#include "kernels/base/chunks.h"
#include "kernels/base/random.h"

#include <algorithm>
#include <cmath>

namespace kernels::tucker_als {
namespace {

constexpr std::uint64_t factorStream = 0x7475'0000;
constexpr std::uint64_t coreStream = 0x7463'0000;
constexpr Count numbersAtOnce = Count{1} << 14;

bool hasMeanColumn(const StartSpec& spec)
{
    constexpr double standsOut = 0.25; // of the values' spread
    return !spec.paper && std::abs(spec.mean) >= standsOut;
}

/// ± U(0.5, 1.5), its square 1 on average: far from 0, and products of many of them are never huge.
double signedNumber(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter)
{
    const std::uint64_t bits = random::bits(seed, stream, counter);
    const double size = (0.5 + random::uniform(bits)) / std::sqrt(13.0 / 12.0);
    return bits & 1 ? size : -size;
}

} // namespace

double unitOf(const fasttucker_plus::ValueScale& values)
{
    const double size = values.rootMeanSquare, variance = size * size - values.mean * values.mean;
    const double spread = std::max(std::sqrt(std::max(variance, 0.0)), 1e-3 * size);
    return spread > 0 ? std::exp2(std::round(std::log2(spread))) : 1;
}

Model drawStart(const StartSpec& spec, RunControl& control)
{
    Model model;
    model.kind = ModelKind::Tucker;
    model.dims = spec.dims;
    model.ranks = spec.ranks;
    const bool meanColumn = hasMeanColumn(spec);
    Count coreNumbers = 1;
    for (unsigned n = 0; n < spec.dims.size(); ++n) {
        const unsigned rank = spec.ranks[n];
        coreNumbers *= rank;
        model.factors.push_back(Matrix::unfilled(spec.dims[n], rank, spec.doubles));
        std::visit(
            [&](auto& numbers) {
                using T = typename std::decay_t<decltype(numbers)>::value_type;
                forEachChunk(numbers.size(), numbersAtOnce, control, [&](Count, Count begin, Count end) {
                    for (Count i = begin; i < end; ++i)
                        numbers[i] = static_cast<T>(spec.paper                        ? random::uniform(spec.seed, factorStream + n, i)
                                                        : meanColumn && i % rank == 0 ? 1.0
                                                                                      : signedNumber(spec.seed, factorStream + n, i));
                });
            },
            model.factors.back().data);
    }
    model.core.resize(coreNumbers);
    const double size = 1 / std::sqrt(static_cast<double>(coreNumbers));
    forEachChunk(coreNumbers, numbersAtOnce, control, [&](Count, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            model.core[i] = spec.paper ? random::uniform(spec.seed, coreStream, i) : size * signedNumber(spec.seed, coreStream, i);
    });
    if (meanColumn)
        model.core[0] = spec.mean;
    return model;
}

std::vector<double> meanRow(const StartSpec& spec, unsigned mode)
{
    std::vector<double> row(spec.ranks[mode], 0.0);
    row[0] = hasMeanColumn(spec) ? 1 : 0;
    return row;
}

} // namespace kernels::tucker_als
