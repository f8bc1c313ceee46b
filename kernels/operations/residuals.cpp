// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/residuals.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/models/bulk_predictor.h"

#include <fmt/format.h>

#include <cmath>

namespace kernels {
namespace {

constexpr Count entriesPerBatch = Count{1} << 18; // 2 MiB of predictions; sums of one batch take milliseconds

/// Keeps the `most` entries that come first by `before`; the one to give way lies on top of a heap.
template <class Before> void keepWorst(std::vector<EntryResidual>& list, const EntryResidual& entry, std::size_t most, const Before& before)
{
    if (list.size() == most) {
        if (most == 0 || !before(entry, list.front()))
            return;
        std::pop_heap(list.begin(), list.end(), before);
        list.pop_back();
    }
    list.push_back(entry);
    std::push_heap(list.begin(), list.end(), before);
}

bool higher(const EntryResidual& a, const EntryResidual& b)
{
    return a.residual() != b.residual() ? a.residual() < b.residual() : a.entry < b.entry;
}

bool lower(const EntryResidual& a, const EntryResidual& b)
{
    return a.residual() != b.residual() ? a.residual() > b.residual() : a.entry < b.entry;
}

/// One batch of entries with their predictions.
struct Batch {
    const SparseTensor& tensor;
    const Array<Count>& testPositions;
    Count begin = 0, end = 0;
    const double* predicted = nullptr;

    /// Calls f(entry, isTest, x, x̂) in the order of entries.
    template <class F> void forEach(const F& f) const
    {
        auto next = std::lower_bound(testPositions.begin(), testPositions.end(), begin);
        std::visit(
            [&](const auto& values) {
                for (Count entry = begin; entry < end; ++entry) {
                    const bool test = next != testPositions.end() && *next == entry;
                    next += test;
                    f(entry, test, static_cast<double>(values[entry]), predicted[entry - begin]);
                }
            },
            tensor.values);
    }

    void addTotals(Residuals& into) const
    {
        forEach([&](Count, bool test, double x, double y) {
            PartResiduals& part = test ? into.test : into.train;
            const double residual = x - y;
            if (!std::isfinite(residual)) {
                ++part.notFinite;
                return;
            }
            part.errors.squared += residual * residual;
            part.errors.absolute += std::abs(residual);
            ++part.errors.count;
            part.sum += residual;
            part.histogram.add(residual);
        });
    }

    void addWorst(Residuals& into, std::size_t most) const
    {
        forEach([&](Count entry, bool test, double x, double y) {
            PartResiduals& part = test ? into.test : into.train;
            const EntryResidual found{entry, x, y};
            if (found.residual() < 0 && std::isfinite(found.residual()))
                keepWorst(part.tooHigh, found, most, higher);
            else if (found.residual() > 0 && std::isfinite(found.residual()))
                keepWorst(part.tooLow, found, most, lower);
        });
    }

    void addSlices(Residuals& into, unsigned mode) const
    {
        const Index* const indices = tensor.indices[mode].data();
        std::vector<ResidualSums>& train = into.train.slices[mode];
        std::vector<ResidualSums>& test = into.test.slices[mode];
        forEach([&](Count entry, bool isTest, double x, double y) {
            if (std::isfinite(x - y))
                (isTest ? test : train)[indices[entry]].add(x - y);
        });
    }
};

Residuals emptyResiduals(const SparseTensor& tensor, bool withTest)
{
    Residuals result;
    for (const Mode& mode : tensor.modes) {
        result.train.slices.emplace_back(mode.size);
        result.test.slices.emplace_back(withTest ? mode.size : 0);
    }
    return result;
}

void checkPositions(const SparseTensor& tensor, const Array<Count>& positions)
{
    if (!positions.empty() && (!tensor.sorted || positions.back() >= tensor.entries()))
        throw Error(ErrorKind::BadInput,
                    {"the test positions belong to another tensor", "residuals", fmt::format("position {}", positions.back()),
                     fmt::format("less than {}", tensor.entries()), "Give the tensor that the model was made from."});
}

} // namespace

double ResidualSums::mean() const { return count == 0 ? notMeasured : sum / static_cast<double>(count); }

double ResidualSums::rmse() const { return count == 0 ? notMeasured : std::sqrt(squared / static_cast<double>(count)); }

void ResidualSums::add(double residual)
{
    sum += residual;
    squared += residual * residual;
    ++count;
}

ResidualSums& ResidualSums::operator+=(const ResidualSums& other)
{
    sum += other.sum;
    squared += other.squared;
    count += other.count;
    return *this;
}

void ResidualHistogram::add(double residual)
{
    ++m_total;
    if (residual != 0 && m_width == 0) // so that the first one lies in the outer half
        m_width = std::ldexp(1.0, std::max(std::ilogb(residual) + 1, -1000) - std::ilogb(half));
    double bin = m_width > 0 ? std::floor(residual / m_width) : 0;
    while (bin < -half || bin >= half) {
        doubleWidth();
        bin = std::floor(residual / m_width);
    }
    ++m_counts[static_cast<std::size_t>(static_cast<int>(bin) + half)];
}

void ResidualHistogram::doubleWidth()
{
    std::vector<Count> wider(m_counts.size());
    for (int bin = -half; bin < half; ++bin)
        wider[static_cast<std::size_t>((bin >= 0 ? bin / 2 : -((1 - bin) / 2)) + half)] += count(bin); // ⌊bin / 2⌋
    m_counts.swap(wider);
    m_width *= 2;
}

Residuals computeResiduals(const Model& model, const SparseTensor& tensor, const Array<Count>& testPositions, std::size_t worst,
                           Progress* progress)
{
    checkPositions(tensor, testPositions);
    const Count entries = tensor.entries();
    if (progress)
        progress->begin("computing residuals", entries);
    const BulkPredictor predictor(model, tensor, progress);
    Residuals result = emptyResiduals(tensor, !testPositions.empty());
    Array<double> predicted(std::min(entries, entriesPerBatch));
    for (Count first = 0; first < entries; first += entriesPerBatch) {
        const Batch batch{tensor, testPositions, first, std::min(entries, first + entriesPerBatch), predicted.data()};
        forEachChunk(batch.end - first, predictor.entriesPerChunk(), progress,
                     [&](Count, Count begin, Count end) { predictor.predict(first + begin, first + end, predicted.data() + begin); });
        // A thread for each kind of sum, which adds in the order of entries: the same bits however many threads there are.
        tbb::parallel_for(0U, tensor.order() + 2, [&](unsigned task) {
            if (task < tensor.order())
                batch.addSlices(result, task);
            else if (task == tensor.order())
                batch.addTotals(result);
            else
                batch.addWorst(result, worst);
        });
    }
    for (PartResiduals* part : {&result.train, &result.test}) {
        std::sort_heap(part->tooHigh.begin(), part->tooHigh.end(), higher);
        std::sort_heap(part->tooLow.begin(), part->tooLow.end(), lower);
    }
    return result;
}

} // namespace kernels
