// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/models/contraction.h"

#include "kernels/base/error.h"
#include "kernels/models/kruskal.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernels {
namespace {

template <class F> void withRow(const Matrix& matrix, std::size_t row, const F& f)
{
    std::visit([&](const auto& data) { f(data.data() + row * matrix.columns); }, matrix.data);
}

/// In place: tensor (rows × columns) → rows numbers, each row times the vector.
template <class Element> void contractLast(double* tensor, std::size_t rows, const Element* vector, std::size_t columns)
{
    for (std::size_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < columns; ++j)
            sum += tensor[i * columns + j] * static_cast<double>(vector[j]);
        tensor[i] = sum;
    }
}

} // namespace

void checkIndex(const Model& model, std::span<const Index> index, unsigned freeMode)
{
    if (index.size() != model.order())
        throw Error(ErrorKind::BadInput,
                    {"the index has another number of modes than the model",
                     "prediction",
                     fmt::format("{}", index.size()),
                     fmt::format("{}", model.order()),
                     {}});
    for (unsigned n = 0; n < model.order(); ++n) {
        if (n != freeMode && index[n] >= model.dims[n])
            throw Error(ErrorKind::BadInput,
                        {fmt::format("index past the size of mode {}", n + 1),
                         "prediction",
                         fmt::format("{} (counted from 1)", std::uint64_t{index[n]} + 1),
                         fmt::format("at most {}", model.dims[n]),
                         {}});
    }
}

std::vector<std::vector<double>> coreFactorsAsDoubles(const Model& model)
{
    std::vector<std::vector<double>> result;
    if (model.kind != ModelKind::FastTucker)
        return result;
    for (const Matrix& matrix : model.coreFactors)
        std::visit([&](const auto& data) { result.emplace_back(data.begin(), data.end()); }, matrix.data);
    return result;
}

std::vector<double> contractionWork(const Model& model) { return std::vector<double>(std::size_t{2} * model.coreRank); }

void multiplyTerms(const Model& model, const std::vector<std::vector<double>>& coreFactors, std::span<const Index> index, unsigned freeMode,
                   std::vector<double>& work)
{
    const std::size_t r = model.coreRank;
    double* product = work.data();
    double* projected = work.data() + r;
    if (model.weights.empty())
        std::fill(product, product + r, 1.0);
    else
        std::copy(model.weights.begin(), model.weights.end(), product);
    const auto multiply = [&](const auto* row) {
        for (std::size_t k = 0; k < r; ++k)
            product[k] *= static_cast<double>(row[k]);
    };
    for (unsigned n = 0; n < model.order(); ++n) {
        if (n == freeMode)
            continue;
        withRow(model.factors[n], index[n], [&](const auto* row) {
            if (model.kind == ModelKind::Cp)
                return multiply(row);
            kruskal::projectRow(row, coreFactors[n].data(), model.ranks[n], r, projected);
            multiply(projected);
        });
    }
}

CoreContraction::CoreContraction(const Model& model)
    : m_model(model)
{
    if (model.kind != ModelKind::Tucker)
        return;
    std::size_t size = model.core.size();
    for (const unsigned rank : model.ranks)
        m_levels.emplace_back(size /= rank);
}

double CoreContraction::operator()(std::span<const Index> index)
{
    unsigned n = 0;
    if (m_previous.empty())
        m_previous.resize(index.size());
    else
        while (n < index.size() && index[n] == m_previous[n])
            ++n;
    for (; n < index.size(); ++n) {
        const double* from = n == 0 ? m_model.core.data() : m_levels[n - 1].data();
        withRow(m_model.factors[n], index[n],
                [&](const auto* row) { kruskal::combineRows(row, from, m_model.ranks[n], m_levels[n].size(), m_levels[n].data()); });
        m_previous[n] = index[n];
    }
    return m_levels.back()[0];
}

std::vector<double> contractCoreExcept(const Model& model, std::span<const Index> index, unsigned freeMode)
{
    std::vector<double> work(model.core.begin(), model.core.end());
    std::size_t size = work.size();
    for (unsigned n = 0; n < freeMode; ++n) {
        size /= model.ranks[n];
        withRow(model.factors[n], index[n],
                [&](const auto* row) { kruskal::combineRows(row, work.data(), model.ranks[n], size, work.data()); });
    }
    for (unsigned n = model.order(); n-- > freeMode + 1;) {
        size /= model.ranks[n];
        withRow(model.factors[n], index[n], [&](const auto* row) { contractLast(work.data(), size, row, model.ranks[n]); });
    }
    work.resize(model.ranks[freeMode]);
    return work;
}

std::vector<double> direction(const Model& model, std::span<const Index> index, unsigned freeMode)
{
    checkIndex(model, index, freeMode);
    if (model.kind == ModelKind::Tucker)
        return contractCoreExcept(model, index, freeMode);
    std::vector<double> work = contractionWork(model);
    const auto coreFactors = coreFactorsAsDoubles(model);
    multiplyTerms(model, coreFactors, index, freeMode, work);
    work.resize(model.coreRank);
    if (model.kind == ModelKind::Cp)
        return work;
    std::vector<double> result(model.ranks[freeMode]);
    for (std::size_t j = 0; j < result.size(); ++j) {
        kruskal::LaneSum sum;
        sum.add(work.size(), [&](std::size_t k) { return coreFactors[freeMode][j * work.size() + k] * work[k]; });
        result[j] = sum.total();
    }
    return result;
}

} // namespace kernels
