// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/aggregate.h"

#include "io/error.h"
#include "io/table/values.h"
#include "io/text/tokens.h"
#include "kernels/base/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace io::table {
namespace {

using kernels::Array;
using kernels::Count;
using kernels::Index;

constexpr Count entriesPerChunk = Count{1} << 16;

bool beginsCell(const kernels::SparseTensor& tensor, Count entry)
{
    return entry == 0 || std::any_of(tensor.indices.begin(), tensor.indices.end(), [entry](const Array<Index>& indices) {
               return indices[entry] != indices[entry - 1];
           });
}

/// Neumaier's sum: what rounding takes off is added at the end.
class ExactSum {
public:
    void add(double value)
    {
        const double sum = m_sum + value;
        m_lost += std::fabs(m_sum) >= std::fabs(value) ? (m_sum - sum) + value : (value - sum) + m_sum;
        m_sum = sum;
    }
    double value() const { return std::isfinite(m_sum) ? m_sum + m_lost : m_sum; }

private:
    double m_sum = 0, m_lost = 0;
};

double medianOf(std::vector<double>& values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The value of a cell from those of its rows, begin to end.
template <class Values> double cellValue(const Values& values, Count begin, Count end, Aggregate aggregate, std::vector<double>& scratch)
{
    const auto fold = [&](double start, auto&& step) {
        double result = start;
        for (Count e = begin; e < end; ++e)
            result = step(result, static_cast<double>(values[e]));
        return result;
    };
    const auto sum = [&] {
        ExactSum all;
        for (Count e = begin; e < end; ++e)
            all.add(static_cast<double>(values[e]));
        return all.value();
    };
    switch (aggregate) {
    case Aggregate::Count:
        return static_cast<double>(end - begin);
    case Aggregate::Sum:
        return sum();
    case Aggregate::Mean:
        return sum() / static_cast<double>(end - begin);
    case Aggregate::Median:
        scratch.assign(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end));
        return medianOf(scratch);
    case Aggregate::Min:
        return fold(static_cast<double>(values[begin]), [](double a, double b) { return std::min(a, b); });
    case Aggregate::Max:
        return fold(static_cast<double>(values[begin]), [](double a, double b) { return std::max(a, b); });
    case Aggregate::First:
        return static_cast<double>(values[begin]);
    case Aggregate::Last:
        return static_cast<double>(values[end - 1]);
    case Aggregate::Any:
        return 1;
    }
    return 0;
}

double meanOf(const Array<double>& values)
{
    ExactSum sum;
    for (const double value : values)
        sum.add(value);
    return values.empty() ? 0 : sum.value() / static_cast<double>(values.size());
}

double deviationOf(const Array<double>& values)
{
    const double mean = meanOf(values);
    ExactSum squares;
    for (const double value : values)
        squares.add((value - mean) * (value - mean));
    return values.empty() ? 0 : std::sqrt(squares.value() / static_cast<double>(values.size()));
}

/// The deviation. Values that differ by nothing but rounding stay as they are.
double divisorOf(const Array<double>& values)
{
    constexpr double rounding = 1e-12;
    const double deviation = deviationOf(values);
    double largest = 0;
    for (const double value : values)
        largest = std::max(largest, std::fabs(value));
    return deviation > rounding * largest ? deviation : 1;
}

/// A sum can be larger than any number.
void requireFinite(const kernels::SparseTensor& tensor, Aggregate aggregate, const std::string& fileName)
{
    const Array<double>& values = std::get<Array<double>>(tensor.values);
    const auto at = std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
    if (at == values.end())
        return;
    const auto entry = static_cast<Count>(at - values.begin());
    std::string cell;
    for (std::size_t m = 0; m < tensor.modes.size(); ++m)
        cell += (m ? ", " : "") + tensor.modes[m].labels[tensor.indices[m][entry]];
    throw Error({fmt::format("the {} of the cell {} is too large for a number", aggregateWord(aggregate), cell),
                 fileName,
                 {},
                 {},
                 "Leave such rows out by a filter."});
}

void centre(const kernels::SparseTensor& tensor, Array<double>& values, Transform& transform, const std::string& fileName)
{
    const auto at =
        std::find_if(tensor.modes.begin(), tensor.modes.end(), [&](const kernels::Mode& mode) { return mode.name == transform.mode; });
    if (at == tensor.modes.end())
        throw Error({"there is no mode of this name to centre", fileName, "\"" + transform.mode + "\"", {}, {}});
    const Array<Index>& indices = tensor.indices[static_cast<std::size_t>(at - tensor.modes.begin())];
    if (transform.means.empty()) {
        std::vector<Count> counts(at->size);
        std::vector<ExactSum> sums(at->size);
        for (Count e = 0; e < values.size(); ++e) {
            sums[indices[e]].add(values[e]);
            ++counts[indices[e]];
        }
        for (std::size_t i = 0; i < counts.size(); ++i)
            transform.means.push_back(sums[i].value() / static_cast<double>(std::max<Count>(1, counts[i])));
    }
    for (Count e = 0; e < values.size(); ++e)
        values[e] -= indices[e] < transform.means.size() ? transform.means[indices[e]] : 0;
}

void apply(const kernels::SparseTensor& tensor, Array<double>& values, Transform& transform, const std::string& fileName)
{
    switch (transform.kind) {
    case Transform::Kind::Log1p:
        for (double& value : values) {
            if (value <= -1)
                throw Error(
                    {"log1p needs values above -1", fileName, numberText(value), {}, "Leave such rows out, or clip the values first."});
            value = std::log1p(value);
        }
        return;
    case Transform::Kind::Scale:
        if (transform.high == 0)
            transform.high = divisorOf(values);
        for (double& value : values)
            value /= transform.high;
        return;
    case Transform::Kind::Centre:
        return centre(tensor, values, transform, fileName);
    case Transform::Kind::Clip:
        for (double& value : values)
            value = std::clamp(value, transform.low, transform.high);
        return;
    }
}

} // namespace

