// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_sgd/start.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernels::tucker_sgd {
namespace {

constexpr std::uint64_t coreStream = 0x7364'0000;

/// A core of all ones is one term: every column of a mode counts alike.
Model onesCore(Model model)
{
    model.coreRank = 1;
    model.coreFactors.clear();
    for (const unsigned rank : model.ranks) {
        model.coreFactors.emplace_back(rank, 1, true);
        for (unsigned j = 0; j < rank; ++j)
            model.coreFactors.back().set(j, 0, 1);
    }
    return model;
}

} // namespace

Start drawStart(const StartSpec& spec, const SparseTensor& train, RunControl& control)
{
    const unsigned terms = *std::max_element(spec.ranks.begin(), spec.ranks.end());
    Model model = fasttucker_plus::drawStart(
        {spec.dims, spec.ranks, terms, spec.doubles, spec.paper, false, spec.noise, spec.seed, spec.values}, control);
    if (spec.paper)
        model = onesCore(std::move(model));
    Start start;
    start.slopes = fasttucker_plus::startSlopes(model, train, spec.seed, control).rows;
    const Count numbers = std::accumulate(spec.ranks.begin(), spec.ranks.end(), Count{1}, std::multiplies<>());
    std::optional<Array<double>> core = denseCore(model, numbers);
    if (!core)
        throw Error(ErrorKind::Internal, "a core that was let through is too large");
    if (spec.paper)
        forEachChunk(numbers, Count{1} << 14, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                (*core)[i] *= 0.5 + random::uniform(spec.seed, coreStream, i);
        });
    model.kind = ModelKind::Tucker;
    model.coreRank = 0;
    model.coreFactors.clear();
    model.core = std::move(*core);
    start.model = std::move(model);
    return start;
}

} // namespace kernels::tucker_sgd
