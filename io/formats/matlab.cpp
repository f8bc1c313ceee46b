// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/checked_dims.h"
#include "io/dense/cells.h"
#include "io/error.h"
#include "io/exact_floats.h"
#include "io/finish_load.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "io/matlab/variables.h"
#include "io/pointers.h"
#include "io/several_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

// MATLAB's files of versions 4 to 7: dense arrays, sparse matrices, and sptensor and tensor saved as structs. Version 7.3 is HDF5.

namespace io::formats {
namespace {

using kernels::Count;
using kernels::Index;
using matlab::Class;
using matlab::Numbers;
using matlab::Variable;

constexpr const char* structAdvice = "Save its fields: S = struct('subs',X.subs,'vals',X.vals,'size',size(X)); save('x.mat','S')";

enum class Form { None, Dense, Sparse };

bool isSptensor(const Variable& variable) { return variable.kind == Class::Struct && variable.field("subs") && variable.field("vals"); }

/// A struct of the fields of a dense tensor (Tensor Toolbox).
bool isTensor(const Variable& variable) { return variable.kind == Class::Struct && variable.field("data") && variable.field("size"); }

/// What a variable is read as where nobody names one: single numbers and vectors are none.
Form formOf(const Variable& variable)
{
    if (variable.kind == Class::Sparse || isSptensor(variable))
        return Form::Sparse;
    const auto isLong = [](std::uint64_t size) { return size != 1; };
    const bool array = variable.kind == Class::Numbers && std::count_if(variable.dims.begin(), variable.dims.end(), isLong) > 1;
    return array || isTensor(variable) ? Form::Dense : Form::None;
}

std::string about(const Variable& variable)
{
    return variable.dims.empty() ? fmt::format("{} ({})", variable.name, variable.className)
                                 : fmt::format("{} ({} {})", variable.name, variable.className, fmt::join(variable.dims, " x "));
}

/// Reads one variable.
class Reader {
public:
    Reader(const matlab::File& file, const Variable& variable, const ReadOptions& options, kernels::Progress& progress)
        : m_file(file)
        , m_variable(variable)
        , m_where(file.where(variable))
        , m_options(options)
        , m_progress(progress)
    {
    }

    LoadedTensor read()
    {
        refuseComplex(m_variable);
        if (isSptensor(m_variable))
            readSptensor();
        else if (isTensor(m_variable))
            readTensor();
        else if (m_variable.kind == Class::Sparse)
            m_variable.triplets ? readTriplets() : readColumns();
        else if (m_variable.kind == Class::Numbers)
            readDense(m_variable, m_variable.dims, m_variable.className + " array");
        else
            throw Error({"is no array that a tensor is made of", m_where, m_variable.className,
                         "numbers, a sparse matrix, or a struct with subs, vals and size",
                         m_variable.kind == Class::Object ? structAdvice : ""});
        return std::move(m_loaded);
    }

private:
    void refuseComplex(const Variable& variable) const
    {
        if (variable.complex)
            throw Error({"holds complex numbers, which are not read", m_where, {}, "real numbers", "Save real(A) or abs(A)."});
    }

    const Variable& numbersIn(const char* field) const
    {
        const Variable& variable = *m_variable.field(field);
        refuseComplex(variable);
        if (variable.kind != Class::Numbers)
            throw Error({fmt::format("its field {} holds no numbers", field), m_where, variable.className, "an array of numbers", {}});
        return variable;
    }

    std::vector<std::uint64_t> sizeField() const
    {
        const Variable& size = numbersIn("size");
        const Numbers& numbers = size.values;
        checkedOrder(numbers.count, m_where + ".size");
        std::vector<std::uint64_t> sizes;
        kernels::Progress none;
        m_file.wholes(size, numbers, numbers.count, none, [&](std::uint64_t, std::span<const std::int64_t> wholes) {
            for (const std::int64_t whole : wholes)
                sizes.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(whole, 0)));
        });
        return sizes;
    }

    double finite(double value, std::uint64_t entry) const
    {
        if (!std::isfinite(value))
            throw Error({"value is not finite", fmt::format("{} entry {} (from 1)", m_where, entry + 1), fmt::format("{}", value),
                         "a finite number", "Leave missing entries out."});
        return value;
    }

    static bool isDouble(const Variable& variable) { return variable.className == "double" || variable.className == "sparse"; }
    static bool isFloat(const Variable& variable) { return variable.className == "single"; }

    // --- Dense ---

