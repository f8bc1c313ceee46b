// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/planted_model.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"

#include <fmt/format.h>

#include <cmath>

namespace kernels {
namespace {

constexpr Count elementsPerChunk = Count{1} << 15;
constexpr std::uint64_t mostCoreElements = std::uint64_t{1} << 26;

/// Π J_n, or one more than is allowed.
std::uint64_t coreElements(const SyntheticSpec& spec)
{
    std::uint64_t product = 1;
    for (std::size_t n = 0; n < spec.dims.size(); ++n)
        product = std::min(mostCoreElements + 1, product * spec.rank);
    return product;
}

void checkRank(const char* name, unsigned rank)
{
    if (rank < 1 || rank > maxRank)
        throw Error(ErrorKind::BadArgument, {"out of range", name, fmt::format("{}", rank), fmt::format("1 to {}", maxRank), {}});
}

/// scale · U(0, 1)^power, element by element.
Matrix randomMatrix(std::size_t rows, std::size_t columns, std::uint64_t seed, std::uint64_t stream, int power, double scale,
                    Progress* progress)
{
    Matrix matrix(rows, columns, false);
    auto& data = std::get<Array<float>>(matrix.data);
    forEachChunk(data.size(), elementsPerChunk, nullptr, [&](Count, Count begin, Count end) {
        if (progress)
            progress->throwIfCancelled();
        for (Count i = begin; i < end; ++i)
            data[i] = static_cast<float>(scale * std::pow(random::uniform(seed, stream, i), power));
    });
    return matrix;
}

} // namespace

void checkPlantedModel(const SyntheticSpec& spec)
{
    checkRank("rank", spec.rank);
    std::uint64_t bytes = 0;
    for (const Index size : spec.dims)
        bytes += std::uint64_t{size} * spec.rank * sizeof(float);
    if (spec.model == ModelKind::FastTucker)
        checkRank("core rank", spec.coreRank);
    if (spec.model == ModelKind::Tucker) {
        if (coreElements(spec) > mostCoreElements)
            throw Error(ErrorKind::BadArgument,
                        {"the core of so many modes would be too large", "rank", fmt::format("{}", spec.rank),
                         fmt::format("a core of at most {} elements", mostCoreElements),
                         "Choose a smaller rank or plant a fasttucker model."});
        bytes += coreElements(spec) * sizeof(double);
    }
    requireHostMemory(bytes, "Choose a smaller rank.");
}

Model plantedModel(const SyntheticSpec& spec, Progress* progress)
{
    const auto order = static_cast<unsigned>(spec.dims.size());
    Model model;
    model.kind = spec.model;
    model.dims = spec.dims;
    model.ranks.assign(order, spec.rank);
    for (unsigned n = 0; n < order; ++n)
        model.factors.push_back(randomMatrix(spec.dims[n], spec.rank, spec.seed, FactorStream + n, 1, 1, progress));

    // Means: U is 1/2, U³ is 1/4; the scales below make the mean prediction the spec's.
    switch (spec.model) {
    case ModelKind::Cp:
        model.coreRank = spec.rank;
        model.weights.assign(spec.rank, spec.mean * std::exp2(order) / spec.rank);
        break;
    case ModelKind::Tucker: {
        const double scale = spec.mean * 4 * std::exp2(order) / static_cast<double>(coreElements(spec));
        model.core.resize(coreElements(spec));
        for (std::size_t i = 0; i < model.core.size(); ++i)
            model.core[i] = scale * std::pow(random::uniform(spec.seed, CoreStream, i), 3);
        break;
    }
    case ModelKind::FastTucker: {
        const double scale = 8.0 / spec.rank * std::pow(spec.coreRank, -1.0 / order) * std::pow(spec.mean, 1.0 / order);
        model.coreRank = spec.coreRank;
        for (unsigned n = 0; n < order; ++n)
            model.coreFactors.push_back(randomMatrix(spec.rank, spec.coreRank, spec.seed, CoreStream + n, 3, scale, progress));
        break;
    }
    }
    return model;
}

} // namespace kernels