void aggregateCells(kernels::SparseTensor& tensor, Aggregate aggregate, const std::string& fileName, kernels::Progress& progress)
{
    const Count rows = tensor.entries();
    const Count chunks = kernels::chunkCount(rows, entriesPerChunk);
    std::vector<Count> first(chunks + 1, 0); // cell that begins first in a chunk
    progress.begin("merging", 2 * rows);
    kernels::forEachChunk(rows, entriesPerChunk, &progress, [&](Count chunk, Count begin, Count end) {
        Count cells = 0;
        for (Count e = begin; e < end; ++e)
            cells += beginsCell(tensor, e);
        first[chunk + 1] = cells;
    });
    for (Count chunk = 0; chunk < chunks; ++chunk)
        first[chunk + 1] += first[chunk];
    const Count cells = first[chunks];
    std::vector<Array<Index>> indices(tensor.order());
    for (Array<Index>& each : indices)
        each.resize(cells);
    Array<double> values(cells);
    std::visit(
        [&](const auto& from) {
            kernels::forEachChunk(rows, entriesPerChunk, &progress, [&](Count chunk, Count begin, Count end) {
                std::vector<double> scratch;
                Count cell = first[chunk];
                Count e = begin;
                while (e < end && !beginsCell(tensor, e))
                    ++e; // belongs to a cell of an earlier chunk
                while (e < end) {
                    Count next = e + 1;
                    while (next < rows && !beginsCell(tensor, next))
                        ++next;
                    for (unsigned n = 0; n < tensor.order(); ++n)
                        indices[n][cell] = tensor.indices[n][e];
                    values[cell++] = cellValue(from, e, next, aggregate, scratch);
                    e = next;
                }
            });
        },
        tensor.values);
    tensor.indices = std::move(indices);
    tensor.values = std::move(values);
    tensor.sorted = true;
    requireFinite(tensor, aggregate, fileName);
}

void applyTransforms(kernels::SparseTensor& tensor, std::vector<Transform>& transforms, const std::string& fileName)
{
    for (Transform& transform : transforms)
        apply(tensor, std::get<Array<double>>(tensor.values), transform, fileName);
}

kernels::Count toSingle(kernels::SparseTensor& tensor)
{
    const Array<double>& values = std::get<Array<double>>(tensor.values);
    std::atomic<bool> fits{true};
    std::atomic<Count> rounded{0};
    Array<float> singles(values.size());
    kernels::forEachChunk(values.size(), entriesPerChunk, nullptr, [&](Count, Count begin, Count end) {
        Count here = 0;
        for (Count e = begin; e < end; ++e) {
            singles[e] = static_cast<float>(values[e]);
            if (std::fabs(values[e]) > std::numeric_limits<float>::max())
                fits = false;
            here += static_cast<double>(singles[e]) != values[e] && !text::printsAs(singles[e], values[e]);
        }
        rounded += here;
    });
    if (!fits)
        return 0;
    tensor.values = std::move(singles);
    return rounded;
}

} // namespace io::table
