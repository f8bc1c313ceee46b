// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/random.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <cmath>
#include <vector>

namespace test {

/// FastTucker with rows and core matrices scaled so that every c^(n)_r is about 1 in size, whatever J and R.
inline kernels::Model evenModel(const std::vector<kernels::Index>& dims, const std::vector<unsigned>& ranks, unsigned coreRank,
                                std::uint64_t seed, bool doubles)
{
    kernels::Model model;
    model.kind = kernels::ModelKind::FastTucker;
    model.dims = dims;
    model.ranks = ranks;
    model.coreRank = coreRank;
    const auto draw = [&](std::size_t rows, std::size_t columns, double size, std::uint64_t stream) {
        kernels::Matrix matrix(rows, columns, doubles);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                matrix.set(i, j, size * (2 * kernels::random::uniform(seed, stream, i * columns + j) - 1));
        return matrix;
    };
    for (unsigned n = 0; n < dims.size(); ++n) {
        model.factors.push_back(draw(dims[n], ranks[n], 1.7, 2 * n)); // s.d. about 1
        model.coreFactors.push_back(draw(ranks[n], coreRank, 1.7 / std::sqrt(double(ranks[n])), 2 * n + 1));
    }
    return model;
}

/// A share of the entries lies in slice 0 of every mode, the last slice of every mode is empty where there
/// are at least two, and coordinates repeat. Values in (−2, 2).
inline kernels::SparseTensor skewedTensor(const std::vector<kernels::Index>& dims, kernels::Count entries, double shareOfFirst,
                                          std::uint64_t seed, bool doubles = false)
{
    using kernels::random::uniform;
    kernels::SparseTensor tensor(dims, entries, doubles);
    for (unsigned n = 0; n < dims.size(); ++n)
        for (kernels::Count e = 0; e < entries; ++e) {
            const double filled = dims[n] > 1 ? dims[n] - 1 : 1;
            const bool first = uniform(seed, 50 + n, e) < shareOfFirst;
            tensor.indices[n][e] = first ? 0 : static_cast<kernels::Index>(uniform(seed, n, e) * filled);
        }
    for (kernels::Count e = 0; e < entries; ++e)
        tensor.setValue(e, 4 * uniform(seed, 100, e) - 2);
    return tensor;
}

} // namespace test
