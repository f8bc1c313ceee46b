// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/kept_sums.h"

#include "kernels/base/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace kernels::ntf {
namespace {

/// Of Σ p and Σ p̄ where values and rows are divided by their units u and v: S is v^(N−1) = u / v.
double unitOfSums(const Scale& scale, Divergence divergence)
{
    const double u = scale.value(), v = scale.row();
    switch (divergence) {
    case Divergence::Euclidean:
        return u / v * u;
    case Divergence::KullbackLeibler:
        return u / v;
    case Divergence::ItakuraSaito:
        break;
    }
    return 1 / v;
}

/// Whether a test holds for all numbers of a matrix in fp64.
template <class Test> bool allPass(const Matrix& matrix, const Test& test)
{
    const auto& numbers = std::get<Array<double>>(matrix.data);
    std::atomic<bool> all{true};
    forEachChunk(numbers.size(), numbersAtOnce, nullptr, [&](Count, Count begin, Count end) {
        if (!std::all_of(numbers.data() + begin, numbers.data() + end, test))
            all = false;
    });
    return all;
}

bool areFinite(const Matrix& matrix)
{
    return allPass(matrix, [](double number) { return std::isfinite(number); });
}

} // namespace

std::string numeratorName(unsigned mode) { return fmt::format("numerator_{}", mode); }
std::string denominatorName(unsigned mode) { return fmt::format("denominator_{}", mode); }
std::string factorAtName(unsigned mode) { return fmt::format("factor_at_{}", mode); }
std::string entriesName(unsigned mode) { return fmt::format("entries_{}", mode); }

SumMatrices sumsInOwnUnit(NtfBackEnd& backEnd, unsigned mode, const Scale& scale, Divergence divergence, RunControl& control)
{
    backEnd.sumRows(mode, control);
    SumMatrices sums = backEnd.sums();
    const double unit = unitOfSums(scale, divergence);
    for (Matrix* matrix : {&sums.numerators, &sums.denominators}) {
        auto& numbers = std::get<Array<double>>(matrix->data);
        forEachChunk(numbers.size(), numbersAtOnce, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                numbers[i] *= unit;
        });
    }
    return sums;
}

bool fitsFloats(double number)
{
    constexpr double least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
    return number == 0 || (number >= least && number <= most);
}

Matrix narrowed(Matrix matrix, bool doubles)
{
    if (doubles || !allPass(matrix, fitsFloats))
        return matrix;
    const auto& numbers = std::get<Array<double>>(matrix.data);
    Matrix floats = Matrix::unfilled(matrix.rows, matrix.columns, false);
    auto& narrow = std::get<Array<float>>(floats.data);
    forEachChunk(numbers.size(), numbersAtOnce, nullptr, [&](Count, Count begin, Count end) {
        std::transform(numbers.data() + begin, numbers.data() + end, narrow.data() + begin,
                       [](double number) { return static_cast<float>(number); });
    });
    return floats;
}

SolverState keptSums(NtfBackEnd& backEnd, const SparseTensor& train, const Scale& scale, Divergence divergence, bool doubles,
                     bool countsEntries, RunControl& control)
{
    SolverState kept;
    for (unsigned n = 0; n < train.order(); ++n) {
        SumMatrices sums = sumsInOwnUnit(backEnd, n, scale, divergence, control);
        if (!areFinite(sums.numerators) || !areFinite(sums.denominators))
            return {};
        kept[numeratorName(n)] = narrowed(std::move(sums.numerators), doubles);
        kept[denominatorName(n)] = narrowed(std::move(sums.denominators), doubles);
        if (countsEntries) {
            const Array<double> counts = entriesOfRows(train, n);
            Matrix& column = kept[entriesName(n)] = Matrix::unfilled(counts.size(), 1, true);
            std::copy(counts.begin(), counts.end(), std::get<Array<double>>(column.data).begin());
        }
    }
    return kept;
}

Array<double> entriesOfRows(const SparseTensor& tensor, unsigned mode)
{
    Array<double> counts(tensor.modes[mode].size, 0.0);
    for (const Index i : tensor.indices[mode])
        ++counts[i];
    return counts;
}

double penaltyInUnits(double penalty, Divergence divergence, const Scale& scale)
{
    if (penalty == 0)
        return 0; // also where the unit's square is too small to hold
    const double u = scale.value(), v = scale.row();
    const double ofLoss = divergence == Divergence::Euclidean ? u * u : divergence == Divergence::KullbackLeibler ? u : 1.0;
    return penalty * (v / ofLoss) * v;
}

Rule ruleFor(Divergence divergence, bool paperRule, double penalty)
{
    if (paperRule || penalty == 0 || divergence == Divergence::Euclidean)
        return Rule::Plain;
    return divergence == Divergence::KullbackLeibler ? Rule::KullbackLeibler : Rule::ItakuraSaito;
}

} // namespace kernels::ntf
