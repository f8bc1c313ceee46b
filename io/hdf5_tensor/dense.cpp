// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/finish_load.h"
#include "io/hdf5_tensor/layouts.h"
#include "io/memory_budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace io::hdf5_tensor {
namespace {

using hdf5::CheckedDataset;
using hdf5::NumberClass;
using kernels::Count;
using kernels::Index;

constexpr std::uint64_t boxElements = std::uint64_t{1} << 20;
constexpr double exactFloat = 1 << 24; ///< whole numbers up to here are exact floats

enum class Order { Stored, Matlab }; ///< MATLAB's is the other way round

std::vector<Index> denseDims(const CheckedDataset& set, Order order)
{
    if (order == Order::Stored && set.dims.size() < 3)
        throw Error({"is no dense tensor", set.where, fmt::format("rank {}", set.dims.size()), "3 or more dimensions",
                     set.dims.size() == 2 ? "Two dimensions are read as a table of entries (--layout table)." : ""});
    if (set.numbers == NumberClass::Other)
        throw Error({"holds no real numbers", set.where, {}, "integers or floats", {}});
    return checkedDims({set.dims.begin(), set.dims.end()}, set.where);
}

/// A box of whole chunks (or of single elements), widened from the last dimension on while it stays small.
std::vector<hsize_t> boxOf(const CheckedDataset& set)
{
    std::vector<hsize_t> box = set.chunk.empty() ? std::vector<hsize_t>(set.dims.size(), 1) : set.chunk;
    std::uint64_t elements = 1;
    for (std::size_t n = 0; n < box.size(); ++n) {
        box[n] = std::min(box[n], set.dims[n]);
        elements *= box[n];
    }
    for (std::size_t n = box.size(); n-- > 0;) {
        const std::uint64_t others = elements / box[n];
        const hsize_t times = std::max<hsize_t>(1, boxElements / elements);
        box[n] = std::min(set.dims[n], box[n] * times);
        elements = others * box[n];
    }
    return box;
}

std::uint64_t product(const std::vector<hsize_t>& sizes)
{
    std::uint64_t elements = 1;
    for (const hsize_t size : sizes)
        elements *= size;
    return elements;
}

/// Moves `at` on by `step` with the last dimension fastest; false at the end.
bool next(std::vector<hsize_t>& at, const std::vector<hsize_t>& step, const std::vector<hsize_t>& end)
{
    for (std::size_t n = at.size(); n-- > 0;) {
        at[n] += step[n];
        if (at[n] < end[n])
            return true;
        at[n] = 0;
    }
    return false;
}

/// Value: float where floats hold what is stored, else double.
template <class Value> class DenseReader {
public:
    DenseReader(hdf5::Session& session, const CheckedDataset& set, Order order, const ReadOptions& options, kernels::Progress& progress)
        : m_session(session)
        , m_set(set)
        , m_options(options)
        , m_progress(progress)
        , m_order(order)
        , m_dims(denseDims(set, order))
        , m_box(boxOf(set))
        , m_floating(set.numbers == NumberClass::Floating)
    {
    }

    LoadedTensor read()
    {
        const bool all = !m_floating && m_options.keepZeros;
        const std::uint64_t bufferBytes = product(m_box) * sizeof(Value);
        MemoryBudget(m_options.memoryLimit).require(bufferBytes);
        m_progress.begin("reading", m_set.elements * m_set.elementBytes * (all ? 1 : 2));
        Count entries = all ? m_set.elements : 0;
        if (!all)
            forEachValue([&](const std::vector<hsize_t>&, hsize_t, Value) { ++entries; }, true);
        if (entries > kernels::maxEntries)
            throw Error({"too many entries", m_set.where, fmt::format("{}", entries), fmt::format("at most {}", kernels::maxEntries), {}});
        MemoryBudget(m_options.memoryLimit).require(entries * (m_dims.size() * sizeof(Index) + sizeof(Value)) + bufferBytes);

        m_loaded.tensor = kernels::SparseTensor(m_dims, entries, sizeof(Value) == sizeof(double));
        fill(entries);
        report();
        if (m_order == Order::Matlab) {
            std::reverse(m_loaded.tensor.modes.begin(), m_loaded.tensor.modes.end());
            std::reverse(m_loaded.tensor.indices.begin(), m_loaded.tensor.indices.end());
        }
        return std::move(m_loaded);
    }

private:
    void fill(Count entries)
    {
        kernels::SparseTensor& tensor = m_loaded.tensor;
        auto& values = std::get<kernels::Array<Value>>(tensor.values);
        const std::size_t last = m_dims.size() - 1;
        Count e = 0;
        bool exact = !m_floating; // all fit floats
        forEachValue([&](const std::vector<hsize_t>& row, hsize_t column, Value value) {
            if (e == entries)
                throw Error({"changed while it was read", m_set.where, {}, {}, {}});
            for (std::size_t n = 0; n < last; ++n)
                tensor.indices[n][e] = static_cast<Index>(row[n]);
            tensor.indices[last][e] = static_cast<Index>(column);
            exact = exact && std::abs(value) <= static_cast<Value>(exactFloat);
            values[e++] = value;
        });
        if (e != entries)
            throw Error({"changed while it was read", m_set.where, {}, {}, {}});
        if (exact && sizeof(Value) == sizeof(double)) {
            kernels::Array<float> floats(values.size());
            std::transform(values.begin(), values.end(), floats.begin(), [](Value value) { return static_cast<float>(value); });
            tensor.values = std::move(floats);
        }
    }

    /// Calls body(row's position, column, value) for every element that is an entry. Counts what is left out once.
    template <class Body> void forEachValue(const Body& body, bool count = false)
    {
        kernels::Array<Value> stored(product(m_box));
        std::vector<hsize_t> start(m_dims.size(), 0);
        do {
            m_progress.throwIfCancelled();
            std::vector<hsize_t> size(m_box);
            for (std::size_t n = 0; n < size.size(); ++n)
                size[n] = std::min(size[n], m_set.dims[n] - start[n]);
            hdf5::readBox(m_set, start, size, stored.data());
            forEachInBox(start, size, stored.data(), body, count);
            m_progress.advance(product(size) * m_set.elementBytes);
            m_session.giveWay();
        } while (next(start, m_box, m_set.dims));
    }

    template <class Body>
    void forEachInBox(const std::vector<hsize_t>& start, const std::vector<hsize_t>& size, const Value* stored, const Body& body,
                      bool count)
    {
        std::vector<hsize_t> inBox(size.size(), 0), step(size.size(), 1), row(start);
        const hsize_t columns = step.back() = size.back();
        do {
            for (std::size_t n = 0; n + 1 < size.size(); ++n)
                row[n] = start[n] + inBox[n];
            for (hsize_t c = 0; c < columns; ++c) {
                const Value value = *stored++;
                if (isEntry(value, count))
                    body(row, start.back() + c, finite(value, row, start.back() + c));
            }
        } while (next(inBox, step, size));
    }

    bool isEntry(Value value, bool count)
    {
        const bool missing = std::isnan(value), dropped = value == 0 && !m_options.keepZeros;
        m_missing += count && missing;
        m_dropped += count && dropped;
        return !missing && !dropped;
    }

    Value finite(Value value, std::vector<hsize_t> position, hsize_t column) const
    {
        if (std::isfinite(value))
            return value;
        position.back() = column;
        throw Error({"value is not finite", fmt::format("{} element ({}) (from 0)", m_set.where, fmt::join(position, ", ")),
                     fmt::format("{}", value), "a finite number", "Mark missing elements by NaN."});
    }

    void report()
    {
        LoadReport& report = m_loaded.report;
        report.formatId = "hdf5";
        report.layout = fmt::format("{} of rank {}", m_order == Order::Matlab ? "MATLAB array" : "HDF5 dense array", m_dims.size());
        report.indexBase = "0: positions in a dense array";
        report.zerosDropped = m_dropped;
        if (m_missing)
            report.notes.push_back(
                counted(m_missing, "element is NaN and was taken as missing.", "elements are NaN and were taken as missing."));
        if (m_dropped)
            report.notes.push_back(counted(m_dropped, "zero was left out.", "zeros were left out."));
        if (m_set.matlab && m_order == Order::Stored)
            report.notes.push_back("MATLAB stores arrays with their dimensions reversed: its first one is the last mode here.");
        if (m_options.indexBase == IndexBase::One || m_options.indexBase == IndexBase::PerMode)
            report.warnings.push_back("A dense array stores no indices; the index base asked for was not taken.");
    }

    hdf5::Session& m_session;
    const CheckedDataset& m_set;
    const ReadOptions& m_options;
    kernels::Progress& m_progress;
    Order m_order;
    std::vector<Index> m_dims;
    std::vector<hsize_t> m_box; ///< read at once
    bool m_floating;
    Count m_missing = 0, m_dropped = 0;
    LoadedTensor m_loaded;
};

LoadedTensor readInOrder(hdf5::Session& session, const CheckedDataset& set, Order order, const ReadOptions& options,
                         kernels::Progress& progress)
{
    const bool small = set.numbers == NumberClass::Floating ? set.elementBytes <= sizeof(float) : set.elementBytes <= 2;
    return small ? DenseReader<float>(session, set, order, options, progress).read()
                 : DenseReader<double>(session, set, order, options, progress).read();
}

} // namespace

