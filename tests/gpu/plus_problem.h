// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "support/random_tensor.h"

#include <algorithm>
#include <cmath>
#include <memory>

/// Small problems for the passes of the back ends.
namespace test {

inline std::unique_ptr<kernels::fasttucker_plus::PlusBackEnd> makeCuda(kernels::Precision precision,
                                                                       const char* algorithm = "fasttucker-plus")
{
    auto made = kernels::makeBackEnd(algorithm, precision, kernels::DeviceId{kernels::DeviceKind::Cuda, 0});
    auto* const own = dynamic_cast<kernels::fasttucker_plus::PlusBackEnd*>(made.get());
    if (own)
        made.release();
    return std::unique_ptr<kernels::fasttucker_plus::PlusBackEnd>(own);
}

/// x̂ of size 1 or so whatever the ranks are, so that errors and steps stay comparable.
inline kernels::Model tamedModel(const std::vector<kernels::Index>& dims, const std::vector<unsigned>& ranks, unsigned coreRank,
                                 bool doubles)
{
    kernels::Model model;
    model.kind = kernels::ModelKind::FastTucker;
    model.dims = dims;
    model.ranks = ranks;
    model.coreRank = coreRank;
    const double perMode = std::pow(1.0 / std::sqrt(coreRank), 1.0 / double(dims.size()));
    for (unsigned n = 0; n < dims.size(); ++n) {
        model.factors.push_back(randomMatrix(dims[n], ranks[n], 10 + n, doubles));
        kernels::Matrix core = randomMatrix(ranks[n], coreRank, 60 + n, doubles);
        for (unsigned j = 0; j < ranks[n]; ++j) // c is a sum of J products of variance 1/9
            for (unsigned r = 0; r < coreRank; ++r)
                core.set(j, r, core.at(j, r) * perMode * 3 / std::sqrt(ranks[n]));
        model.coreFactors.push_back(std::move(core));
    }
    return model;
}

/// How indices are drawn: Hot: a third of the entries share the last mode's row 5, a fifth one of the mode before; Single: all are
/// in one slice of the last mode, the others are empty.
enum class Draw { Even, Hot, Single };
constexpr kernels::Count drawnEntries = 20011; // not a whole number of anything

inline kernels::SparseTensor drawnTensor(const std::vector<kernels::Index>& dims, Draw draw)
{
    kernels::SparseTensor tensor = randomTensor(dims, drawnEntries, 7);
    const std::size_t last = dims.size() - 1;
    for (kernels::Count e = 0; e < drawnEntries; ++e) {
        if (draw == Draw::Single)
            tensor.indices[last][e] = dims[last] / 2;
        if (draw == Draw::Hot && e % 3 == 0)
            tensor.indices[last][e] = std::min<kernels::Index>(5, dims[last] - 1);
        if (draw == Draw::Hot && e % 5 == 0)
            tensor.indices[last - 1][e] = 2;
    }
    return tensor;
}

inline kernels::fasttucker_plus::FactorPass factorPass(unsigned order, std::uint64_t iteration, double rate)
{
    kernels::fasttucker_plus::FactorPass pass;
    pass.iteration = iteration;
    for (unsigned n = 0; n < order; ++n)
        pass.rates.push_back(rate * (1 + 0.25 * n)); // every mode its own
    pass.lambda = 0.03;
    return pass;
}

} // namespace test
