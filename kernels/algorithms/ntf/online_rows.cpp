// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online_rows.h"

#include "kernels/algorithms/ntf/online_worker.h"
#include "kernels/base/chunks.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>

namespace kernels::ntf {
namespace {

/// Zeros past the matrix's end.
Array<double> gathered(const Matrix& matrix, const Array<Index>& rows)
{
    const std::size_t columns = matrix.columns;
    Array<double> numbers(rows.size() * columns);
    std::visit(
        [&](const auto& data) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                double* const to = numbers.data() + i * columns;
                if (rows[i] < matrix.rows)
                    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(rows[i] * columns), columns, to);
                else
                    std::fill_n(to, columns, 0.0);
            }
        },
        matrix.data);
    return numbers;
}

/// With so many rows in all, those past its own all like `row`; none: zeros.
Matrix grown(const Matrix& matrix, std::size_t rows, bool doubles, const std::vector<double>& row, RunControl& control)
{
    Matrix result = Matrix::unfilled(rows, matrix.columns, doubles);
    const auto copy = [&](const auto& from, auto& to) {
        using T = std::decay_t<decltype(to[0])>;
        forEachChunk(to.size(), numbersAtOnce, control, [&](Count, Count begin, Count end) {
            const Count middle = std::clamp<Count>(from.size(), begin, end);
            for (Count i = begin; i < middle; ++i)
                to[i] = static_cast<T>(from[i]);
            for (Count i = middle; i < end; ++i)
                to[i] = row.empty() ? T(0) : static_cast<T>(row[i % matrix.columns]);
        });
    };
    std::visit(copy, matrix.data, result.data);
    return result;
}

void put(Matrix& matrix, const Array<Index>& rows, const Array<double>& numbers)
{
    const std::size_t columns = matrix.columns;
    std::visit(
        [&](auto& data) {
            using T = std::decay_t<decltype(data[0])>;
            for (std::size_t i = 0; i < rows.size(); ++i)
                for (std::size_t r = 0; r < columns; ++r)
                    data[rows[i] * columns + r] = static_cast<T>(numbers[i * columns + r]);
        },
        matrix.data);
}

/// In floats where those hold all of it, unless the model is in doubles.
Matrix withNumbers(const Matrix& old, std::size_t size, const Array<Index>& rows, const Array<double>& numbers, bool doubles,
                   const std::vector<double>& beginning, RunControl& control)
{
    const bool floats = !doubles && !old.hasDoubles() && std::all_of(numbers.begin(), numbers.end(), fitsFloats);
    Matrix matrix = grown(old, size, !floats, beginning, control);
    put(matrix, rows, numbers);
    return old.hasDoubles() ? narrowed(std::move(matrix), doubles) : matrix;
}

bool hasNonZero(const Matrix& matrix, Count row)
{
    return std::visit(
        [&](const auto& data) {
            const auto first = data.begin() + static_cast<std::ptrdiff_t>(row * matrix.columns);
            return std::any_of(first, first + static_cast<std::ptrdiff_t>(matrix.columns), [](auto number) { return number != 0; });
        },
        matrix.data);
}

/// Sums of rows, of some and of all.
struct RowTotals {
    std::vector<double> told, all;
    Count toldRows = 0;
};

