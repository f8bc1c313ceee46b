// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/models/model.h"

#include "kernels/base/error.h"
#include "kernels/models/contraction.h"
#include "kernels/models/kruskal.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <numeric>

namespace kernels {

Matrix::Matrix(std::size_t rowCount, std::size_t columnCount, bool doubles)
    : rows(rowCount)
    , columns(columnCount)
{
    if (doubles)
        data = Array<double>(rowCount * columnCount, 0.0);
    else
        data = Array<float>(rowCount * columnCount, 0.0F);
}

Matrix Matrix::unfilled(std::size_t rowCount, std::size_t columnCount, bool doubles)
{
    Matrix matrix(0, columnCount, doubles);
    matrix.rows = rowCount;
    std::visit([&](auto& d) { d.resize(rowCount * columnCount); }, matrix.data);
    return matrix;
}

double Matrix::at(std::size_t row, std::size_t column) const
{
    return std::visit([&](const auto& d) { return static_cast<double>(d[row * columns + column]); }, data);
}

void Matrix::set(std::size_t row, std::size_t column, double value)
{
    std::visit([&](auto& d) { d[row * columns + column] = static_cast<typename std::decay_t<decltype(d)>::value_type>(value); }, data);
}

std::uint64_t Model::bytes() const
{
    const auto bytesOf = [](std::uint64_t sum, const Matrix& m) {
        return sum + std::uint64_t{m.rows} * m.columns * (m.hasDoubles() ? sizeof(double) : sizeof(float));
    };
    std::uint64_t result = std::accumulate(factors.begin(), factors.end(), std::uint64_t{0}, bytesOf);
    result = std::accumulate(coreFactors.begin(), coreFactors.end(), result, bytesOf);
    return result + (weights.size() + core.size()) * sizeof(double);
}

Predictor::Predictor(const Model& model)
    : m_model(model)
    , m_coreFactors(coreFactorsAsDoubles(model))
    , m_core(std::make_unique<CoreContraction>(model))
    , m_work(contractionWork(model))
{
}

Predictor::Predictor(Predictor&&) noexcept = default;
Predictor::~Predictor() = default;

double Predictor::operator()(std::span<const Index> index) const
{
    checkIndex(m_model, index, noFreeMode);
    if (m_model.kind == ModelKind::Tucker)
        return (*m_core)(index);
    multiplyTerms(m_model, m_coreFactors, index, noFreeMode, m_work);
    kruskal::LaneSum sum;
    sum.add(m_model.coreRank, [&](std::size_t r) { return m_work[r]; });
    return sum.total();
}

std::optional<Array<double>> denseCore(const Model& model, std::uint64_t limit)
{
    if (model.kind != ModelKind::FastTucker)
        return std::nullopt;
    std::uint64_t leading = 1; // tuples of all modes but the last
    for (unsigned n = 0; n + 1 < model.order(); ++n) {
        leading *= model.ranks[n];
        if (leading > limit)
            return std::nullopt;
    }
    const std::size_t last = model.ranks.back();
    if (leading * last > limit)
        return std::nullopt;

    const std::size_t r = model.coreRank;
    const auto factors = coreFactorsAsDoubles(model);
    Array<double> core(leading * last);
    tbb::parallel_for(std::uint64_t{0}, leading, [&](std::uint64_t tuple) {
        std::vector<double> product(r, 1.0);
        std::uint64_t rest = tuple;
        for (unsigned n = model.order() - 1; n-- > 0; rest /= model.ranks[n]) {
            const double* row = factors[n].data() + (rest % model.ranks[n]) * r;
            for (std::size_t k = 0; k < r; ++k)
                product[k] *= row[k];
        }
        for (std::size_t j = 0; j < last; ++j) {
            const double* row = factors.back().data() + j * r;
            kruskal::LaneSum sum;
            sum.add(r, [&](std::size_t k) { return product[k] * row[k]; });
            core[tuple * last + j] = sum.total();
        }
    });
    return core;
}

} // namespace kernels
