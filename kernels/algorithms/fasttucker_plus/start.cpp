// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/start.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernels::fasttucker_plus {
namespace {

constexpr std::uint64_t factorStream = 0x6661'0000;
constexpr std::uint64_t coreStream = 0x636F'0000;
constexpr std::uint64_t sampleStream = 0x7361'0000;
constexpr Count sampledEntries = 256;

/// Fills a matrix from a function of (row, column), in parallel.
template <class F> void fill(Matrix& matrix, RunControl& control, const F& f)
{
    constexpr Count numbersAtOnce = Count{1} << 14; // a normal one takes some 30 ns
    std::visit(
        [&](auto& data) {
            using T = typename std::decay_t<decltype(data)>::value_type;
            forEachChunk(matrix.rows, std::max<Count>(numbersAtOnce / matrix.columns, 1), control, [&](Count, Count begin, Count end) {
                for (Count row = begin; row < end; ++row)
                    for (std::size_t c = 0; c < matrix.columns; ++c)
                        data[row * matrix.columns + c] = static_cast<T>(f(row, c));
            });
        },
        matrix.data);
}

/// Size of one term's product and how many terms count positively.
struct Terms {
    double size = 0;
    unsigned positive = 0;
};

Terms balancedTerms(const StartSpec& spec)
{
    Terms terms;
    terms.size = predictionScale(spec.values) / spec.coreRank;
    const double positive = 0.5 * (spec.coreRank + spec.values.mean / terms.size);
    terms.positive =
        spec.nonnegative ? spec.coreRank : static_cast<unsigned>(std::lround(std::clamp(positive, 0.0, double(spec.coreRank))));
    return terms;
}

/// Which column of a row term r reads, where J < R: wrapped around, shifted so that no two terms read
/// the same columns in all modes.
unsigned columnOfTerm(unsigned term, unsigned mode, unsigned rank) { return (term + mode * (term / rank)) % rank; }

/// 1/(number of columns a term reads) where it reads this one, else 0.
double balancedCore(unsigned column, unsigned term, unsigned mode, unsigned rank, unsigned coreRank)
{
    if (rank <= coreRank)
        return columnOfTerm(term, mode, rank) == column ? 1.0 : 0.0;
    const unsigned readers = (rank - term + coreRank - 1) / coreRank;
    return column % coreRank == term ? 1.0 / readers : 0.0;
}

/// level: of the mode's rows.
void drawMode(const StartSpec& spec, unsigned n, double level, const Terms& terms, Model& model, RunControl& control)
{
    const unsigned rank = spec.ranks[n];
    fill(model.factors[n], control, [&](Count row, std::size_t column) {
        const double value = level * (1.0 + spec.noise * random::normal(spec.seed, factorStream + n, row * rank + column));
        return spec.nonnegative ? std::abs(value) : value;
    });
    fill(model.coreFactors[n], control, [&](Count column, std::size_t term) {
        const double sign = n == 0 && term >= terms.positive ? -1.0 : 1.0;
        return sign * balancedCore(static_cast<unsigned>(column), static_cast<unsigned>(term), n, rank, spec.coreRank);
    });
}

void drawBalanced(const StartSpec& spec, Model& model, RunControl& control)
{
    const Terms terms = balancedTerms(spec);
    const auto shortest = static_cast<unsigned>(std::min_element(spec.dims.begin(), spec.dims.end()) - spec.dims.begin());
    const double modes = static_cast<double>(spec.dims.size()) - (spec.steep ? 1 : 0), level = std::pow(terms.size, 1.0 / modes);
    for (unsigned n = 0; n < spec.dims.size(); ++n)
        drawMode(spec, n, spec.steep && n == shortest ? 1.0 : level, terms, model, control);
}

void drawPaper(const StartSpec& spec, Model& model, RunControl& control)
{
    const double order = static_cast<double>(spec.dims.size());
    double logProduct = 0;
    for (const unsigned rank : spec.ranks)
        logProduct += std::log(static_cast<double>(rank));
    const double rowLevel = spec.values.rootMeanSquare > 0 ? std::exp((std::log(spec.values.rootMeanSquare) - logProduct) / order) : 1.0;
    const double coreLevel = std::pow(1.0 / spec.coreRank, 1.0 / order);
    for (unsigned n = 0; n < spec.dims.size(); ++n) {
        const auto draw = [&](std::uint64_t stream, std::size_t columns, double level) {
            return [=, seed = spec.seed](Count row, std::size_t column) {
                return level * (0.5 + random::uniform(seed, stream + n, row * columns + column));
            };
        };
        fill(model.factors[n], control, draw(factorStream, spec.ranks[n], rowLevel));
        fill(model.coreFactors[n], control, draw(coreStream, spec.coreRank, coreLevel));
    }
}

/// Adds |d^(n)|² and |a^(n)|² |w^(n)|² of one entry, in fp64. Terms of d count by size: those that cancel at the
/// start need not cancel for long.
void addSlopes(const Model& model, const SparseTensor& train, Count entry, std::vector<double>& rows, std::vector<double>& cores)
{
    const unsigned order = model.order();
    const unsigned coreRank = model.coreRank;
    std::vector<std::vector<double>> c(order, std::vector<double>(coreRank, 0.0));
    for (unsigned n = 0; n < order; ++n)
        for (unsigned j = 0; j < model.ranks[n]; ++j)
            for (unsigned r = 0; r < coreRank; ++r)
                c[n][r] += model.factors[n].at(train.indices[n][entry], j) * model.coreFactors[n].at(j, r);
    for (unsigned n = 0; n < order; ++n) {
        std::vector<double> w(coreRank, 1.0);
        double wSquared = 0, aSquared = 0;
        for (unsigned r = 0; r < coreRank; ++r) {
            for (unsigned k = 0; k < order; ++k)
                w[r] *= k == n ? 1.0 : c[k][r];
            wSquared += w[r] * w[r];
        }
        for (unsigned j = 0; j < model.ranks[n]; ++j) {
            double d = 0;
            for (unsigned r = 0; r < coreRank; ++r)
                d += std::abs(model.coreFactors[n].at(j, r) * w[r]);
            rows[n] += d * d;
            aSquared += std::pow(model.factors[n].at(train.indices[n][entry], j), 2);
        }
        cores[n] += aSquared * wSquared;
    }
}

} // namespace

