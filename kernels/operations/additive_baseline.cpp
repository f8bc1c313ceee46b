// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/additive_baseline.h"

#include "kernels/base/chunks.h"
#include "kernels/operations/tensor_norm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace kernels {
namespace {

constexpr Count blockEntries = 2048; // of residuals, 16 KiB of a thread's stack
constexpr Count entriesPerChunk = Count{1} << 16;
constexpr Count mostPartialSums = Count{1} << 23; // 64 MiB
constexpr unsigned mostParts = 32, estimatingSweeps = 3;
constexpr double noEffects = std::numeric_limits<double>::infinity();

/// x − x̂ of these entries, without the effects of one mode.
void residualsWithout(const AdditiveModel& model, const SparseTensor& tensor, unsigned without, Count begin, Count end, double* to)
{
    std::visit(
        [&](const auto& values) { std::transform(values.data() + begin, values.data() + end, to, [&](auto x) { return x - model.mean; }); },
        tensor.values);
    for (unsigned n = 0; n < model.effects.size(); ++n) {
        if (n == without || model.effects[n].empty())
            continue;
        const Index* const index = tensor.indices[n].data() + begin;
        const double* const effects = model.effects[n].data();
        for (Count e = 0; e < end - begin; ++e)
            to[e] -= effects[index[e]];
    }
}

void residuals(const AdditiveModel& model, const SparseTensor& tensor, Count begin, Count end, double* to)
{
    residualsWithout(model, tensor, maxOrder, begin, end, to);
}

struct IndexSums {
    std::vector<double> of; ///< [index]
    double squares = 0; ///< of all entries together
};

/// Σ of what fill(begin, end, numbers) has for the entries, by their index in a mode. As many parts as memory allows, however
/// many threads there are: that keeps the bits.
template <class Fill> IndexSums sumsByIndex(const SparseTensor& tensor, unsigned mode, Progress* progress, const Fill& fill)
{
    const Count size = tensor.modes[mode].size, entries = tensor.entries();
    const Count wanted = std::clamp<Count>(mostPartialSums / std::max<Count>(size, 1), 1, mostParts);
    const Count perPart = std::max(chunkCount(entries, wanted), entriesPerChunk);
    std::vector<std::vector<double>> parts(chunkCount(entries, perPart));
    std::vector<double> squares(parts.size());
    const Index* const index = tensor.indices[mode].data();
    forEachChunk(entries, perPart, static_cast<Progress*>(nullptr), [&](Count part, Count begin, Count end) {
        std::vector<double>& sums = parts[part];
        sums.assign(size, 0);
        std::array<double, blockEntries> numbers;
        for (Count first = begin; first < end; first += blockEntries) {
            if (progress)
                progress->throwIfCancelled();
            const Count last = std::min(end, first + blockEntries);
            fill(first, last, numbers.data());
            for (Count e = first; e < last; ++e) {
                const double number = numbers[e - first];
                sums[index[e]] += number;
                squares[part] += number * number;
            }
        }
        if (progress)
            progress->advance(end - begin);
    });
    IndexSums total{parts.empty() ? std::vector<double>(size) : std::move(parts.front()),
                    std::accumulate(squares.begin(), squares.end(), 0.0)};
    for (std::size_t part = 1; part < parts.size(); ++part)
        std::transform(parts[part].begin(), parts[part].end(), total.of.begin(), total.of.begin(),
                       [](double add, double sum) { return sum + add; });
    return total;
}

IndexSums countsByIndex(const SparseTensor& tensor, unsigned mode, Progress* progress)
{
    return sumsByIndex(tensor, mode, progress, [](Count begin, Count end, double* to) { std::fill(to, to + (end - begin), 1.0); });
}

/// σ²/τ² of one-way analysis of variance with groups of unequal size: `sums` of the groups of `counts` entries.
double ridgeOf(const IndexSums& sums, const std::vector<double>& counts)
{
    double entries = 0, groups = 0, sum = 0, squaredCounts = 0, ofMeans = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0)
            continue;
        entries += counts[i];
        groups += 1;
        sum += sums.of[i];
        squaredCounts += counts[i] * counts[i];
        ofMeans += sums.of[i] * sums.of[i] / counts[i];
    }
    if (groups < 2 || groups >= entries) // one entry an index: effects and residuals are the same thing
        return noEffects;
    const double within = std::max(0.0, sums.squares - ofMeans) / (entries - groups);
    const double between = ofMeans - sum * sum / entries;
    const double variance = (between - (groups - 1) * within) / (entries - squaredCounts / entries);
    return variance > 0 ? within / variance : noEffects;
}