/// New and untold rows begin as the mean of those that entries told: what nobody has said anything of is predicted like that.
std::vector<double> meanOfTold(const OnlineModel& from, unsigned mode, bool doubles, RunControl& control)
{
    const Matrix &factor = from.model.factors[mode], &up = from.kept.at(numeratorName(mode)), &down = from.kept.at(denominatorName(mode));
    const std::size_t rank = factor.columns;
    const Count atOnce = std::max<Count>(numbersAtOnce / rank, 1);
    std::vector<RowTotals> parts(chunkCount(factor.rows, atOnce)); // added in their order: the same bits on any number of threads
    const auto add = [&](const auto& numbers) {
        forEachChunk(factor.rows, atOnce, control, [&](Count chunk, Count begin, Count end) {
            RowTotals part{std::vector<double>(rank, 0), std::vector<double>(rank, 0), 0};
            for (Count i = begin; i < end; ++i) {
                const bool isTold = hasNonZero(up, i) || hasNonZero(down, i);
                part.toldRows += isTold;
                for (std::size_t r = 0; r < rank; ++r) {
                    part.all[r] += numbers[i * rank + r];
                    part.told[r] += isTold ? numbers[i * rank + r] : 0;
                }
            }
            parts[chunk] = std::move(part);
        });
    };
    std::visit(add, factor.data);
    RowTotals total{std::vector<double>(rank, 0), std::vector<double>(rank, 0), 0};
    for (const RowTotals& part : parts) {
        total.toldRows += part.toldRows;
        for (std::size_t r = 0; r < rank; ++r) {
            total.all[r] += part.all[r];
            total.told[r] += part.told[r];
        }
    }
    std::vector<double> mean(rank);
    for (std::size_t r = 0; r < rank; ++r) {
        mean[r] =
            total.toldRows > 0 ? total.told[r] / static_cast<double>(total.toldRows) : total.all[r] / static_cast<double>(factor.rows);
        if (!doubles)
            mean[r] = static_cast<double>(static_cast<float>(mean[r]));
    }
    return mean;
}

/// Rows past the end of the mode, or within it where no entry came so far. A row that is 0 throughout is left by no step: positive
/// entries have it fitted anew.
std::vector<bool> untoldOf(const TouchedRows& mode, unsigned n, const TouchedEntries& touched, unsigned rank)
{
    const std::size_t count = touched.rows[n].size();
    std::vector<bool> positive(count), untold(count);
    for (Count e = 0; e < touched.entries.entries(); ++e)
        if (touched.entries.value(e) > 0)
            positive[touched.entries.indices[n][e]] = true;
    const auto isZero = [&](const Array<double>& numbers, std::size_t i) {
        const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(i * rank);
        return std::all_of(first, first + rank, [](double number) { return number == 0; });
    };
    for (std::size_t i = 0; i < count; ++i) {
        const bool hasSums = !isZero(mode.up, i) || !isZero(mode.down, i);
        untold[i] = !hasSums || (positive[i] && isZero(mode.rows, i));
    }
    return untold;
}

bool areSame(const Matrix& a, const Matrix& b)
{
    return std::visit([](const auto& one, const auto& other) { return std::equal(one.begin(), one.end(), other.begin(), other.end()); },
                      a.data, b.data);
}

/// Where sums were taken at other rows than the model's.
void keepWhereTaken(OnlineModel& to, const OnlineModel& from, const TouchedEntries& touched, const std::vector<TouchedRows>& modes,
                    bool doubles, RunControl& control)
{
    const bool wasElsewhere = from.kept.contains(factorAtName(0));
    const bool isNow = std::any_of(modes.begin(), modes.end(), [](const TouchedRows& mode) { return mode.factorAt != mode.rows; });
    if (!wasElsewhere && !isNow)
        return;
    bool same = true;
    for (unsigned n = 0; n < modes.size(); ++n) {
        const auto at = from.kept.find(factorAtName(n));
        const Matrix& old = at == from.kept.end() ? from.model.factors[n] : at->second;
        to.kept[factorAtName(n)] =
            withNumbers(old, to.model.dims[n], touched.rows[n], modes[n].factorAt, doubles, modes[n].beginning, control);
        same = same && areSame(to.kept[factorAtName(n)], to.model.factors[n]);
    }
    for (unsigned n = 0; n < modes.size() && same; ++n)
        to.kept.erase(factorAtName(n));
}

} // namespace

