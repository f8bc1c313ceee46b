// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/numpy/sparse.h"

#include "io/checked_dims.h"
#include "io/error.h"
#include "io/exact_floats.h"
#include "io/finish_load.h"
#include "io/lower_case.h"
#include "io/memory_budget.h"
#include "io/pointers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace io::numpy {
namespace {

using kernels::Count;
using kernels::Index;

constexpr std::uint64_t anySize = std::numeric_limits<Index>::max(); ///< no shape is known: the largest index decides
constexpr std::array indexNames{"coords", "indices", "coordinates", "subs", "subscripts", "inds", "idx"};
constexpr std::array valueNames{"data", "values", "vals", "value", "val"};
constexpr std::array shapeNames{"shape", "size", "dims", "dense_shape", "dimensions"};

std::string elementOf(const ArrayReader& array, std::uint64_t element)
{
    return fmt::format("{} element {} (from 0)", array.where(), element);
}

void requireNumbers(const ArrayReader& array)
{
    if (!array.header().isNumber())
        throw Error({"holds text where numbers belong", array.where(), {}, "an array of numbers", {}});
}

void checkIndex(std::int64_t index, std::uint64_t size, const ArrayReader& array, std::uint64_t element)
{
    if (index < 0)
        throw Error({"negative index", elementOf(array, element), fmt::format("{}", index), "0 or more", {}});
    if (static_cast<std::uint64_t>(index) >= size)
        throw Error({"index past the size of its mode",
                     elementOf(array, element),
                     fmt::format("{}", index),
                     fmt::format("less than {}", size),
                     {}});
}

std::vector<std::uint64_t> shortList(ArrayReader array, std::uint64_t atMost)
{
    requireNumbers(array);
    if (array.header().elements > atMost)
        throw Error({"is no short list of numbers",
                     array.where(),
                     fmt::format("{} numbers", array.header().elements),
                     fmt::format("at most {}", atMost),
                     {}});
    std::vector<std::uint64_t> numbers;
    kernels::Progress none;
    array.wholes(none, [&](std::uint64_t begin, std::span<const std::int64_t> wholes) {
        for (const std::int64_t whole : wholes) {
            if (whole < 0)
                throw Error({"negative number", elementOf(array, begin + numbers.size()), fmt::format("{}", whole), "0 or more", {}});
            numbers.push_back(static_cast<std::uint64_t>(whole));
        }
    });
    return numbers;
}

std::uint64_t product(const std::vector<std::uint64_t>& sizes, const std::string& where)
{
    std::uint64_t result = 1;
    for (const std::uint64_t size : sizes) {
        if (size != 0 && result > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / size)
            throw Error({"its sizes are too large to be compressed together", where, fmt::format("{}", fmt::join(sizes, " x ")), {}, {}});
        result *= size;
    }
    return result;
}

/// Reads the arrays of one tensor. Sizes are compared before anything as large as they say is allocated.
class SparseReader {
public:
    SparseReader(const Archive& archive, const std::string& path, const ReadOptions& options, kernels::Progress& progress)
        : m_archive(archive)
        , m_path(path)
        , m_options(options)
        , m_progress(progress)
    {
    }

    std::optional<LoadedTensor> read()
    {
        if (m_archive.has("format") && m_archive.has("data") && m_archive.has("shape"))
            readScipy();
        else if (m_archive.has("compressed_axes") && compressedParts())
            readGcxs();
        else if (compressedParts())
            readCompressedByLength();
        else if (!readCoordinates())
            return std::nullopt;
        applyGivenDims(m_loaded.tensor, m_options.dims, m_path, m_declared);
        if (m_loaded.report.indexBase.empty())
            m_loaded.report.indexBase = "0: NumPy counts from 0";
        if (m_options.indexBase == IndexBase::One && m_loaded.report.indexBase.front() == '0')
            m_loaded.report.warnings.push_back("Files of this format count indices from 0. The index base asked for was not used.");
        return std::move(m_loaded);
    }

private:
    [[noreturn]] void refuse(const std::string& message, const std::string& found, const std::string& expected,
                             const std::string& hint = {}) const
    {
        throw Error({message, m_archive.fileName(), found, expected, hint});
    }