ValueScale valueScale(const SparseTensor& tensor, RunControl& control)
{
    constexpr Count chunk = Count{1} << 16;
    const Count entries = tensor.entries();
    std::vector<ValueScale> sums(chunkCount(entries, chunk));
    std::visit(
        [&](const auto& values) {
            forEachChunk(entries, chunk, control, [&](Count number, Count begin, Count end) {
                ValueScale sum;
                for (Count i = begin; i < end; ++i) {
                    const double v = values[i];
                    sum.mean += v;
                    sum.rootMeanSquare += v * v;
                    sum.largest = std::max(sum.largest, std::abs(v));
                    sum.least = std::min(sum.least, v);
                }
                sums[number] = sum;
            });
        },
        tensor.values);
    ValueScale total;
    for (const ValueScale& sum : sums) {
        total.mean += sum.mean;
        total.rootMeanSquare += sum.rootMeanSquare;
        total.largest = std::max(total.largest, sum.largest);
        total.least = std::min(total.least, sum.least);
    }
    if (!std::isfinite(total.mean) || !std::isfinite(total.rootMeanSquare))
        throw Error(ErrorKind::BadInput, {"a value is not a finite number, or too large to square", "training set", {}, {}, {}});
    if (entries > 0) {
        total.mean /= static_cast<double>(entries);
        total.rootMeanSquare = std::sqrt(total.rootMeanSquare / static_cast<double>(entries));
    }
    return total;
}

double predictionScale(const ValueScale& values)
{
    const double scale = std::max(std::abs(values.mean), 0.5 * values.rootMeanSquare);
    return scale > 0 ? scale : 1.0;
}

double deviation(const ValueScale& values)
{
    return std::sqrt(std::max(values.rootMeanSquare * values.rootMeanSquare - values.mean * values.mean, 0.0));
}

double relativeSpread(const ValueScale& values)
{
    constexpr double wide = 0.25; // of the mean; ratings have more
    const double size = wide * std::abs(values.mean);
    return size > 0 ? std::min(1.0, deviation(values) / size) : 1.0;
}

Model drawStart(const StartSpec& spec, RunControl& control)
{
    Model model;
    model.kind = ModelKind::FastTucker;
    model.dims = spec.dims;
    model.ranks = spec.ranks;
    model.coreRank = spec.coreRank;
    for (unsigned n = 0; n < spec.dims.size(); ++n) {
        model.factors.push_back(Matrix::unfilled(spec.dims[n], spec.ranks[n], spec.doubles));
        model.coreFactors.push_back(Matrix::unfilled(spec.ranks[n], spec.coreRank, spec.doubles));
    }
    if (spec.paper)
        drawPaper(spec, model, control);
    else
        drawBalanced(spec, model, control);
    return model;
}

StartSlopes startSlopes(const Model& start, const SparseTensor& train, std::uint64_t seed, RunControl& control)
{
    std::vector<double> rows(start.order(), 0.0), cores(start.order(), 0.0);
    for (Count s = 0; s < sampledEntries; ++s) {
        control.checkpoint(); // an entry of high order and rank takes milliseconds
        addSlopes(start, train, random::bits(seed, sampleStream, s) % train.entries(), rows, cores);
    }
    for (double& slope : rows)
        slope = slope > 0 ? slope / sampledEntries : 1.0;
    const double core = *std::max_element(cores.begin(), cores.end()) / sampledEntries;
    return {rows, core > 0 ? core : 1.0};
}

} // namespace kernels::fasttucker_plus