TouchedEntries::TouchedEntries(const SparseTensor& fresh, RunControl& control)
    : entries({}, 0)
{
    entries.values = fresh.values;
    for (unsigned n = 0; n < fresh.order(); ++n) {
        Array<Count> counts = sliceCounts(fresh, n, control), touchedCounts;
        Array<Index> touched;
        for (Index i = 0; i < counts.size(); ++i)
            if (counts[i] > 0) {
                touched.push_back(i);
                touchedCounts.push_back(counts[i]);
                counts[i] = touched.size() - 1; // its number from here on
            }
        Array<Index> numbered(fresh.entries());
        forEachChunk(fresh.entries(), numbersAtOnce, control, [&](Count, Count begin, Count end) {
            for (Count e = begin; e < end; ++e)
                numbered[e] = static_cast<Index>(counts[fresh.indices[n][e]]);
        });
        entries.indices.push_back(std::move(numbered));
        entries.modes.push_back({static_cast<Index>(touched.size()), {}, {}});
        rows.push_back(std::move(touched));
        entriesOfRows.push_back(std::move(touchedCounts));
    }
}

TouchedRows touchedRows(const OnlineModel& from, unsigned n, const TouchedEntries& touched, Index size, bool doubles, RunControl& control)
{
    const Array<Index>& rows = touched.rows[n];
    const unsigned rank = from.model.coreRank;
    TouchedRows mode;
    mode.rows = gathered(from.model.factors[n], rows);
    mode.up = gathered(from.kept.at(numeratorName(n)), rows);
    mode.down = gathered(from.kept.at(denominatorName(n)), rows);
    const auto at = from.kept.find(factorAtName(n));
    mode.factorAt = at == from.kept.end() ? mode.rows : gathered(at->second, rows);
    if (const auto entries = from.kept.find(entriesName(n)); entries != from.kept.end())
        mode.oldEntries = gathered(entries->second, rows);
    mode.freshEntries.assign(touched.entriesOfRows[n].begin(), touched.entriesOfRows[n].end());
    mode.untold = untoldOf(mode, n, touched, rank);
    if (size == from.model.dims[n] && std::find(mode.untold.begin(), mode.untold.end(), true) == mode.untold.end())
        return mode;
    mode.beginning = meanOfTold(from, n, doubles, control);
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (mode.untold[i])
            for (Array<double>* const numbers : {&mode.rows, &mode.factorAt})
                std::copy_n(mode.beginning.begin(), rank, numbers->begin() + static_cast<std::ptrdiff_t>(i * rank));
    return mode;
}

OnlineModel withTouched(const OnlineModel& from, const TouchedEntries& touched, const std::vector<TouchedRows>& modes,
                        const std::vector<Index>& dims, double weight, bool doubles, RunControl& control)
{
    OnlineModel to;
    to.model.kind = ModelKind::Cp;
    to.model.dims = dims;
    to.model.ranks = from.model.ranks;
    to.model.coreRank = from.model.coreRank;
    to.model.weights = from.model.weights;
    for (unsigned n = 0; n < modes.size(); ++n) {
        const Array<Index>& rows = touched.rows[n];
        const TouchedRows& mode = modes[n];
        const Matrix& old = from.model.factors[n];
        to.model.factors.push_back(grown(old, dims[n], doubles, mode.beginning, control));
        put(to.model.factors[n], rows, mode.rows);
        for (const auto& [name, numbers] : {std::pair{numeratorName(n), &mode.up}, {denominatorName(n), &mode.down}})
            to.kept[name] = withNumbers(from.kept.at(name), dims[n], rows, *numbers, doubles, {}, control);
        if (mode.oldEntries.empty())
            continue;
        Array<double> sum = mode.oldEntries;
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += weight * mode.freshEntries[i];
        Matrix& column = to.kept[entriesName(n)] = grown(from.kept.at(entriesName(n)), dims[n], true, {}, control);
        put(column, rows, sum);
    }
    keepWhereTaken(to, from, touched, modes, doubles, control);
    return to;
}

} // namespace kernels::ntf