    bool compressedParts() const
    {
        return m_archive.has("indptr") && m_archive.has("indices") && m_archive.has("data") && m_archive.has("shape");
    }

    std::vector<std::uint64_t> sizesIn(const std::string& name)
    {
        std::vector<std::uint64_t> sizes = shortList(m_archive.open(name), kernels::maxOrder);
        m_dims = checkedDims(sizes, m_archive.fileName() + ":" + name);
        m_declared = true;
        return sizes;
    }

    void readScipy()
    {
        const std::string format = m_archive.open("format").text();
        m_loaded.report.layout = "NumPy archive, scipy.sparse " + format;
        const std::vector<std::uint64_t> sizes = sizesIn("shape");
        if (format == "csr" || format == "csc" || format == "bsr" || format == "dia") {
            if (sizes.size() != 2)
                refuse(fmt::format("this {} matrix has not two modes", format), fmt::format("{}", sizes.size()), "2");
            for (const char* part : {"indptr", "indices"})
                if (format != "dia" && !m_archive.has(part))
                    refuse(fmt::format("this {} matrix lacks a part", format), {}, part);
        }
        if (format == "csr")
            readCompressed({0}, {1});
        else if (format == "csc")
            readCompressed({1}, {0});
        else if (format == "bsr")
            readBlocks();
        else if (format == "dia")
            readDiagonals();
        else if (format != "coo")
            refuse("this format of scipy.sparse is not read", format, "coo, csr, csc, bsr or dia", "Save matrix.tocoo() instead.");
        else if (!readCoordinates())
            refuse("this coo matrix lacks its coordinates", {}, "row and col, or coords");
    }

    /// pydata/sparse: axes in the order of compressed_axes are the rows, the others the columns.
    void readGcxs()
    {
        m_loaded.report.layout = "NumPy archive, pydata/sparse GCXS";
        requireNoFill();
        const std::vector<std::uint64_t> sizes = sizesIn("shape");
        std::vector<unsigned> rows, columns;
        for (const std::uint64_t axis : shortList(m_archive.open("compressed_axes"), kernels::maxOrder)) {
            if (axis >= sizes.size() || std::find(rows.begin(), rows.end(), axis) != rows.end())
                refuse("compressed_axes is no list of different modes", fmt::format("{}", axis), fmt::format("0 to {}", sizes.size() - 1));
            rows.push_back(static_cast<unsigned>(axis));
        }
        for (unsigned n = 0; n < sizes.size(); ++n)
            if (std::find(rows.begin(), rows.end(), n) == rows.end())
                columns.push_back(n);
        readCompressed(rows, columns);
    }

    /// indptr, indices, data and shape without a word about rows and columns: the number of pointers decides.
    void readCompressedByLength()
    {
        const std::vector<std::uint64_t> sizes = sizesIn("shape");
        const std::uint64_t pointers = m_archive.open("indptr").header().elements;
        if (sizes.size() != 2)
            refuse("compressed rows or columns (indptr) are for matrices", fmt::format("{} modes", sizes.size()), "2");
        if (sizes[0] == sizes[1])
            refuse("nothing says whether rows or columns are compressed", "a square matrix", "an array named format",
                   "Save it with scipy.sparse.save_npz.");
        const bool rows = pointers == sizes[0] + 1;
        m_loaded.report.layout = fmt::format("NumPy archive, compressed {}", rows ? "rows" : "columns");
        readCompressed({rows ? 0u : 1u}, {rows ? 1u : 0u});
    }

