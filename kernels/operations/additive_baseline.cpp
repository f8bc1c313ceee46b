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

double sumOfSquares(const double* numbers, Count count)
{
    constexpr Count lanes = 4; // sums that do not wait for one another
    std::array<double, lanes> sums{};
    for (Count i = 0; i < count; ++i)
        sums[i % lanes] += numbers[i] * numbers[i];
    return sums[0] + sums[1] + (sums[2] + sums[3]);
}

/// A sum is in a register while its index stays, as in the mode that entries are sorted by.
template <class Add> void addByIndex(const Index* index, Count count, double* to, const Add& add)
{
    if (count == 0)
        return;
    Index at = index[0];
    double sum = to[at];
    for (Count i = 0; i < count; ++i) {
        if (index[i] != at) {
            to[at] = sum;
            at = index[i];
            sum = to[at];
        }
        sum += add(i);
    }
    to[at] = sum;
}

/// Adds up what fill(begin, end, numbers) has for the entries. It works in as many parts as memory allows, however many threads
/// there are: that keeps the bits. The memory is used again by the next call.
class SumsByIndex {
public:
    SumsByIndex(const SparseTensor& tensor, Progress* progress)
        : m_tensor(tensor)
        , m_progress(progress)
    {
    }

    template <class Fill> IndexSums sums(unsigned mode, const Fill& fill)
    {
        IndexSums total;
        m_squares.assign(partsOf(mode), 0);
        total.of = inParts(mode, [&](Count part, Count begin, Count end, double* to) {
            std::array<double, blockEntries> numbers;
            const Index* const index = m_tensor.indices[mode].data();
            double squares = 0;
            for (Count first = begin; first < end; first += blockEntries) {
                if (m_progress)
                    m_progress->throwIfCancelled();
                const Count last = std::min(end, first + blockEntries);
                fill(first, last, numbers.data());
                squares += sumOfSquares(numbers.data(), last - first);
                addByIndex(index + first, last - first, to, [&](Count i) { return numbers[i]; });
            }
            m_squares[part] = squares;
        });
        total.squares = std::accumulate(m_squares.begin(), m_squares.end(), 0.0);
        return total;
    }

    std::vector<double> counts(unsigned mode)
    {
        return inParts(mode, [&](Count, Count begin, Count end, double* to) {
            addByIndex(m_tensor.indices[mode].data() + begin, end - begin, to, [](Count) { return 1.0; });
        });
    }

private:
    Count perPart(unsigned mode) const
    {
        const Count size = m_tensor.modes[mode].size, entries = m_tensor.entries();
        const Count wanted = std::clamp<Count>(mostPartialSums / std::max<Count>(size, 1), 1, mostParts);
        return std::max(chunkCount(entries, wanted), entriesPerChunk);
    }
    Count partsOf(unsigned mode) const { return chunkCount(m_tensor.entries(), perPart(mode)); }

    template <class Work> std::vector<double> inParts(unsigned mode, const Work& work)
    {
        const Count size = m_tensor.modes[mode].size, parts = partsOf(mode);
        m_parts.resize(std::max<std::size_t>(m_parts.size(), parts * size));
        forEachChunk(m_tensor.entries(), perPart(mode), static_cast<Progress*>(nullptr), [&](Count part, Count begin, Count end) {
            double* const to = m_parts.data() + part * size;
            std::fill(to, to + size, 0.0);
            work(part, begin, end, to);
            if (m_progress)
                m_progress->advance(end - begin);
        });
        std::vector<double> total(size);
        forEachChunk(size, blockEntries, nullptr, [&](Count, Count begin, Count end) {
            for (Count part = 0; part < parts; ++part)
                for (Count i = begin; i < end; ++i)
                    total[i] += m_parts[part * size + i];
        });
        return total;
    }

    const SparseTensor& m_tensor;
    Progress* m_progress;
    Array<double> m_parts;
    std::vector<double> m_squares;
};

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
    SumsByIndex byIndex(train, progress);
    std::vector<std::vector<double>> counts;
    for (unsigned n = 0; n < order; ++n) {
        model.effects.emplace_back(train.modes[n].size, 0.0);
        counts.push_back(byIndex.counts(n));
    }
    for (bool changing = true; changing && model.sweeps < rule.sweeps; ++model.sweeps) {
        const bool estimating = rule.ridge.empty() && model.sweeps < estimatingSweeps;
        double change = 0, left = 0;
        for (unsigned n = 0; n < order; ++n) {
            const IndexSums sums =
                byIndex.sums(n, [&](Count begin, Count end, double* to) { residualsWithout(model, train, n, begin, end, to); });
            if (estimating)
                model.ridge[n] = ridgeOf(sums, counts[n]);
            change = std::max(change, updateEffects(model.effects[n], sums, counts[n], model.ridge[n]));
            left = sums.squares;
        }
        changing = change > rule.tolerance * rule.tolerance * left;
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
        const IndexSums sums = SumsByIndex(tensor, progress).sums(n, [&](Count begin, Count end, double* to) {
            residuals(AdditiveModel{}, tensor, begin, end, to);
        });
        for (const double sum : sums.of)
            explained += perSlice * (sum / perSlice - mean) * (sum / perSlice - mean);
    }
    fits.additive = fit();
    return fits;
}

} // namespace kernels
