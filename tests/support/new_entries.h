// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sort.h"
#include "support/random_tensor.h"

#include <cmath>
#include <numeric>

/// Batches of new entries, and what a tensor is with them.
namespace test {

/// Values that any sum of some of them holds exactly.
inline kernels::SparseTensor exactTensor(const std::vector<kernels::Index>& dims, kernels::Count entries, std::uint64_t seed, bool doubles)
{
    kernels::SparseTensor tensor = randomTensor(dims, entries, seed, doubles);
    for (kernels::Count e = 0; e < entries; ++e)
        tensor.setValue(e, std::round(8 * tensor.value(e)) / 4);
    return tensor;
}

inline kernels::SparseTensor joined(const kernels::SparseTensor& first, const kernels::SparseTensor& second)
{
    std::vector<kernels::Index> dims = first.dims();
    for (unsigned n = 0; n < dims.size(); ++n)
        dims[n] = std::max(dims[n], second.dims()[n]);
    kernels::SparseTensor all(dims, first.entries() + second.entries(), first.hasDoubleValues());
    for (kernels::Count e = 0; e < all.entries(); ++e) {
        const bool isFirst = e < first.entries();
        const kernels::SparseTensor& from = isFirst ? first : second;
        const kernels::Count at = isFirst ? e : e - first.entries();
        for (unsigned n = 0; n < dims.size(); ++n)
            all.indices[n][e] = from.indices[n][at];
        all.setValue(e, from.value(at));
    }
    return all;
}

/// As a load leaves it.
inline kernels::SparseTensor loaded(kernels::SparseTensor tensor, kernels::Duplicates duplicates)
{
    kernels::sortLexicographically(tensor);
    kernels::mergeDuplicates(tensor, duplicates);
    return tensor;
}

/// Each mode as the root, the others behind it in turn; then one backwards.
inline std::vector<std::vector<unsigned>> someOrders(unsigned order)
{
    std::vector<unsigned> modes(order);
    std::iota(modes.begin(), modes.end(), 0U);
    std::vector<std::vector<unsigned>> all;
    for (unsigned root = 0; root < order; ++root) {
        all.push_back(modes);
        std::rotate(modes.begin(), modes.begin() + 1, modes.end());
    }
    std::reverse(modes.begin(), modes.end());
    all.push_back(modes);
    return all;
}

} // namespace test