    void requireNoFill()
    {
        if (!m_archive.has("fill_value"))
            return;
        ArrayReader fill = m_archive.open("fill_value");
        requireNumbers(fill);
        if (fill.header().elements != 1)
            throw Error({"is not one number", fill.where(), shapeText(fill.header().shape), {}, {}});
        fill.doubles(m_progress, [&](std::uint64_t, std::span<const double> value) {
            if (value[0] != 0 && !std::isnan(value[0]))
                throw Error({"a fill value other than 0 is not read", fill.where(), fmt::format("{}", value[0]), "0",
                             "Subtract it first: save x - x.fill_value."});
        });
    }

    void begin(Count entries, std::uint64_t moreBytes, const ArrayReader& values)
    {
        requireNumbers(values);
        if (entries > kernels::maxEntries)
            refuse("too many entries", fmt::format("{}", entries), fmt::format("at most {}", kernels::maxEntries));
        MemoryBudget(m_options.memoryLimit).require(entries * (m_dims.size() * sizeof(Index) + sizeof(double)) + moreBytes);
        m_loaded.tensor = kernels::SparseTensor(m_dims, entries, !values.header().fitsFloat());
        m_progress.begin("reading", entries * values.header().itemBytes + moreBytes);
    }

    double finite(double value, const ArrayReader& array, std::uint64_t element) const
    {
        if (!std::isfinite(value))
            throw Error({"value is not finite", elementOf(array, element), fmt::format("{}", value), "a finite number",
                         "Leave missing entries out."});
        return value;
    }

    /// As many values as entries, in the same order.
    void readValues(ArrayReader& array)
    {
        std::visit(
            [&](auto& values) {
                using Value = typename std::decay_t<decltype(values)>::value_type;
                array.doubles(m_progress, [&](std::uint64_t at, std::span<const double> numbers) {
                    for (std::size_t i = 0; i < numbers.size(); ++i)
                        values[at + i] = static_cast<Value>(finite(numbers[i], array, at + i));
                });
            },
            m_loaded.tensor.values);
        if (array.header().kind != NumberKind::Floating)
            integersAsFloats(m_loaded.tensor.values);
    }

    // --- Coordinates ---

    template <class List> const std::string* firstOf(const List& accepted) const
    {
        for (const char* name : accepted) {
            const auto it = std::find_if(m_archive.names().begin(), m_archive.names().end(),
                                         [&](const std::string& there) { return lowerCase(there) == name; });
            if (it != m_archive.names().end())
                return &*it;
        }
        return nullptr;
    }

    /// Two dimensions of indices, and values in one line.
    bool isIndexMatrixOf(const std::string& indices, const std::string& values) const
    {
        const ArrayHeader header = m_archive.open(values).header();
        const auto longer = std::count_if(header.shape.begin(), header.shape.end(), [](std::uint64_t size) { return size != 1; });
        return m_archive.open(indices).header().shape.size() == 2 && longer <= 1;
    }

    bool readCoordinates()
    {
        const bool rowAndColumn = m_archive.has("row") && m_archive.has("col");
        const std::string* const indices = rowAndColumn ? nullptr : firstOf(indexNames);
        const std::string* const values = firstOf(valueNames);
        if (!values || (!indices && !rowAndColumn))
            return false;
        if (!isFromLibrary() && indices && !isIndexMatrixOf(*indices, *values))
            return false; // data that has indices as well, for some purpose
        if (const std::string* shape = m_dims.empty() ? firstOf(shapeNames) : nullptr)
            sizesIn(*shape);
        requireNoFill();
        if (m_loaded.report.layout.empty())
            m_loaded.report.layout = m_archive.has("fill_value")
                ? "NumPy archive, pydata/sparse COO"
                : fmt::format("NumPy archive, {} and {}", indices ? *indices : "row, col", *values);
        ArrayReader data = m_archive.open(*values);
        const Count entries = data.header().elements;
        if (indices)
            readIndexMatrix(m_archive.open(*indices), lowerCase(*indices) == "subs", entries, data);
        else
            readRowAndColumn(entries, data);
        readValues(data);
        return true;
    }