LoadedTensor readDense(hdf5::Session& session, const CheckedDataset& set, const ReadOptions& options, kernels::Progress& progress)
{
    return readInOrder(session, set, Order::Stored, options, progress);
}

LoadedTensor readMatlabArray(hdf5::Session& session, const CheckedDataset& set, const ReadOptions& options, kernels::Progress& progress)
{
    return readInOrder(session, set, Order::Matlab, options, progress);
}

bool isMatlabArray(const hdf5::Object& dataset, const std::string& where)
{
    if (!hdf5::isDataset(dataset) || !hdf5::hasAttribute(dataset.id(), "MATLAB_class"))
        return false;
    const auto kind = hdf5::textAttribute(dataset.id(), "MATLAB_class", where);
    constexpr std::array numbers{"double", "single", "logical", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};
    if (!kind || std::find(numbers.begin(), numbers.end(), *kind) == numbers.end())
        return false;
    const hdf5::Space space(H5Dget_space(dataset.id()));
    std::array<hsize_t, H5S_MAX_RANK> dims{};
    const int rank = H5Sget_simple_extent_dims(space.id(), dims.data(), nullptr);
    return rank > 0 && std::count_if(dims.begin(), dims.begin() + rank, [](hsize_t size) { return size != 1; }) > 1;
}

} // namespace io::hdf5_tensor
