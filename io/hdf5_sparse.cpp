// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_sparse.h"

#include "io/error.h"
#include "io/hdf5_write.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace io::hdf5 {
namespace {

constexpr const char* rowByRow = "csr_matrix";

std::uint64_t countNonzeros(const auto& numbers)
{
    return numbers.size() - static_cast<std::uint64_t>(std::count(numbers.begin(), numbers.end(), 0));
}

[[noreturn]] void refuse(const std::string& where, const std::string& message, const std::string& found = {},
                         const std::string& expected = {})
{
    throw Error({message, where, found, expected, {}});
}

void requireShape(const Object& group, const std::string& where, const std::vector<std::uint64_t>& shape)
{
    const auto found = wholesAttribute(group.id(), "shape", where, kernels::maxOrder);
    if (!found || *found != shape)
        refuse(where, "has another shape than the model", found ? fmt::format("{}", fmt::join(*found, " × ")) : "none",
               fmt::format("{}", fmt::join(shape, " × ")));
}

void take(std::uint64_t more, std::uint64_t& bytes, const MemoryBudget& budget)
{
    bytes = more > std::numeric_limits<std::uint64_t>::max() - bytes ? std::numeric_limits<std::uint64_t>::max() : bytes + more;
    budget.require(bytes);
}

/// A column of one dimension, whose length may be asked for.
CheckedDataset openColumn(const Object& group, const char* name, const std::string& where, bool floating,
                          std::optional<std::uint64_t> length = std::nullopt)
{
    CheckedDataset set = openDataset(group.id(), name, where);
    if (set.dims.size() != 1 || (length && set.dims[0] != *length))
        refuse(set.where, "has another length than the others", fmt::format("{}", fmt::join(set.dims, " × ")),
               length ? fmt::format("{}", *length) : "one dimension");
    if ((set.numbers == NumberClass::Floating) != floating || set.numbers == NumberClass::Other || set.elementBytes > sizeof(double))
        refuse(set.where, "has another type", {}, floating ? "float32 or float64" : "whole numbers");
    return set;
}

template <class T> std::vector<T> readColumn(Session& session, const CheckedDataset& set, kernels::Progress* progress)
{
    std::vector<T> column(set.elements);
    readArray(session, set, column.data(), progress);
    return column;
}

} // namespace

bool isSparse(const kernels::Matrix& matrix)
{
    const std::uint64_t value = matrix.hasDoubles() ? sizeof(double) : sizeof(float);
    const std::uint64_t nonzeros = std::visit([](const auto& data) { return countNonzeros(data); }, matrix.data);
    return nonzeros * (value + sizeof(std::uint32_t)) + (matrix.rows + 1) * sizeof(std::uint64_t) < matrix.rows * matrix.columns * value;
}

bool isSparse(const kernels::Array<double>& core, std::size_t order)
{
    return countNonzeros(core) * (sizeof(double) + order * sizeof(std::uint32_t)) < core.size() * sizeof(double);
}

void writeSparse(Session& session, hid_t parent, const std::string& name, const kernels::Matrix& matrix, kernels::Progress* progress)
{
    const Group group = createGroup(parent, name);
    writeAttribute(group.id(), "encoding-type", std::string(rowByRow));
    writeAttribute(group.id(), "encoding-version", std::string("0.1.0"));
    writeAttribute(group.id(), "shape", std::vector<std::uint64_t>{matrix.rows, matrix.columns});
    std::visit(
        [&](const auto& numbers) {
            std::vector<std::uint64_t> begins{0};
            std::vector<std::uint32_t> columns;
            std::remove_cvref_t<decltype(numbers)> values;
            for (std::size_t row = 0; row < matrix.rows; ++row) {
                for (std::size_t column = 0; column < matrix.columns; ++column)
                    if (const auto value = numbers[row * matrix.columns + column]; value != 0) {
                        columns.push_back(static_cast<std::uint32_t>(column));
                        values.push_back(value);
                    }
                begins.push_back(values.size());
            }
            writeArray(session, group.id(), "indptr", begins.data(), {begins.size()}, storageFor(begins.size()), progress);
            writeArray(session, group.id(), "indices", columns.data(), {columns.size()}, storageFor(columns.size()), progress);
            writeArray(session, group.id(), "data", values.data(), {values.size()}, storageFor(values.size()), progress);
        },
        matrix.data);
}