    void readRowAndColumn(Count entries, const ArrayReader& data)
    {
        takeOrder(2);
        begin(entries, 0, data);
        for (const unsigned n : {0u, 1u}) {
            ArrayReader array = m_archive.open(n == 0 ? "row" : "col");
            requireNumbers(array);
            if (array.header().elements != entries)
                throw Error({"indices and values differ in number",
                             array.where(),
                             fmt::format("{}", array.header().elements),
                             fmt::format("{}", entries),
                             {}});
            array.wholes(m_progress, [&](std::uint64_t at, std::span<const std::int64_t> wholes) {
                for (std::size_t i = 0; i < wholes.size(); ++i)
                    setIndex(n, at + i, wholes[i], array, at + i);
            });
        }
        subtractBase();
        setSizes();
    }

    /// [N, nnz] or [nnz, N]: the axis as long as the values counts entries.
    void readIndexMatrix(ArrayReader array, bool entriesFirstIfSquare, Count entries, const ArrayReader& data)
    {
        requireNumbers(array);
        if (array.header().shape.size() != 2)
            throw Error({"has another rank than an index array", array.where(), shapeText(array.header().shape), "modes x entries", {}});
        const std::vector<std::uint64_t>& shape = array.header().shape;
        const bool first = !isFromLibrary() && shape[0] == entries, second = shape[1] == entries;
        if (!first && !second)
            throw Error({"indices and values differ in number",
                         array.where(),
                         fmt::format("{} indices, {} values", shapeText(shape), entries),
                         "one axis as long as the values",
                         {}});
        const bool entriesFirst = first && (!second || entriesFirstIfSquare);
        const unsigned order = checkedOrder(shape[entriesFirst ? 1 : 0], array.where());
        takeOrder(order);
        begin(entries, entries * order * array.header().itemBytes, data);
        const bool entryByEntry = entriesFirst != array.header().fortranOrder;
        array.wholes(m_progress, [&](std::uint64_t at, std::span<const std::int64_t> wholes) {
            for (const std::int64_t whole : wholes) {
                const Count entry = entryByEntry ? at / order : at % entries;
                setIndex(static_cast<unsigned>(entryByEntry ? at % order : at / entries), entry, whole, array, at);
                ++at;
            }
        });
        subtractBase();
        setSizes();
    }

    void takeOrder(unsigned order)
    {
        if (m_dims.empty())
            m_dims.assign(order, 1);
        else if (m_dims.size() != order)
            refuse("shape and indices differ in order", fmt::format("{} sizes, {} modes", m_dims.size(), order), "as many sizes as modes");
        m_largest.assign(order, 0);
        m_anyZero = false;
    }

    /// scipy or pydata wrote it: indices are [N, nnz] and count from 0.
    bool isFromLibrary() const { return m_archive.has("fill_value") || m_archive.has("format"); }
    Index base() const { return m_options.indexBase == IndexBase::One && !isFromLibrary() ? 1 : 0; }

    void setIndex(unsigned mode, Count entry, std::int64_t index, const ArrayReader& array, std::uint64_t element)
    {
        checkIndex(index, m_declared ? std::uint64_t{m_dims[mode]} + base() : anySize, array, element);
        m_anyZero = m_anyZero || index == 0;
        m_largest[mode] = std::max(m_largest[mode], static_cast<Index>(index));
        m_loaded.tensor.indices[mode][entry] = static_cast<Index>(index);
    }

    void subtractBase()
    {
        if (base() == 0)
            return;
        if (m_anyZero)
            refuse("an index is 0", "0", "at least 1, because indices count from 1 as asked for");
        m_loaded.report.indexBase = "1: as asked for";
        for (auto& indices : m_loaded.tensor.indices)
            for (Index& index : indices)
                --index;
        for (Index& largest : m_largest)
            largest -= largest != 0;
    }

    void setSizes()
    {
        if (m_declared)
            return;
        if (m_loaded.tensor.entries() == 0)
            refuse("holds no entries and no shape", {}, "at least one of them");
        for (unsigned n = 0; n < m_largest.size(); ++n)
            m_loaded.tensor.modes[n].size = m_largest[n] + 1;
    }

    // --- Compressed rows ---

