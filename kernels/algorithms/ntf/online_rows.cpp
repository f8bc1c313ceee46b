// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online_rows.h"

#include "kernels/algorithms/ntf/online_worker.h"

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

/// With so many rows more, all like `row`; none: zeros.
Matrix grown(const Matrix& matrix, std::size_t rows, bool doubles, const std::vector<double>& row)
{
    Matrix result = Matrix::unfilled(rows, matrix.columns, doubles);
    const auto copy = [&](const auto& from, auto& to) {
        using T = std::decay_t<decltype(to[0])>;
        std::transform(from.begin(), from.end(), to.begin(), [](auto number) { return static_cast<T>(number); });
        for (std::size_t i = from.size(); i < to.size(); ++i)
            to[i] = row.empty() ? T(0) : static_cast<T>(row[i % matrix.columns]);
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
                   const std::vector<double>& beginning)
{
    const bool floats = !doubles && !old.hasDoubles() && std::all_of(numbers.begin(), numbers.end(), fitsFloats);
    Matrix matrix = grown(old, size, !floats, beginning);
    put(matrix, rows, numbers);
    return old.hasDoubles() ? narrowed(std::move(matrix), doubles) : matrix;
}

bool hasNonZero(const Matrix& matrix, Index row)
{
    return std::visit(
        [&](const auto& data) {
            const auto first = data.begin() + static_cast<std::ptrdiff_t>(row * matrix.columns);
            return std::any_of(first, first + static_cast<std::ptrdiff_t>(matrix.columns), [](auto number) { return number != 0; });
        },
        matrix.data);
}

/// New and untold rows begin as the mean of those that entries told: what nobody has said anything of is predicted like that.
std::vector<double> meanOfTold(const OnlineModel& from, unsigned mode, bool doubles)
{
    const Matrix &factor = from.model.factors[mode], &up = from.kept.at(numeratorName(mode)), &down = from.kept.at(denominatorName(mode));
    const auto rank = static_cast<unsigned>(factor.columns);
    const Array<double> numbers = inDoubles(factor);
    std::vector<double> told(rank, 0), all(rank, 0);
    Count toldRows = 0;
    for (Index i = 0; i < factor.rows; ++i) {
        const bool isTold = hasNonZero(up, i) || hasNonZero(down, i);
        toldRows += isTold;
        for (unsigned r = 0; r < rank; ++r) {
            const double number = numbers[std::size_t{i} * rank + r];
            all[r] += number / static_cast<double>(factor.rows);
            told[r] += isTold ? number : 0;
        }
    }
    for (unsigned r = 0; r < rank; ++r) {
        const double mean = toldRows > 0 ? told[r] / static_cast<double>(toldRows) : all[r];
        all[r] = doubles ? mean : static_cast<double>(static_cast<float>(mean));
    }
    return all;
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
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t r = 0; r < a.columns; ++r)
            if (a.at(i, r) != b.at(i, r))
                return false;
    return true;
}

/// Where sums were taken at other rows than the model's.
void keepWhereTaken(OnlineModel& to, const OnlineModel& from, const TouchedEntries& touched, const std::vector<TouchedRows>& modes,
                    bool doubles)
{
    const bool wasElsewhere = from.kept.contains(factorAtName(0));
    const bool isNow = std::any_of(modes.begin(), modes.end(), [](const TouchedRows& mode) { return mode.factorAt != mode.rows; });
    if (!wasElsewhere && !isNow)
        return;
    bool same = true;
    for (unsigned n = 0; n < modes.size(); ++n) {
        const auto at = from.kept.find(factorAtName(n));
        const Matrix& old = at == from.kept.end() ? from.model.factors[n] : at->second;
        to.kept[factorAtName(n)] = withNumbers(old, to.model.dims[n], touched.rows[n], modes[n].factorAt, doubles, modes[n].beginning);
        same = same && areSame(to.kept[factorAtName(n)], to.model.factors[n]);
    }
    for (unsigned n = 0; n < modes.size() && same; ++n)
        to.kept.erase(factorAtName(n));
}

} // namespace

TouchedEntries::TouchedEntries(const SparseTensor& fresh)
    : entries({}, 0)
{
    entries.values = fresh.values;
    for (unsigned n = 0; n < fresh.order(); ++n) {
        Array<Index> found(fresh.indices[n]);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        Array<Index> numbered(fresh.entries());
        std::transform(fresh.indices[n].begin(), fresh.indices[n].end(), numbered.begin(),
                       [&](Index i) { return static_cast<Index>(std::lower_bound(found.begin(), found.end(), i) - found.begin()); });
        entries.indices.push_back(std::move(numbered));
        entries.modes.push_back({static_cast<Index>(found.size()), {}, {}});
        rows.push_back(std::move(found));
    }
}

TouchedRows touchedRows(const OnlineModel& from, unsigned n, const TouchedEntries& touched, Index size, bool doubles)
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
    mode.freshEntries = entriesOfRows(touched.entries, n);
    mode.untold = untoldOf(mode, n, touched, rank);
    if (size == from.model.dims[n] && std::find(mode.untold.begin(), mode.untold.end(), true) == mode.untold.end())
        return mode;
    mode.beginning = meanOfTold(from, n, doubles);
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (mode.untold[i])
            for (Array<double>* const numbers : {&mode.rows, &mode.factorAt})
                std::copy_n(mode.beginning.begin(), rank, numbers->begin() + static_cast<std::ptrdiff_t>(i * rank));
    return mode;
}

OnlineModel withTouched(const OnlineModel& from, const TouchedEntries& touched, const std::vector<TouchedRows>& modes,
                        const std::vector<Index>& dims, double weight, bool doubles)
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
        to.model.factors.push_back(grown(old, dims[n], doubles, mode.beginning));
        put(to.model.factors[n], rows, mode.rows);
        for (const auto& [name, numbers] : {std::pair{numeratorName(n), &mode.up}, {denominatorName(n), &mode.down}})
            to.kept[name] = withNumbers(from.kept.at(name), dims[n], rows, *numbers, doubles, {});
        if (mode.oldEntries.empty())
            continue;
        Array<double> sum = mode.oldEntries;
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += weight * mode.freshEntries[i];
        Matrix& column = to.kept[entriesName(n)] = grown(from.kept.at(entriesName(n)), dims[n], true, {});
        put(column, rows, sum);
    }
    keepWhereTaken(to, from, touched, modes, doubles);
    return to;
}

} // namespace kernels::ntf
