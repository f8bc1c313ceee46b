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

/// In place: tensor (rows × rest) → its first row := Σ_j vector[j] · row j.
template <class Element> void contractFirst(double* tensor, std::size_t rest, const Element* vector, std::size_t rows)
{
    for (std::size_t k = 0; k < rest; ++k)
        tensor[k] *= static_cast<double>(vector[0]);
    for (std::size_t j = 1; j < rows; ++j) {
        const double factor = static_cast<double>(vector[j]);
        const double* row = tensor + j * rest;
        for (std::size_t k = 0; k < rest; ++k)
            tensor[k] += factor * row[k];
    }
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

std::vector<double> contractionWork(const Model& model)
{
    return std::vector<double>(model.kind == ModelKind::Tucker ? model.core.size() : std::size_t{2} * model.coreRank);
}

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

void contractCore(const Model& model, std::span<const Index> index, unsigned freeMode, std::vector<double>& work)
{
    std::copy(model.core.begin(), model.core.end(), work.begin());
    std::size_t size = model.core.size();
    const unsigned leading = std::min(freeMode, model.order());
    for (unsigned n = 0; n < leading; ++n) {
        size /= model.ranks[n];
        withRow(model.factors[n], index[n], [&](const auto* row) { contractFirst(work.data(), size, row, model.ranks[n]); });
    }
    for (unsigned n = model.order(); n-- > leading + 1;) {
        size /= model.ranks[n];
        withRow(model.factors[n], index[n], [&](const auto* row) { contractLast(work.data(), size, row, model.ranks[n]); });
    }
}

std::vector<double> direction(const Model& model, std::span<const Index> index, unsigned freeMode)
{
    checkIndex(model, index, freeMode);
    std::vector<double> work = contractionWork(model);
    if (model.kind == ModelKind::Tucker) {
        contractCore(model, index, freeMode, work);
        work.resize(model.ranks[freeMode]);
        return work;
    }
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