    void readTensor()
    {
        const Variable& data = numbersIn("data");
        readDense(data, sizeField(), "tensor struct");
    }

    void readDense(const Variable& array, const std::vector<std::uint64_t>& sizes, const std::string& layout)
    {
        dense::Collector collector(checkedDims(sizes, m_where), m_options, m_where);
        const std::uint64_t cells = array.values.count;
        if (collector.cells() != cells)
            throw Error({"the array is not as long as its sizes say",
                         m_where,
                         fmt::format("{} numbers", cells),
                         fmt::format("{}", collector.cells()),
                         {}});
        m_progress.begin("reading", cells * array.values.itemBytes);
        m_file.doubles(array, array.values, cells, m_progress, [&](std::uint64_t, std::span<const double> numbers) {
            for (const double number : numbers)
                collector.add(number);
            m_progress.setEntries(collector.taken());
        });
        m_loaded = collector.finish(isFloat(array));
        if (!isDouble(array))
            integersAsFloats(m_loaded.tensor.values);
        m_loaded.report.layout = m_file.title() + ", " + layout;
        applyGivenDims(m_loaded.tensor, m_options.dims, m_where, true);
    }

    // --- Sparse ---

    void begin(Count entries, std::uint64_t moreBytes, std::uint64_t storedBytes, const std::vector<Index>& dims, const std::string& layout)
    {
        if (entries > kernels::maxEntries)
            throw Error({"too many entries", m_where, fmt::format("{}", entries), fmt::format("at most {}", kernels::maxEntries), {}});
        MemoryBudget(m_options.memoryLimit).require(entries * (dims.size() * sizeof(Index) + sizeof(double)) + moreBytes);
        m_loaded.tensor = kernels::SparseTensor(dims, entries, true);
        m_loaded.report.layout = m_file.title() + ", " + layout;
        m_progress.begin("reading", storedBytes);
    }

    void setIndex(unsigned mode, Count entry, std::int64_t index, std::uint64_t size)
    {
        if (index < 0 || static_cast<std::uint64_t>(index) >= size)
            throw Error({index < 0 ? "negative index" : "index past the size of its mode",
                         fmt::format("{} entry {}, mode {} (from 1)", m_where, entry + 1, mode + 1),
                         fmt::format("{}", index),
                         index < 0 ? "0 or more" : fmt::format("less than {}", size),
                         {}});
        m_loaded.tensor.indices[mode][entry] = static_cast<Index>(index);
    }

    void readValues(const Variable& array, Count entries)
    {
        auto& values = std::get<kernels::Array<double>>(m_loaded.tensor.values);
        m_file.doubles(array, array.values, entries, m_progress, [&](std::uint64_t first, std::span<const double> numbers) {
            for (std::size_t i = 0; i < numbers.size(); ++i)
                values[first + i] = finite(numbers[i], first + i);
        });
        if (isFloat(array))
            asFloats();
        else if (!isDouble(array))
            integersAsFloats(m_loaded.tensor.values);
    }

    void asFloats()
    {
        const auto& doubles = std::get<kernels::Array<double>>(m_loaded.tensor.values);
        kernels::Array<float> floats(doubles.size());
        std::transform(doubles.begin(), doubles.end(), floats.begin(), [](double value) { return static_cast<float>(value); });
        m_loaded.tensor.values = std::move(floats);
    }

    /// Compressed columns, counted from 0 in the file.
    void readColumns()
    {
        const std::vector<Index> dims = checkedDims(m_variable.dims, m_where);
        if (dims.size() != 2 || m_variable.pointers.count != std::uint64_t{dims[1]} + 1)
            throw Error({"another number of pointers than columns and one",
                         m_where,
                         fmt::format("{}", m_variable.pointers.count),
                         fmt::format("{}", std::uint64_t{dims.back()} + 1),
                         {}});
        MemoryBudget(m_options.memoryLimit).require(m_variable.pointers.count * sizeof(std::uint64_t));
        std::vector<std::uint64_t> pointers;
        const Count most = std::min(m_variable.rows.count, m_variable.values.count);
        m_file.wholes(m_variable, m_variable.pointers, m_variable.pointers.count, m_progress,
                      [&](std::uint64_t, std::span<const std::int64_t> wholes) {
                          for (const std::int64_t whole : wholes)
                              addPointer(pointers, whole, most, [&] { return m_where; });
                      });
        const Count entries = pointers.back();
        begin(entries, pointers.size() * sizeof(std::uint64_t), entries * (m_variable.rows.itemBytes + m_variable.values.itemBytes), dims,
              "sparse matrix");
        for (Index column = 0; column < dims[1]; ++column)
            for (Count e = pointers[column]; e < pointers[column + 1]; ++e)
                m_loaded.tensor.indices[1][e] = column;
        m_file.wholes(m_variable, m_variable.rows, entries, m_progress, [&](std::uint64_t first, std::span<const std::int64_t> wholes) {
            for (const std::int64_t row : wholes)
                setIndex(0, first++, row, dims[0]);
        });
        readValues(m_variable, entries);
        m_loaded.report.indexBase = "0: sparse matrices count from 0 in the file";
        applyGivenDims(m_loaded.tensor, m_options.dims, m_where, true);
    }