void writeSparse(Session& session, hid_t parent, const std::string& name, const kernels::Array<double>& core,
                 const std::vector<unsigned>& shape, kernels::Progress* progress)
{
    const Group group = createGroup(parent, name);
    writeAttribute(group.id(), "shape", std::vector<std::uint64_t>(shape.begin(), shape.end()));
    std::vector<std::vector<std::uint32_t>> places(shape.size());
    std::vector<double> values;
    for (std::size_t i = 0; i < core.size(); ++i) {
        if (core[i] == 0)
            continue;
        values.push_back(core[i]);
        std::size_t rest = i;
        for (std::size_t n = shape.size(); n-- > 0; rest /= shape[n])
            places[n].push_back(static_cast<std::uint32_t>(rest % shape[n]));
    }
    const Storage storage = storageFor(values.size());
    for (std::size_t n = 0; n < shape.size(); ++n)
        writeArray(session, group.id(), fmt::format("indices_{}", n), places[n].data(), {values.size()}, storage, progress);
    writeArray(session, group.id(), "values", values.data(), {values.size()}, storage, progress);
}

kernels::Matrix readSparseMatrix(Session& session, const Object& group, const std::string& where, std::size_t rows, std::size_t columns,
                                 std::uint64_t& bytes, MemoryBudget& budget, kernels::Progress* progress)
{
    if (const std::string encoding = textAttribute(group.id(), "encoding-type", where).value_or(""); encoding != rowByRow)
        refuse(where, "is no matrix row by row", fmt::format("\"{}\"", encoding), fmt::format("\"{}\"", rowByRow));
    requireShape(group, where, {rows, columns});
    const CheckedDataset beginsSet = openColumn(group, "indptr", where, false, rows + 1); // its length is in the file: so are the rows
    const CheckedDataset columnsSet = openColumn(group, "indices", where, false);
    const CheckedDataset valuesSet = openColumn(group, "data", where, true, columnsSet.elements);
    take((rows * columns + rows + 1 + 2 * columnsSet.elements) * sizeof(double), bytes, budget);
    const std::vector<std::uint64_t> begins = readColumn<std::uint64_t>(session, beginsSet, progress);
    const std::vector<std::uint64_t> places = readColumn<std::uint64_t>(session, columnsSet, progress);
    if (begins.front() != 0 || begins.back() != places.size() || !std::is_sorted(begins.begin(), begins.end()))
        refuse(beginsSet.where, "does not ascend from 0 to the number of values");
    kernels::Matrix matrix(rows, columns, valuesSet.elementBytes > sizeof(float));
    std::visit(
        [&](auto& numbers) {
            using T = typename std::remove_reference_t<decltype(numbers)>::value_type;
            const std::vector<T> values = readColumn<T>(session, valuesSet, progress);
            for (std::size_t row = 0; row < rows; ++row)
                for (std::uint64_t i = begins[row]; i < begins[row + 1]; ++i) {
                    if (places[i] >= columns || (i > begins[row] && places[i] <= places[i - 1]))
                        refuse(columnsSet.where, "columns of a row do not ascend", fmt::format("{}", places[i]),
                               fmt::format("0 to {}", columns - 1));
                    numbers[row * columns + places[i]] = values[i];
                }
        },
        matrix.data);
    return matrix;
}

kernels::Array<double> readSparseCore(Session& session, const Object& group, const std::string& where, const std::vector<unsigned>& shape,
                                      std::uint64_t& bytes, MemoryBudget& budget, kernels::Progress* progress)
{
    requireShape(group, where, std::vector<std::uint64_t>(shape.begin(), shape.end()));
    std::uint64_t elements = 1;
    for (const unsigned rank : shape) {
        if (elements > std::numeric_limits<std::uint64_t>::max() / sizeof(double) / rank)
            refuse(where, "is too large", fmt::format("{}", fmt::join(shape, " × ")));
        elements *= rank;
    }
    const CheckedDataset valuesSet = openColumn(group, "values", where, true);
    take(elements * sizeof(double), bytes, budget);
    take(valuesSet.elements * 3 * sizeof(double), bytes, budget);
    std::vector<std::uint64_t> at(valuesSet.elements, 0);
    for (std::size_t n = 0; n < shape.size(); ++n) {
        const CheckedDataset set = openColumn(group, fmt::format("indices_{}", n).c_str(), where, false, valuesSet.elements);
        const std::vector<std::uint64_t> places = readColumn<std::uint64_t>(session, set, progress);
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (places[i] >= shape[n])
                refuse(set.where, "a place lies outside the core", fmt::format("{}", places[i]), fmt::format("0 to {}", shape[n] - 1));
            at[i] = at[i] * shape[n] + places[i];
        }
    }
    const std::vector<double> values = readColumn<double>(session, valuesSet, progress);
    kernels::Array<double> core(elements, 0.0);
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (i > 0 && at[i] <= at[i - 1])
            refuse(where, "places do not ascend");
        core[at[i]] = values[i];
    }
    return core;
}

} // namespace io::hdf5
