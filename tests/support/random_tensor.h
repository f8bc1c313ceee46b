// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/random.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <vector>

/// Small random problems and plain loops to compare with.
namespace test {

/// Sizes 5, 7, 4, 3, 6, 2, 5, 7 …: odd and even, none alike for long.
inline std::vector<kernels::Index> dimsOfOrder(unsigned order)
{
    constexpr kernels::Index sizes[] = {5, 7, 4, 3, 6, 2};
    std::vector<kernels::Index> dims;
    for (unsigned n = 0; n < order; ++n)
        dims.push_back(sizes[n % std::size(sizes)]);
    return dims;
}

/// Coordinates uniform (repeats may happen), values in (−1, 1), entries in no order.
inline kernels::SparseTensor randomTensor(const std::vector<kernels::Index>& dims, kernels::Count entries, std::uint64_t seed,
                                          bool doubles = false)
{
    kernels::SparseTensor tensor(dims, entries, doubles);
    for (unsigned n = 0; n < dims.size(); ++n)
        for (kernels::Count e = 0; e < entries; ++e)
            tensor.indices[n][e] = static_cast<kernels::Index>(kernels::random::uniform(seed, n, e) * dims[n]);
    for (kernels::Count e = 0; e < entries; ++e)
        tensor.setValue(e, 2 * kernels::random::uniform(seed, 100, e) - 1);
    return tensor;
}

inline std::vector<kernels::Index> indexOf(const kernels::SparseTensor& tensor, kernels::Count entry)
{
    std::vector<kernels::Index> index;
    for (const auto& indices : tensor.indices)
        index.push_back(indices[entry]);
    return index;
}

inline kernels::Matrix randomMatrix(std::size_t rows, std::size_t columns, std::uint64_t seed, bool doubles)
{
    kernels::Matrix matrix(rows, columns, doubles);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            matrix.set(i, j, 2 * kernels::random::uniform(seed, i, j) - 1);
    return matrix;
}

/// Ranks J_n = rank, rank + 1, rank, … for tucker kinds; elements in (−1, 1).
inline kernels::Model randomModel(kernels::ModelKind kind, const std::vector<kernels::Index>& dims, unsigned rank, unsigned coreRank,
                                  std::uint64_t seed, bool doubles)
{
    kernels::Model model;
    model.kind = kind;
    model.dims = dims;
    const bool cp = kind == kernels::ModelKind::Cp;
    std::size_t coreSize = 1;
    for (unsigned n = 0; n < dims.size(); ++n) {
        model.ranks.push_back(cp ? rank : rank + n % 2);
        coreSize *= model.ranks[n];
        model.factors.push_back(randomMatrix(dims[n], model.ranks[n], seed + n, doubles));
        if (kind == kernels::ModelKind::FastTucker)
            model.coreFactors.push_back(randomMatrix(model.ranks[n], coreRank, seed + 50 + n, doubles));
    }
    if (kind != kernels::ModelKind::Tucker)
        model.coreRank = cp ? rank : coreRank;
    for (unsigned r = 0; cp && r < rank; ++r)
        model.weights.push_back(0.5 + r);
    if (kind == kernels::ModelKind::Tucker) {
        for (std::size_t i = 0; i < coreSize; ++i)
            model.core.push_back(2 * kernels::random::uniform(seed, 99, i) - 1);
    }
    return model;
}

/// x̂ by the definition, nothing shared between terms.
inline double predictPlainly(const kernels::Model& model, const std::vector<kernels::Index>& index)
{
    double sum = 0;
    if (model.kind == kernels::ModelKind::Tucker) {
        for (std::size_t cell = 0; cell < model.core.size(); ++cell) {
            double product = model.core[cell];
            std::size_t rest = cell;
            for (unsigned n = model.order(); n-- > 0; rest /= model.ranks[n])
                product *= model.factors[n].at(index[n], rest % model.ranks[n]);
            sum += product;
        }
        return sum;
    }
    for (unsigned r = 0; r < model.coreRank; ++r) {
        double product = model.kind == kernels::ModelKind::Cp ? model.weights[r] : 1;
        for (unsigned n = 0; n < model.order(); ++n) {
            double dot = 0;
            if (model.kind == kernels::ModelKind::Cp)
                dot = model.factors[n].at(index[n], r);
            else
                for (unsigned j = 0; j < model.ranks[n]; ++j)
                    dot += model.factors[n].at(index[n], j) * model.coreFactors[n].at(j, r);
            product *= dot;
        }
        sum += product;
    }
    return sum;
}

/// Calls f(index) for every cell of these dims, the last index fastest.
template <class F> void forEachCell(const std::vector<kernels::Index>& dims, const F& f)
{
    std::vector<kernels::Index> index(dims.size(), 0);
    while (true) {
        f(index);
        std::size_t n = dims.size();
        while (n > 0 && ++index[n - 1] == dims[n - 1])
            index[--n] = 0;
        if (n == 0)
            return;
    }
}

/// Runs f with so many worker threads, more than there are cores too.
template <class F> auto withThreads(int threads, const F& f)
{
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    return tbb::task_arena(threads).execute(f);
}

inline bool same(const kernels::SparseTensor& a, const kernels::SparseTensor& b)
{
    return a.dims() == b.dims() && a.indices == b.indices && a.values == b.values;
}

} // namespace test
