// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/divergence.h"

#include "kernels/tensor/value_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kernels {
namespace {

double quantile(const std::vector<double>& sorted, double share)
{
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

} // namespace

std::string_view toString(Divergence divergence)
{
    switch (divergence) {
    case Divergence::KullbackLeibler:
        return "kl";
    case Divergence::ItakuraSaito:
        return "is";
    case Divergence::Euclidean:
        break;
    }
    return "euclidean";
}

std::string_view titleOf(Divergence divergence)
{
    switch (divergence) {
    case Divergence::KullbackLeibler:
        return "Kullback-Leibler";
    case Divergence::ItakuraSaito:
        return "Itakura-Saito";
    case Divergence::Euclidean:
        break;
    }
    return "Euclidean";
}

std::optional<Divergence> divergenceFromString(std::string_view text)
{
    for (const Divergence divergence : {Divergence::Euclidean, Divergence::KullbackLeibler, Divergence::ItakuraSaito})
        if (text == toString(divergence))
            return divergence;
    return {};
}

DivergenceAdvice adviseDivergence(const SparseTensor& tensor, std::optional<bool> hasZeros)
{
    const std::vector<double> sorted = sortedValueSample(tensor);
    const DivergenceAdvice advice = adviseDivergence(sorted, hasZeros.value_or(false));
    if (hasZeros || advice.divergence != Divergence::ItakuraSaito)
        return advice;
    const bool anyZero =
        std::visit([](const auto& values) { return std::find(values.begin(), values.end(), 0) != values.end(); }, tensor.values);
    return anyZero ? adviseDivergence(sorted, true) : advice;
}

DivergenceAdvice adviseDivergence(const std::vector<double>& sorted, bool hasZeros)
{
    using Reason = DivergenceAdvice::Reason;
    constexpr double farApart =
        100; // of the highest and lowest twentieth; 59 of exponential values of one mean, 19 of those spread evenly from 0
    if (sorted.empty() || !std::isfinite(sorted.back()) || sorted.front() < 0)
        return {Divergence::Euclidean, Reason::Negative};
    if (looksLikeCounts(sorted))
        return {Divergence::KullbackLeibler, Reason::Counts};
    const double low = quantile(sorted, 0.05), high = quantile(sorted, 0.95);
    const double spread = low > 0 ? high / low : 1;
    if (sorted.front() > 0 && spread >= farApart && !hasZeros)
        return {Divergence::ItakuraSaito, Reason::Spread, spread};
    return {Divergence::Euclidean, Reason::Even, spread};
}

std::string DivergenceAdvice::because() const
{
    switch (reason) {
    case Reason::Counts:
        return "the values are whole numbers that vary as counts do";
    case Reason::Spread:
        return fmt::format("the values are positive, and nine in ten of them spread over a factor of {:.0f}", spread);
    case Reason::Negative:
        return "the values are not all 0 or above";
    case Reason::Even:
        break;
    }
    return "the values are neither counts nor spread over decades";
}

} // namespace kernels