    std::vector<std::uint64_t> sizesOf(const std::vector<unsigned>& axes) const
    {
        std::vector<std::uint64_t> sizes;
        for (const unsigned axis : axes)
            sizes.push_back(m_dims[axis]);
        return sizes;
    }

    /// Where the entries of each row begin, and the end of the last.
    std::vector<std::uint64_t> readPointers(std::uint64_t rows, std::uint64_t entries)
    {
        ArrayReader array = m_archive.open("indptr");
        requireNumbers(array);
        if (array.header().elements != rows + 1)
            throw Error({"another number of pointers than rows or columns and one",
                         array.where(),
                         fmt::format("{}", array.header().elements),
                         fmt::format("{}", rows + 1),
                         {}});
        MemoryBudget(m_options.memoryLimit).require((rows + 1) * sizeof(std::uint64_t));
        std::vector<std::uint64_t> pointers;
        pointers.reserve(rows + 1);
        array.wholes(m_progress, [&](std::uint64_t at, std::span<const std::int64_t> wholes) {
            for (const std::int64_t whole : wholes) {
                addPointer(pointers, whole, entries, [&] { return elementOf(array, at); });
                ++at;
            }
        });
        if (pointers.back() != entries)
            throw Error({"pointers do not end at the number of entries",
                         array.where(),
                         fmt::format("{}", pointers.back()),
                         fmt::format("{}", entries),
                         {}});
        return pointers;
    }

    /// Writes a position counted over several modes, the last one fastest.
    void setIndices(const std::vector<unsigned>& axes, Count entry, std::uint64_t position)
    {
        for (std::size_t k = axes.size(); k-- > 1; position /= m_dims[axes[k]])
            m_loaded.tensor.indices[axes[k]][entry] = static_cast<Index>(position % m_dims[axes[k]]);
        if (!axes.empty())
            m_loaded.tensor.indices[axes[0]][entry] = static_cast<Index>(position);
    }

    void readCompressed(const std::vector<unsigned>& rowAxes, const std::vector<unsigned>& columnAxes)
    {
        ArrayReader data = m_archive.open("data"), indices = m_archive.open("indices");
        requireNumbers(indices);
        const Count entries = data.header().elements;
        if (indices.header().elements != entries)
            throw Error({"indices and values differ in number",
                         indices.where(),
                         fmt::format("{}", indices.header().elements),
                         fmt::format("{}", entries),
                         {}});
        const std::uint64_t rows = product(sizesOf(rowAxes), m_archive.fileName()),
                            columns = product(sizesOf(columnAxes), m_archive.fileName());
        const std::vector<std::uint64_t> pointers = readPointers(rows, entries);
        begin(entries, pointers.size() * sizeof(std::uint64_t), data);
        for (std::uint64_t row = 0; row < rows; ++row)
            for (Count e = pointers[row]; e < pointers[row + 1]; ++e)
                setIndices(rowAxes, e, row);
        indices.wholes(m_progress, [&](std::uint64_t at, std::span<const std::int64_t> wholes) {
            for (const std::int64_t column : wholes) {
                checkIndex(column, columns, indices, at);
                setIndices(columnAxes, at++, static_cast<std::uint64_t>(column));
            }
        });
        readValues(data);
    }

