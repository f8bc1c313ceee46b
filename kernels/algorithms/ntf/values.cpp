// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/values.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kernels::ntf {
namespace {

constexpr Count valuesAtOnce = Count{1} << 16;
constexpr Count none = std::numeric_limits<Count>::max();

struct Part {
    double sum = 0, squares = 0;
    Count zeros = 0, firstZero = none, firstBad = none;
};

/// One Part for every stretch of entries, in their order.
template <class Result, class Look> std::vector<Result> overValues(const SparseTensor& tensor, RunControl& control, const Look& look)
{
    std::vector<Result> parts(chunkCount(tensor.entries(), valuesAtOnce));
    std::visit(
        [&](const auto& values) {
            forEachChunk(values.size(), valuesAtOnce, control, [&](Count chunk, Count begin, Count end) {
                for (Count e = begin; e < end; ++e)
                    look(parts[chunk], e, static_cast<double>(values[e]));
            });
        },
        tensor.values);
    return parts;
}

/// Coordinates as files count them, by name where the mode has names.
std::string entryText(const SparseTensor& tensor, Count entry, const char* part)
{
    std::vector<std::string> places;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        const Index i = tensor.indices[n][entry];
        places.push_back(i < tensor.modes[n].labels.size() ? tensor.modes[n].labels[i] : fmt::format("{}", Count{i} + 1));
    }
    return fmt::format("{}{}entry ({})", part, *part ? " " : "", fmt::join(places, ", "));
}

} // namespace

Scale::Scale(double mean, unsigned order)
    : m_order(order)
{
    if (mean > 0)
        m_exponent = static_cast<int>(std::lround(std::log2(mean) / order));
}

double Scale::value() const { return std::ldexp(1.0, m_exponent * static_cast<int>(m_order)); }

double Scale::row() const { return std::ldexp(1.0, m_exponent); }

ValueFacts factsOf(const SparseTensor& tensor, RunControl& control, const char* ofPart)
{
    const auto parts = overValues<Part>(tensor, control, [](Part& part, Count e, double x) {
        part.sum += x;
        part.squares += x * x;
        if (!(x >= 0) || std::isinf(x))
            part.firstBad = std::min(part.firstBad, e);
        if (x == 0 && part.zeros++ == 0)
            part.firstZero = e;
    });
    ValueFacts facts;
    double sum = 0, squares = 0;
    Count firstZero = none, firstBad = none;
    for (const Part& part : parts) {
        sum += part.sum;
        squares += part.squares;
        facts.zeros += part.zeros;
        firstZero = std::min(firstZero, part.firstZero);
        firstBad = std::min(firstBad, part.firstBad);
    }
    if (firstBad != none) {
        const double x = tensor.value(firstBad);
        const bool negative = x < 0 && std::isfinite(x);
        throw Error(
            ErrorKind::BadInput,
            {negative ? "a non-negative model cannot follow values below 0" : "the values must be finite numbers",
             entryText(tensor, firstBad, ofPart), fmt::format("{}", x), "0 or more",
             negative
                 ? "Subtract the least value from all, leave such entries out, or choose an algorithm without this limit, such as cp-als."
                 : "Look at the values with polyad-cli info."});
    }
    if (!std::isfinite(squares))
        throw Error(ErrorKind::BadInput,
                    {"the values are so large that their squares' sum is no finite number",
                     *ofPart ? fmt::format("{} entries", ofPart) : "training entries",
                     {},
                     {},
                     "Divide all values by the same number."});
    facts.mean = sum / static_cast<double>(std::max<Count>(tensor.entries(), 1));
    facts.firstZero = firstZero == none ? 0 : firstZero;
    return facts;
}

void requireValues(const SparseTensor& tensor, const ValueFacts& facts, Divergence divergence, const char* part)
{
    if (divergence != Divergence::ItakuraSaito || facts.zeros == 0)
        return;
    throw Error(
        ErrorKind::BadInput,
        {facts.zeros == 1
             ? "the Itakura-Saito divergence is not defined for an entry that is 0"
             : fmt::format("the Itakura-Saito divergence is not defined for the {} entries that are 0, the first of them", facts.zeros),
         entryText(tensor, facts.firstZero, part), "0", "a value above 0",
         "Choose divergence=kl or euclidean, or leave entries of value 0 out (--zeros drop; in the window, as it is opened)."});
}

ChosenDivergence chosenDivergence(const std::string& parameter, const SparseTensor& tensor, const ValueFacts& facts)
{
    if (const auto named = divergenceFromString(parameter))
        return {*named, {}};
    const DivergenceAdvice advice = adviseDivergence(tensor, facts.zeros > 0);
    return {advice.divergence, fmt::format("with divergence={}, which auto took: {}", toString(advice.divergence), advice.because())};
}

} // namespace kernels::ntf
