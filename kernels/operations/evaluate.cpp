// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/evaluate.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/models/bulk_predictor.h"
#include "kernels/models/contraction.h"
#include "kernels/operations/model_norm.h"
#include "kernels/operations/tensor_norm.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <numeric>

namespace kernels {
namespace {

/// Calls add(sums, x, x̂) for every entry; one Sums per chunk, added in order. Watch: who is told of chunks and may stop them.
template <class Sums, class Watch, class Add>
Sums sumOverEntries(const BulkPredictor& predictor, const SparseTensor& tensor, Watch&& watch, const Add& add)
{
    const Count entries = tensor.entries();
    const Count entriesPerChunk = predictor.entriesPerChunk();
    std::vector<Sums> parts(chunkCount(entries, entriesPerChunk));
    forEachChunk(entries, entriesPerChunk, watch, [&](Count chunk, Count begin, Count end) {
        thread_local std::vector<double> predicted(BulkPredictor::largestChunk);
        predictor.predict(begin, end, predicted.data());
        Sums sums{};
        std::visit(
            [&](const auto& values) {
                for (Count entry = begin; entry < end; ++entry)
                    add(sums, static_cast<double>(values[entry]), predicted[entry - begin]);
            },
            tensor.values);
        parts[chunk] = sums;
    });
    Sums total{};
    for (const Sums& part : parts)
        total += part;
    return total;
}

template <class Sums, class Add>
Sums sumOverEntries(const Model& model, const SparseTensor& tensor, const char* stage, Progress* progress, const Add& add)
{
    if (progress)
        progress->begin(stage, tensor.entries());
    return sumOverEntries<Sums>(BulkPredictor(model, tensor, progress), tensor, progress, add);
}

void addError(ErrorSums& sums, double x, double predicted)
{
    const double error = predicted - x;
    sums.squared += error * error;
    sums.absolute += std::abs(error);
    ++sums.count;
}

/// Numbers first, then the smaller index: a total order even among NaNs.
bool ranksBefore(const Prediction& a, const Prediction& b)
{
    const bool aNan = std::isnan(a.value);
    const bool bNan = std::isnan(b.value);
    if (aNan != bNan)
        return bNan;
    if (!aNan && a.value != b.value)
        return a.value > b.value;
    return a.index < b.index;
}

void keepBest(std::vector<Prediction>& predictions, std::size_t k)
{
    k = std::min(k, predictions.size());
    std::partial_sort(predictions.begin(), predictions.begin() + static_cast<std::ptrdiff_t>(k), predictions.end(), ranksBefore);
    predictions.resize(k);
}

} // namespace

double ErrorSums::rmse() const { return count == 0 ? notMeasured : std::sqrt(squared / static_cast<double>(count)); }

double ErrorSums::mae() const { return count == 0 ? notMeasured : absolute / static_cast<double>(count); }

ErrorSums& ErrorSums::operator+=(const ErrorSums& other)
{
    squared += other.squared;
    absolute += other.absolute;
    count += other.count;
    return *this;
}

ErrorSums evaluateModel(const Model& model, const SparseTensor& tensor, Progress* progress)
{
    return sumOverEntries<ErrorSums>(model, tensor, "evaluating", progress, addError);
}

ErrorSums evaluateModel(const Model& model, const SparseTensor& tensor, RunControl& control)
{
    return sumOverEntries<ErrorSums>(BulkPredictor(model, tensor, nullptr), tensor, control, addError);
}

double modelFit(const Model& model, const SparseTensor& tensor, Progress* progress)
{
    const double values = squaredNormOfCells(tensor, progress); // ‖X‖²
    if (values == 0)
        return notMeasured; // nothing to be relative to
    const double products = sumOverEntries<double>(model, tensor, "computing the fit", progress,
                                                   [](double& sum, double x, double predicted) { sum += x * predicted; }); // ⟨X, X̂⟩
    const double residual = values - 2 * products + squaredNorm(model, progress);
    return 1 - std::sqrt(std::max(residual, 0.0) / values);
}

std::vector<Prediction> topPredictions(const Model& model, std::vector<Index> index, unsigned freeMode, std::size_t k,
                                       const std::vector<Index>& leaveOut)
{
    if (freeMode >= model.order())
        throw Error(ErrorKind::BadArgument,
                    {"there is no such free mode",
                     "prediction",
                     fmt::format("mode {}", std::uint64_t{freeMode} + 1),
                     fmt::format("1 to {}", model.order()),
                     {}});
    constexpr Count rowsPerChunk = 1 << 14;
    const std::vector<double> d = direction(model, index, freeMode);
    const Matrix& factor = model.factors[freeMode];
    std::vector<std::vector<Prediction>> parts(chunkCount(factor.rows, rowsPerChunk));
    forEachChunk(factor.rows, rowsPerChunk, nullptr, [&](Count chunk, Count begin, Count end) {
        auto& part = parts[chunk];
        part.reserve(end - begin);
        std::visit(
            [&](const auto& data) {
                for (Count i = begin; i < end; ++i) {
                    if (std::binary_search(leaveOut.begin(), leaveOut.end(), static_cast<Index>(i)))
                        continue;
                    const auto* row = data.data() + i * d.size();
                    const double value = std::inner_product(d.begin(), d.end(), row, 0.0);
                    part.push_back({static_cast<Index>(i), value});
                }
            },
            factor.data);
        keepBest(part, k);
    });
    std::vector<Prediction> best;
    for (const auto& part : parts)
        best.insert(best.end(), part.begin(), part.end());
    keepBest(best, k);
    return best;
}

} // namespace kernels