    /// Version 4: rows, columns and values, from 1. The last of each belongs to the sizes.
    void readTriplets()
    {
        const std::vector<Index> dims = checkedDims(m_variable.dims, m_where);
        const Count rows = m_variable.values.count / 3, entries = rows - 1;
        begin(entries, 0, rows * 3 * m_variable.values.itemBytes, dims, "sparse matrix");
        auto& values = std::get<kernels::Array<double>>(m_loaded.tensor.values);
        m_file.doubles(m_variable, m_variable.values, rows * 3, m_progress, [&](std::uint64_t at, std::span<const double> numbers) {
            for (const double number : numbers) {
                const Count entry = at % rows;
                const auto column = static_cast<unsigned>(at++ / rows);
                if (entry == entries)
                    continue;
                if (column == 2)
                    values[entry] = finite(number, entry);
                else
                    setIndex(column, entry, wholeFrom1(number, entry) - 1, dims[column]);
            }
        });
        m_loaded.report.indexBase = "1: MATLAB counts from 1";
        applyGivenDims(m_loaded.tensor, m_options.dims, m_where, true);
    }

    std::int64_t wholeFrom1(double number, Count entry) const
    {
        if (!(number >= 1 && number <= 0x1p32) || number != std::floor(number))
            throw Error({"index is not a whole number from 1",
                         fmt::format("{} entry {} (from 1)", m_where, entry + 1),
                         fmt::format("{}", number),
                         {},
                         {}});
        return static_cast<std::int64_t>(number);
    }

    /// A row of subs for each entry, from 1; from 0 where a 0 occurs, as other programs save it.
    void readSptensor()
    {
        const Variable &subs = numbersIn("subs"), &vals = numbersIn("vals");
        const Count entries = vals.values.count;
        if (subs.dims.size() != 2 || subs.dims[0] != entries)
            throw Error({"subs and vals differ in number",
                         m_where,
                         fmt::format("{} subs, {} vals", fmt::join(subs.dims, " x "), entries),
                         "a row of subs for each value",
                         {}});
        const unsigned order = checkedOrder(subs.dims[1], m_where + ".subs");
        std::vector<Index> dims(order, 1);
        const bool declared = m_variable.field("size") != nullptr;
        if (declared)
            dims = checkedDims(sizeField(), m_where + ".size");
        if (dims.size() != order)
            throw Error({"size and subs differ in order",
                         m_where,
                         fmt::format("{} sizes, {} modes", dims.size(), order),
                         "as many sizes as modes",
                         {}});
        if (!declared && entries == 0)
            throw Error({"holds no entries and no size", m_where, {}, "at least one of them", {}});
        begin(entries, 0, entries * (order * subs.values.itemBytes + vals.values.itemBytes), dims, "sptensor struct");
        std::vector<Index> largest(order, 0);
        bool anyZero = false;
        m_file.wholes(subs, subs.values, entries * order, m_progress, [&](std::uint64_t at, std::span<const std::int64_t> wholes) {
            for (const std::int64_t whole : wholes) {
                const auto mode = static_cast<unsigned>(at / entries);
                setIndex(mode, at % entries, whole, declared ? std::uint64_t{dims[mode]} + 1 : std::numeric_limits<Index>::max());
                largest[mode] = std::max(largest[mode], static_cast<Index>(whole));
                anyZero = anyZero || whole == 0;
                ++at;
            }
        });
        decideBase(anyZero, largest, declared);
        readValues(vals, entries);
        applyGivenDims(m_loaded.tensor, m_options.dims, m_where, declared);
    }

