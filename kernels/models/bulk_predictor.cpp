// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/models/bulk_predictor.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/models/contraction.h"
#include "kernels/models/kruskal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernels {
namespace {

constexpr std::uint64_t projectionBudget = std::uint64_t{512} << 20;
constexpr Count prefetchDistance = 8; // entries; hides most of a miss behind the arithmetic of the ones before

void checkDims(const Model& model, const SparseTensor& tensor)
{
    if (tensor.order() != model.order())
        throw Error(ErrorKind::BadInput,
                    {"tensor and model have different orders",
                     "evaluation",
                     fmt::format("{} modes", tensor.order()),
                     fmt::format("{}", model.order()),
                     {}});
    for (unsigned n = 0; n < model.order(); ++n) {
        if (tensor.modes[n].size > model.dims[n])
            throw Error(ErrorKind::BadInput,
                        {fmt::format("{} of the tensor is larger than the model's", tensor.modeName(n)), "evaluation",
                         fmt::format("{}", tensor.modes[n].size), fmt::format("at most {}", model.dims[n]),
                         "Evaluate a tensor with the dims of the one the model was trained on."});
    }
}

/// Worth it when the rows are fewer than the entries' look-ups, and when there is room.
bool projectionPays(const Model& model, Count entries)
{
    std::uint64_t rows = 0;
    for (const Index size : model.dims)
        rows += size;
    const std::uint64_t bytes = rows * model.coreRank * sizeof(double);
    return rows <= entries * model.order() && bytes <= projectionBudget && bytes <= availableHostMemory() / 4;
}

/// Fixed for the common ranks, so that the compiler unrolls; anything else as it comes.
template <class F> void withRank(std::size_t rank, const F& f)
{
    switch (rank) {
    case 8:
        return f(std::integral_constant<std::size_t, 8>{});
    case 16:
        return f(std::integral_constant<std::size_t, 16>{});
    case 32:
        return f(std::integral_constant<std::size_t, 32>{});
    default:
        return f(rank);
    }
}

} // namespace

BulkPredictor::BulkPredictor(const Model& model, const SparseTensor& tensor, Progress* progress)
    : m_model(model)
    , m_tensor(tensor)
{
    checkDims(model, tensor);
    if (model.kind == ModelKind::Cp)
        useFactorsAsTables();
    else if (model.kind == ModelKind::FastTucker && projectionPays(model, tensor.entries()))
        project(progress);
}

void BulkPredictor::useFactorsAsTables()
{
    for (const Matrix& factor : m_model.factors) {
        if (const auto* doubles = std::get_if<Array<double>>(&factor.data))
            m_doubleTables.push_back(doubles->data());
        else
            m_floatTables.push_back(std::get<Array<float>>(factor.data).data());
    }
}

void BulkPredictor::project(Progress* progress)
{
    constexpr Count rowsPerChunk = 1024;
    const auto coreFactors = coreFactorsAsDoubles(m_model);
    const std::size_t r = m_model.coreRank;
    m_projected.resize(m_model.order());
    for (unsigned n = 0; n < m_model.order(); ++n) {
        m_projected[n].resize(std::size_t{m_model.dims[n]} * r);
        const std::size_t j = m_model.ranks[n];
        std::visit(
            [&](const auto& factor) {
                forEachChunk(m_model.dims[n], rowsPerChunk, nullptr, [&](Count, Count begin, Count end) {
                    if (progress)
                        progress->throwIfCancelled();
                    for (Count i = begin; i < end; ++i)
                        kruskal::projectRow(factor.data() + i * j, coreFactors[n].data(), j, r, m_projected[n].data() + i * r);
                });
            },
            m_model.factors[n].data);
        m_doubleTables.push_back(m_projected[n].data());
    }
}

Count BulkPredictor::entriesPerChunk() const
{
    Count products = Count{m_model.order()} * m_model.coreRank;
    if (m_model.kind == ModelKind::Tucker)
        products = m_model.core.size();
    else if (m_model.kind == ModelKind::FastTucker)
        products *= m_model.ranks.empty() ? 1 : *std::max_element(m_model.ranks.begin(), m_model.ranks.end());
    return std::clamp<Count>((Count{1} << 22) / std::max<Count>(products, 1), 16, largestChunk);
}

void BulkPredictor::predict(Count begin, Count end, double* out) const
{
    if (m_doubleTables.size() == m_model.order())
        multiplyRows(m_doubleTables, begin, end, out);
    else if (m_floatTables.size() == m_model.order())
        multiplyRows(m_floatTables, begin, end, out);
    else
        predictOneByOne(begin, end, out);
}

template <class Element>
void BulkPredictor::multiplyRows(const std::vector<const Element*>& tables, Count begin, Count end, double* out) const
{
    const unsigned order = m_model.order();
    const double* weights = m_model.weights.empty() ? nullptr : m_model.weights.data();
    withRank(m_model.coreRank, [&](auto rank) {
        std::array<const Element*, maxOrder> rows{};
        for (Count entry = begin; entry < end; ++entry) {
            if (entry + prefetchDistance < end) {
                for (unsigned n = 0; n < order; ++n)
                    __builtin_prefetch(tables[n] + m_tensor.indices[n][entry + prefetchDistance] * std::size_t{rank});
            }
            for (unsigned n = 0; n < order; ++n)
                rows[n] = tables[n] + m_tensor.indices[n][entry] * std::size_t{rank};
            kruskal::LaneSum sum;
            sum.add(rank, [&](std::size_t r) {
                double product = weights ? weights[r] : 1.0;
                for (unsigned n = 0; n < order; ++n)
                    product *= static_cast<double>(rows[n][r]);
                return product;
            });
            out[entry - begin] = sum.total();
        }
    });
}

void BulkPredictor::predictOneByOne(Count begin, Count end, double* out) const
{
    const Predictor predictor(m_model);
    std::array<Index, maxOrder> index{};
    for (Count entry = begin; entry < end; ++entry) {
        for (unsigned n = 0; n < m_model.order(); ++n)
            index[n] = m_tensor.indices[n][entry];
        out[entry - begin] = predictor(std::span<const Index>(index.data(), m_model.order()));
    }
}

} // namespace kernels
