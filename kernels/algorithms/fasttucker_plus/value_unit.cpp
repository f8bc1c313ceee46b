// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/value_unit.h"

#include "kernels/base/chunks.h"
#include "kernels/base/host_memory.h"

#include <algorithm>
#include <cmath>

namespace kernels::fasttucker_plus {
namespace {

constexpr Count numbersPerChunk = Count{1} << 16;

/// A column more, or one fewer.
Matrix withColumns(const Matrix& from, std::size_t rows, std::size_t columns)
{
    Matrix to(rows, columns, from.hasDoubles());
    std::visit(
        [&](const auto& numbers) {
            auto& result = std::get<std::decay_t<decltype(numbers)>>(to.data);
            const std::size_t shared = std::min(columns, from.columns);
            for (std::size_t i = 0; i < std::min(rows, from.rows); ++i)
                std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(i * from.columns), shared,
                            result.begin() + static_cast<std::ptrdiff_t>(i * columns));
        },
        from.data);
    return to;
}

/// by: columns more of rows and cores, or as many fewer.
Model widened(Model model, int by)
{
    const auto changed = [by](std::size_t columns) { return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(columns) + by); };
    for (unsigned n = 0; n < model.order(); ++n) {
        Matrix& rows = model.factors[n];
        Matrix& core = model.coreFactors[n];
        rows = withColumns(rows, rows.rows, changed(rows.columns));
        core = withColumns(core, changed(core.rows), changed(core.columns));
        model.ranks[n] = static_cast<unsigned>(rows.columns);
    }
    model.coreRank = static_cast<unsigned>(changed(model.coreRank));
    return model;
}

Model withFactors(Model model, double by)
{
    for (Matrix& factor : model.factors)
        std::visit(
            [&](auto& numbers) {
                forEachChunk(numbers.size(), numbersPerChunk, nullptr, [&](Count, Count begin, Count end) {
                    for (Count i = begin; i < end; ++i)
                        numbers[i] = static_cast<std::decay_t<decltype(numbers[i])>>(numbers[i] * by);
                });
            },
            factor.data);
    return model;
}

} // namespace

ValueUnit::ValueUnit(double size, unsigned order, double from)
    : m_from(from)
    , m_order(order)
{
    constexpr double near = 20;
    if (const double exponent = std::log2(size); std::abs(exponent) > near)
        m_exponent = static_cast<int>(std::lround(exponent / order));
}

double ValueUnit::value() const { return std::ldexp(1.0, m_exponent * static_cast<int>(m_order)); }

SparseTensor ValueUnit::into(const SparseTensor& tensor, RunControl& control) const
{
    requireHostMemory(tensor.bytes(),
                      m_from != 0 ? "Values close together far from 0 need a copy of the entries: subtract their mean."
                                  : "Values far from 1 need a copy of the entries: scale the values, or use fp64.");
    control.checkpoint();
    SparseTensor result = tensor;
    std::visit(
        [&](auto& values) {
            forEachChunk(values.size(), numbersPerChunk, control, [&](Count, Count begin, Count end) {
                for (Count e = begin; e < end; ++e)
                    values[e] = static_cast<std::decay_t<decltype(values[e])>>((values[e] - m_from) / value());
            });
        },
        result.values);
    return result;
}

Model ValueUnit::into(Model model) const
{
    if (m_from != 0)
        model = widened(std::move(model), -1);
    if (m_exponent != 0)
        model = withFactors(std::move(model), std::ldexp(1.0, -m_exponent));
    return model;
}

Model ValueUnit::outOf(Model model) const
{
    if (m_exponent != 0)
        model = withFactors(std::move(model), std::ldexp(1.0, m_exponent));
    if (m_from == 0)
        return model;
    model = widened(std::move(model), 1);
    for (unsigned n = 0; n < model.order(); ++n) {
        Matrix& rows = model.factors[n];
        for (std::size_t i = 0; i < rows.rows; ++i)
            rows.set(i, rows.columns - 1, 1);
        model.coreFactors[n].set(model.ranks[n] - 1, model.coreRank - 1, n == 0 ? m_from : 1);
    }
    return model;
}

ErrorSums ValueUnit::outOf(ErrorSums sums) const
{
    sums.squared *= value() * value();
    sums.absolute *= value();
    return sums;
}

double commonPart(double mean, double deviation)
{
    constexpr double far = 8; // from 0, in deviations
    constexpr double nothing = 1e-5; // of the mean: sums of a million equal values leave a tenth of it
    if (!(std::abs(mean) > far * deviation && deviation > nothing * std::abs(mean)))
        return 0;
    const double bit = std::exp2(std::floor(std::log2(deviation)) - 3);
    return static_cast<float>(std::round(mean / bit) * bit);
}

} // namespace kernels::fasttucker_plus