    void decideBase(bool anyZero, const std::vector<Index>& largest, bool declared)
    {
        const bool asked = m_options.indexBase == IndexBase::One || m_options.indexBase == IndexBase::Zero;
        const Index base = asked ? (m_options.indexBase == IndexBase::One ? 1 : 0) : anyZero ? 0 : 1;
        m_loaded.report.indexBase = fmt::format("{}: {}", base,
                                                asked         ? "as asked for"
                                                    : anyZero ? "an index 0 occurs"
                                                              : "MATLAB counts from 1");
        if (base == 1 && anyZero)
            throw Error({"an index is 0", m_where, "0", "at least 1, because indices count from 1", {}});
        for (unsigned n = 0; n < largest.size(); ++n) {
            for (Index& index : m_loaded.tensor.indices[n])
                index -= base;
            if (!declared)
                m_loaded.tensor.modes[n].size = largest[n] + 1 - base;
            else if (m_loaded.tensor.entries() && largest[n] >= m_loaded.tensor.modes[n].size + base)
                throw Error({fmt::format("an index of mode {} is past its size", n + 1),
                             m_where,
                             fmt::format("{} (from {})", largest[n], base),
                             fmt::format("at most {}", m_loaded.tensor.modes[n].size - 1 + base),
                             {}});
        }
    }

    const matlab::File& m_file;
    const Variable& m_variable;
    std::string m_where;
    const ReadOptions& m_options;
    kernels::Progress& m_progress;
    LoadedTensor m_loaded;
};

[[noreturn]] void refuseNone(const matlab::File& file, const std::string& found, bool object)
{
    if (object)
        throw Error({"holds a MATLAB object, which only MATLAB can open", file.fileName(), found, {}, structAdvice});
    throw Error({"holds no tensor",
                 file.fileName(),
                 found.empty() ? "no variables" : found,
                 "an array of 2 or more dimensions, a sparse matrix, or a struct with subs, vals and size",
                 {}});
}

const Variable& only(const matlab::File& file, LoadReport& report)
{
    constexpr std::size_t mostShown = 8;
    std::vector<const Variable*> sparse, dense;
    std::vector<std::string> shown;
    bool object = false;
    for (const Variable& variable : file.variables()) {
        const Form form = formOf(variable);
        object = object || variable.kind == Class::Object;
        if (form != Form::None)
            (form == Form::Sparse ? sparse : dense).push_back(&variable);
        if (shown.size() < mostShown)
            shown.push_back(about(variable));
    }
    const std::string found = fmt::format("{}{}", fmt::join(shown, ", "), file.variables().size() > shown.size() ? ", …" : "");
    const auto& candidates = sparse.empty() ? dense : sparse;
    if (candidates.empty())
        refuseNone(file, found, object);
    if (candidates.size() > 1) {
        std::vector<std::string> names;
        for (const Variable* const variable : candidates)
            names.push_back("/" + variable->name); // as groups of HDF5 files are named
        throw SeveralTensors({"holds several tensors", file.fileName(), found, "one",
                              fmt::format("Name one: {}:{}", file.fileName(), candidates.front()->name)},
                             names);
    }
    if (file.variables().size() > 1)
        report.notes.push_back(fmt::format("The variable {} was read, of these: {}.", candidates.front()->name, found));
    return *candidates.front();
}

const Variable& named(const matlab::File& file, const std::string& name)
{
    const auto it = std::find_if(file.variables().begin(), file.variables().end(), [&](const Variable& each) { return each.name == name; });
    if (it == file.variables().end())
        throw Error({"holds no variable of this name", file.fileName(), name, "the name of one of its variables", {}});
    return *it;
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    Hdf5Name name = splitHdf5Name(path);
    if (name.group.starts_with('/'))
        name.group.erase(0, 1);
    const matlab::File file(name.file);
    LoadReport chosen;
    const Variable& variable = name.group.empty() ? only(file, chosen) : named(file, name.group);
    LoadedTensor loaded = Reader(file, variable, options, progress).read();
    loaded.report.notes.insert(loaded.report.notes.end(), chosen.notes.begin(), chosen.notes.end());
    loaded.report.formatId = "matlab";
    loaded.report.fileBytes = InputFile(name.file).bytes();
    finishLoad(loaded, name.file, options, progress);
    return loaded;
}

/// Version 4 has no mark of its own.
Likeness looksLike(const FileHead& head)
{
    return matlab::isVersion5(head.bytes) ? Likeness::Content : likenessByEnding(head.name, {".mat"});
}

} // namespace

FileFormat matlabFormat() { return {"matlab", "MATLAB file, versions 4 to 7", {"mat"}, looksLike, read, {}, {}}; }

} // namespace io::formats