/// One mode's effects anew. Returns what that changes in the predictions: Σ over the entries of its square.
double updateEffects(std::vector<double>& effects, const IndexSums& sums, const std::vector<double>& counts, double ridge)
{
    double change = 0;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        const double effect = counts[i] > 0 && ridge < noEffects ? sums.of[i] / (counts[i] + ridge) : 0;
        change += counts[i] * (effect - effects[i]) * (effect - effects[i]);
        effects[i] = effect;
    }
    return change;
}

template <class Of> double sumOverEntries(Count entries, Progress* progress, const Of& of)
{
    std::vector<double> parts(chunkCount(entries, entriesPerChunk));
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) { parts[chunk] = of(begin, end); });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

} // namespace

AdditiveModel meanModel(const SparseTensor& train, Progress* progress)
{
    const double sum = sumOverEntries(train.entries(), progress, [&](Count begin, Count end) {
        return std::visit([&](const auto& values) { return std::accumulate(values.data() + begin, values.data() + end, 0.0); },
                          train.values);
    });
    AdditiveModel model;
    model.mean = sum / static_cast<double>(train.entries());
    return model;
}

AdditiveModel fitAdditiveModel(const SparseTensor& train, Progress* progress, const AdditiveRule& rule)
{
    const unsigned order = train.order();
    if (progress)
        progress->begin("fitting the additive model", train.entries() * (1 + order * (1 + Count{rule.sweeps})));
    AdditiveModel model = meanModel(train, progress);
    model.ridge = rule.ridge;
    model.ridge.resize(order);
    std::vector<std::vector<double>> counts;
    for (unsigned n = 0; n < order; ++n) {
        model.effects.emplace_back(train.modes[n].size, 0.0);
        counts.push_back(countsByIndex(train, n, progress).of);
    }
    for (bool changing = true; changing && model.sweeps < rule.sweeps; ++model.sweeps) {
        const bool estimating = rule.ridge.empty() && model.sweeps < estimatingSweeps;
        double change = 0, left = 0;
        for (unsigned n = 0; n < order; ++n) {
            const IndexSums sums = sumsByIndex(
                train, n, progress, [&](Count begin, Count end, double* to) { residualsWithout(model, train, n, begin, end, to); });
            if (estimating)
                model.ridge[n] = ridgeOf(sums, counts[n]);
            change = std::max(change, updateEffects(model.effects[n], sums, counts[n], model.ridge[n]));
            left = sums.squares;
        }
        changing = estimating || change > rule.tolerance * rule.tolerance * left;
    }
    return model;
}

ErrorSums errorsOf(const AdditiveModel& model, const SparseTensor& measured, Progress* progress)
{
    if (progress)
        progress->begin("measuring the baselines", measured.entries());
    std::vector<ErrorSums> parts(chunkCount(measured.entries(), entriesPerChunk));
    forEachChunk(measured.entries(), entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        std::array<double, blockEntries> errors;
        for (Count first = begin; first < end; first += blockEntries) {
            const Count last = std::min(end, first + blockEntries);
            residuals(model, measured, first, last, errors.data());
            for (Count e = 0; e < last - first; ++e) {
                parts[chunk].squared += errors[e] * errors[e];
                parts[chunk].absolute += std::abs(errors[e]);
            }
        }
        parts[chunk].count = end - begin;
    });
    ErrorSums total;
    for (const ErrorSums& part : parts)
        total += part;
    return total;
}

/// All cells are there, so that the best effects are the slices' means less the mean, and what they explain adds up.
CellFits fitsOfAllCells(const SparseTensor& tensor, Progress* progress)
{
    const double squares = squaredNormOfCells(tensor, progress);
    if (squares == 0)
        return {};
    double cells = 1;
    for (const Mode& mode : tensor.modes)
        cells *= static_cast<double>(mode.size);
    const double mean = meanModel(tensor, progress).mean * static_cast<double>(tensor.entries()) / cells;
    double explained = cells * mean * mean;
    const auto fit = [&] { return 1 - std::sqrt(std::max(0.0, squares - explained) / squares); };
    CellFits fits{fit(), notMeasured};
    for (unsigned n = 0; n < tensor.order(); ++n) {
        const double perSlice = cells / static_cast<double>(tensor.modes[n].size);
        const IndexSums sums = sumsByIndex(tensor, n, progress,
                                           [&](Count begin, Count end, double* to) { residuals(AdditiveModel{}, tensor, begin, end, to); });
        for (const double sum : sums.of)
            explained += perSlice * (sum / perSlice - mean) * (sum / perSlice - mean);
    }
    fits.additive = fit();
    return fits;
}

} // namespace kernels
