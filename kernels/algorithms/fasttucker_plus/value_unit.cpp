// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/value_unit.h"

#include "kernels/base/chunks.h"
#include "kernels/base/host_memory.h"

#include <cmath>

namespace kernels::fasttucker_plus {
namespace {

constexpr Count numbersPerChunk = Count{1} << 16;

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

ValueUnit::ValueUnit(double size, unsigned order)
    : m_order(order)
{
    constexpr double near = 20;
    if (const double exponent = std::log2(size); std::abs(exponent) > near)
        m_exponent = static_cast<int>(std::lround(exponent / order));
}

double ValueUnit::value() const { return std::ldexp(1.0, m_exponent * static_cast<int>(m_order)); }

SparseTensor ValueUnit::into(const SparseTensor& tensor, RunControl& control) const
{
    requireHostMemory(tensor.bytes(), "Values far from 1 need a copy of the entries: scale the values, or use fp64.");
    control.checkpoint();
    SparseTensor result = tensor;
    std::visit(
        [&](auto& values) {
            forEachChunk(values.size(), numbersPerChunk, control, [&](Count, Count begin, Count end) {
                for (Count e = begin; e < end; ++e)
                    values[e] = static_cast<std::decay_t<decltype(values[e])>>(values[e] / value());
            });
        },
        result.values);
    return result;
}

Model ValueUnit::into(Model model) const
{
    if (isOne())
        return model; // moved: in a conditional expression it would be copied
    return withFactors(std::move(model), std::ldexp(1.0, -m_exponent));
}

Model ValueUnit::outOf(Model model) const
{
    if (isOne())
        return model;
    return withFactors(std::move(model), std::ldexp(1.0, m_exponent));
}

ErrorSums ValueUnit::outOf(ErrorSums sums) const
{
    sums.squared *= value() * value();
    sums.absolute *= value();
    return sums;
}

} // namespace kernels::fasttucker_plus