    /// scipy's BSR: each entry of the compressed rows is a small dense block.
    void readBlocks()
    {
        ArrayReader data = m_archive.open("data"), indices = m_archive.open("indices");
        requireNumbers(indices);
        const std::vector<std::uint64_t>& shape = data.header().shape;
        const std::uint64_t blocks = indices.header().elements;
        if (shape.size() != 3 || shape[0] != blocks || shape[1] == 0 || shape[2] == 0 || m_dims[0] % shape[1] != 0
            || m_dims[1] % shape[2] != 0 || data.header().fortranOrder)
            throw Error({"its blocks do not fit the matrix", data.where(), shapeText(shape),
                         fmt::format("{} blocks whose sizes divide {} x {}", blocks, m_dims[0], m_dims[1]),
                         "Save matrix.tocoo() instead."});
        const std::uint64_t height = shape[1], width = shape[2], rows = m_dims[0] / height, columns = m_dims[1] / width;
        const std::vector<std::uint64_t> pointers = readPointers(rows, blocks);
        begin(data.header().elements, pointers.size() * sizeof(std::uint64_t), data);
        auto& toRow = m_loaded.tensor.indices[0];
        auto& toColumn = m_loaded.tensor.indices[1];
        for (std::uint64_t row = 0; row < rows; ++row)
            for (Count e = pointers[row] * height * width; e < pointers[row + 1] * height * width; ++e)
                toRow[e] = static_cast<Index>(row * height + e / width % height);
        indices.wholes(m_progress, [&](std::uint64_t at, std::span<const std::int64_t> wholes) {
            for (const std::int64_t column : wholes) {
                checkIndex(column, columns, indices, at);
                for (Count e = at * height * width; e < (at + 1) * height * width; ++e)
                    toColumn[e] = static_cast<Index>(static_cast<std::uint64_t>(column) * width + e % width);
                ++at;
            }
        });
        readValues(data);
        m_loaded.report.notes.push_back("A matrix of blocks stores zeros in them. Leave them out by dropping zeros.");
    }

    /// scipy's DIA: a row of values for each diagonal. As in scipy, zeros in it are no entries.
    void readDiagonals()
    {
        if (!m_archive.has("offsets"))
            refuse("this dia matrix lacks a part", {}, "offsets");
        ArrayReader data = m_archive.open("data"), offsets = m_archive.open("offsets");
        requireNumbers(offsets);
        requireNumbers(data);
        const std::vector<std::uint64_t>& shape = data.header().shape;
        if (shape.size() != 2 || shape[0] != offsets.header().elements)
            throw Error({"another number of diagonals than offsets",
                         data.where(),
                         shapeText(shape),
                         fmt::format("{} rows", offsets.header().elements),
                         {}});
        begin(data.header().elements, offsets.header().elements * sizeof(std::int64_t), data);
        std::vector<std::int64_t> diagonals;
        offsets.wholes(m_progress, [&](std::uint64_t, std::span<const std::int64_t> wholes) {
            diagonals.insert(diagonals.end(), wholes.begin(), wholes.end());
        });
        Count entries = 0;
        data.doubles(m_progress, [&](std::uint64_t at, std::span<const double> numbers) {
            for (const double number : numbers) {
                const std::uint64_t k = data.header().fortranOrder ? at % shape[0] : at / shape[1];
                const std::uint64_t column = data.header().fortranOrder ? at / shape[0] : at % shape[1];
                ++at;
                const std::int64_t offset = diagonals[k];
                if (number == 0 || column >= m_dims[1] || offset > static_cast<std::int64_t>(column)
                    || offset < -std::int64_t{std::numeric_limits<Index>::max()})
                    continue;
                const auto row = static_cast<std::uint64_t>(static_cast<std::int64_t>(column) - offset);
                if (row >= m_dims[0])
                    continue;
                m_loaded.tensor.indices[0][entries] = static_cast<Index>(row);
                m_loaded.tensor.indices[1][entries] = static_cast<Index>(column);
                m_loaded.tensor.setValue(entries++, finite(number, data, at - 1));
            }
        });
        m_loaded.tensor.resize(entries);
        if (data.header().kind != NumberKind::Floating)
            integersAsFloats(m_loaded.tensor.values);
    }

    const Archive& m_archive;
    const std::string& m_path;
    const ReadOptions& m_options;
    kernels::Progress& m_progress;
    std::vector<Index> m_dims, m_largest;
    bool m_declared = false, m_anyZero = false;
    LoadedTensor m_loaded;
};

} // namespace

std::optional<LoadedTensor> readSparse(const Archive& archive, const std::string& path, const ReadOptions& options,
                                       kernels::Progress& progress)
{
    return SparseReader(archive, path, options, progress).read();
}

} // namespace io::numpy
