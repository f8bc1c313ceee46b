// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_tensor/entries.h"

#include "io/error.h"
#include "io/hdf5_tensor/index_rows.h"
#include "io/hdf5_tensor/layouts.h"
#include "io/hdf5_tensor/levels.h"
#include "io/memory_budget.h"
#include "kernels/base/chunks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace io::hdf5_tensor {
namespace {

using hdf5::CheckedDataset;
using hdf5::NumberClass;
using kernels::Count;
using kernels::Index;

constexpr std::uint64_t slabBytes = std::uint64_t{96} << 20; ///< buffers of one slab, generously
constexpr std::uint64_t tableRows = std::uint64_t{1} << 20; ///< rows of a table read at once, unless a chunk has more
constexpr Count elementsPerChunk = Count{1} << 16;
constexpr double exactFloat = 1 << 24; ///< whole numbers up to here are exact floats

/// Smallest and largest index of a mode, as stored.
struct Range {
    Index smallest = std::numeric_limits<Index>::max();
    Index largest = 0;

    void include(const Index* begin, const Index* end)
    {
        const Range found = tbb::parallel_reduce(
            tbb::blocked_range<const Index*>(begin, end, elementsPerChunk), *this,
            [](const tbb::blocked_range<const Index*>& part, Range range) {
                for (const Index* p = part.begin(); p != part.end(); ++p) {
                    range.smallest = std::min(range.smallest, *p);
                    range.largest = std::max(range.largest, *p);
                }
                return range;
            },
            [](Range a, const Range& b) {
                return Range{std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
            });
        *this = found;
    }
};

/// Whether all of them have a property, found by all cores.
template <class Body> bool forAll(Count count, const Body& hasIt)
{
    std::atomic<bool> all{true};
    kernels::forEachChunk(count, elementsPerChunk, nullptr, [&](Count, Count begin, Count end) {
        bool has = true;
        for (Count e = begin; e < end; ++e)
            has = has && hasIt(e);
        if (!has)
            all.store(false, std::memory_order_relaxed);
    });
    return all;
}

class EntryReader {
public:
    EntryReader(hdf5::Session& session, const Parts& parts, const ReadOptions& options, kernels::Progress& progress)
        : m_session(session)
        , m_parts(parts)
        , m_options(options)
        , m_progress(progress)
        , m_ranges(parts.order)
    {
    }

    LoadedTensor read()
    {
        checkParts();
        MemoryBudget(m_options.memoryLimit).require(m_parts.entries * (m_parts.order * sizeof(Index) + valueBytes()) + bufferBytes());
        m_progress.begin("reading", storedBytes());
        m_tensor = kernels::SparseTensor(std::vector<Index>(m_parts.order, 1), m_parts.entries, valueBytes() == sizeof(double));
        if (m_parts.table)
            readTable();
        else if (m_parts.matrix)
            readMatrix();
        else if (!m_parts.levels.empty())
            expandLevels();
        else
            readPerMode();
        if (!m_parts.table)
            readValues();
        const std::vector<Index> base = decideBases();
        subtract(base);
        setSizes(base);
        m_loaded.report.formatId = "hdf5";
        m_loaded.report.layout = m_parts.layout;
        m_loaded.tensor = std::move(m_tensor);
        return std::move(m_loaded);
    }

private:
    [[noreturn]] void refuse(const std::string& message, const std::string& found, const std::string& expected) const
    {
        throw Error({message, m_parts.where, found, expected, {}});
    }

    void checkParts() const
    {
        const Count entries = m_parts.entries;
        if (entries > kernels::maxEntries)
            refuse("too many entries", fmt::format("{}", entries), fmt::format("at most {}", kernels::maxEntries));
        if (m_parts.dims && m_parts.dims->size() != m_parts.order)
            refuse("shape and indices differ in order", fmt::format("{} sizes, {} modes", m_parts.dims->size(), m_parts.order),
                   "as many sizes as modes");
        if (entries == 0 && !m_parts.dims)
            refuse("holds no entries and no shape", {}, "at least one of them");
        if (m_parts.table)
            return; // one dataset cannot contradict itself
        for (const CheckedDataset& set : m_parts.perMode) {
            if (set.elements != entries)
                throw Error({"indices and values differ in number",
                             set.where,
                             fmt::format("{} indices", set.elements),
                             fmt::format("{}", entries),
                             {}});
            checkNumbers(set);
        }
        if (m_parts.matrix)
            checkNumbers(*m_parts.matrix);
        checkNumbers(m_parts.values);
        const Count values = m_parts.oneValue ? 1 : entries;
        if (m_parts.values.elements != values)
            throw Error({"another number of values than declared",
                         m_parts.values.where,
                         fmt::format("{}", m_parts.values.elements),
                         fmt::format("{}", values),
                         {}});
    }

    static void checkNumbers(const CheckedDataset& set)
    {
        if (set.numbers == NumberClass::Other)
            throw Error({"holds no real numbers", set.where, {}, "integers or floats", {}});
    }

    /// 8 for doubles and for integers a float may not hold.
    std::size_t valueBytes() const
    {
        if (m_parts.table)
            return m_parts.tableValueBytes <= sizeof(float) ? sizeof(float) : sizeof(double);
        const bool small = m_parts.values.numbers == NumberClass::Floating ? m_parts.values.elementBytes <= sizeof(float)
                                                                           : m_parts.values.elementBytes <= 2;
        return small ? sizeof(float) : sizeof(double);
    }

    /// Rows of a table become doubles, at least a chunk of them at once.
    std::uint64_t bufferBytes() const
    {
        if (!m_parts.table)
            return slabBytes + workBytesOfLevels(m_parts);
        const std::uint64_t chunkRows = m_parts.table->chunk.empty() ? 1 : m_parts.table->chunk[0];
        const std::uint64_t rows = std::min(m_parts.entries, std::max<std::uint64_t>(chunkRows, tableRows));
        return rows * (m_parts.order + 1) * sizeof(double);
    }

    std::uint64_t storedBytes() const
    {
        if (m_parts.table)
            return m_parts.table->elements * m_parts.table->elementBytes;
        std::uint64_t bytes = m_parts.values.elements * m_parts.values.elementBytes + storedBytesOfLevels(m_parts);
        for (const CheckedDataset& set : m_parts.perMode)
            bytes += set.elements * set.elementBytes;
        return m_parts.matrix ? bytes + m_parts.matrix->elements * m_parts.matrix->elementBytes : bytes;
    }

    void readPerMode()
    {
        for (unsigned k = 0; k < m_parts.order; ++k) {
            const CheckedDataset& set = m_parts.perMode[k];
            const unsigned mode = m_parts.modeOf[k];
            const hsize_t rows = set.dims.empty() || set.dims[0] == 0 ? 1 : set.dims[0];
            const hsize_t across = std::max<hsize_t>(1, set.elements / rows);
            hdf5::forEachSlab(m_session, set, &m_progress, [&](hsize_t row, hsize_t count) {
                Index* const to = m_tensor.indices[mode].data() + row * across;
                readIndexRows(set, row, count, count * across, to);
                m_ranges[mode].include(to, to + count * across);
            });
        }
    }

    void expandLevels()
    {
        readLevels(m_session, m_parts, m_progress, m_tensor);
        for (unsigned n = 0; n < m_parts.order; ++n)
            m_ranges[n].include(m_tensor.indices[n].data(), m_tensor.indices[n].data() + m_parts.entries);
    }

    void readMatrix()
    {
        if (m_parts.matrix->numbers == NumberClass::Floating)
            readMatrixAs<double>();
        else
            readMatrixAs<std::int64_t>();
    }

    template <class T> void readMatrixAs()
    {
        const CheckedDataset& set = *m_parts.matrix;
        const std::size_t axis = m_parts.entriesFirst ? 0 : 1;
        kernels::Array<T> stored;
        hdf5::forEachSlab(
            m_session, set, &m_progress,
            [&](hsize_t begin, hsize_t count) {
                std::vector<hsize_t> start{0, 0}, counts = set.dims;
                start[axis] = begin;
                counts[axis] = count;
                stored.resize(count * m_parts.order);
                hdf5::readBox(set, start, counts, stored.data());
                for (unsigned n = 0; n < m_parts.order; ++n) {
                    Index* const to = m_tensor.indices[n].data() + begin;
                    for (hsize_t i = 0; i < count; ++i)
                        to[i] = toIndex(stored[m_parts.entriesFirst ? i * m_parts.order + n : n * count + i], set, begin + i);
                    m_ranges[n].include(to, to + count);
                }
            },
            axis);
    }

    void readTable()
    {
        kernels::Array<double> rows;
        std::visit(
            [&](auto& values) {
                hdf5::forEachSlab(m_session, *m_parts.table, &m_progress, [&](hsize_t row, hsize_t count) {
                    rows.resize(count * (m_parts.order + 1));
                    readTableRows(m_parts, row, count, rows.data());
                    takeRows(rows.data(), row, count, values);
                });
            },
            m_tensor.values);
        warnOfRoundedIndices();
    }

    template <class Value> void takeRows(const double* rows, hsize_t row, hsize_t count, kernels::Array<Value>& values)
    {
        const CheckedDataset& set = *m_parts.table;
        const unsigned columns = m_parts.order + 1;
        for (unsigned n = 0; n < m_parts.order; ++n) {
            Index* const to = m_tensor.indices[n].data() + row;
            for (hsize_t i = 0; i < count; ++i) {
                const double stored = rows[i * columns + n];
                if (stored != std::floor(stored))
                    throw Error({fmt::format("column {} is not a column of indices", n + 1),
                                 entryOf(set, row + i),
                                 fmt::format("{}", stored),
                                 "whole numbers in all columns but the last",
                                 {}});
                to[i] = toIndex(stored, set, row + i);
            }
            m_ranges[n].include(to, to + count);
        }
        for (hsize_t i = 0; i < count; ++i)
            values[row + i] = static_cast<Value>(finite(rows[i * columns + m_parts.order], set, row + i));
    }

    /// Floats of 32 bits count to 2^24 without gaps, those of 16 bits to 2^11.
    void warnOfRoundedIndices()
    {
        const CheckedDataset& set = *m_parts.table;
        if (set.numbers != NumberClass::Floating || set.elementBytes > sizeof(float))
            return;
        const double most = set.elementBytes < sizeof(float) ? 0x1p11 : exactFloat;
        if (std::any_of(m_ranges.begin(), m_ranges.end(), [most](const Range& range) { return range.largest >= most; }))
            m_loaded.report.warnings.push_back(fmt::format(
                "Indices from {} on may have been rounded when they were stored as floats of {} bits.", most, set.elementBytes * 8));
    }

    static double finite(double value, const CheckedDataset& set, Count entry)
    {
        if (!std::isfinite(value))
            throw Error(
                {"value is not finite", entryOf(set, entry), fmt::format("{}", value), "a finite number", "Leave missing entries out."});
        return value;
    }

    void readValues()
    {
        const CheckedDataset& set = m_parts.values;
        const bool integers = set.numbers != NumberClass::Floating;
        bool exact = integers; // all fit floats
        std::visit(
            [&](auto& values) {
                using Value = typename std::decay_t<decltype(values)>::value_type;
                if (m_parts.oneValue) {
                    Value value{};
                    hdf5::readBox(set, std::vector<hsize_t>(set.dims.size(), 0), set.dims, &value);
                    std::fill(values.begin(), values.end(), value);
                } else
                    hdf5::readArray(m_session, set, values.data(), &m_progress);
                const bool allFinite = forAll(values.size(), [&](Count e) { return std::isfinite(values[e]); });
                for (Count e = 0; e < values.size() && !allFinite; ++e)
                    finite(values[e], set, m_parts.oneValue ? 0 : e); // finds the first
                exact = exact && forAll(values.size(), [&](Count e) { return std::abs(values[e]) <= static_cast<Value>(exactFloat); });
            },
            m_tensor.values);
        if (auto* doubles = std::get_if<kernels::Array<double>>(&m_tensor.values); doubles && exact) {
            kernels::Array<float> floats(doubles->size());
            std::transform(doubles->begin(), doubles->end(), floats.begin(), [](double value) { return static_cast<float>(value); });
            m_tensor.values = std::move(floats);
        }
    }

    bool anyZero() const
    {
        return std::any_of(m_ranges.begin(), m_ranges.end(), [](const Range& range) { return range.smallest == 0; });
    }

    /// An index equal to the size of its mode: it cannot count from 0.
    bool anyFull() const
    {
        for (unsigned n = 0; m_parts.dims && n < m_parts.order; ++n) {
            if (m_parts.entries && m_ranges[n].largest == (*m_parts.dims)[n])
                return true;
        }
        return false;
    }

    std::vector<Index> same(Index base, const std::string& reason)
    {
        m_loaded.report.indexBase = fmt::format("{}: {}", base, reason);
        return std::vector<Index>(m_parts.order, base);
    }

    std::vector<Index> decideBases()
    {
        if (m_parts.baseIsCertain) {
            if (m_options.indexBase == IndexBase::One)
                m_loaded.report.warnings.push_back("The file's format counts indices from 0; the index base asked for was not taken.");
            return same(m_parts.base, m_parts.baseReason);
        }
        switch (m_options.indexBase) {
        case IndexBase::Zero:
            return same(0, "as asked for");
        case IndexBase::One:
            return same(1, "as asked for");
        case IndexBase::PerMode:
            return perMode();
        case IndexBase::Auto:
            break;
        }
        if (m_parts.base == 1 && anyZero())
            return contradicted(0, "an index 0 occurs");
        if (m_parts.base == 0 && anyFull() && !anyZero())
            return contradicted(1, "an index equals the size of its mode");
        return same(m_parts.base, m_parts.baseReason);
    }

    std::vector<Index> contradicted(Index base, const std::string& reason)
    {
        m_loaded.report.notes.push_back(fmt::format("Indices were taken to count from {}, because {}.", base, reason));
        return same(base, reason);
    }

    std::vector<Index> perMode()
    {
        std::vector<Index> base;
        for (const Range& range : m_ranges)
            base.push_back(range.smallest == 0 ? 0 : 1);
        m_loaded.report.indexBase = fmt::format("per mode: {}", fmt::join(base, ", "));
        return base;
    }

    void subtract(const std::vector<Index>& base)
    {
        for (unsigned n = 0; n < m_parts.order; ++n) {
            if (base[n] == 0)
                continue;
            if (m_parts.entries && m_ranges[n].smallest == 0)
                refuse(fmt::format("an index of mode {} is 0", n + 1), "0", "at least 1, because indices count from 1");
            Index* const indices = m_tensor.indices[n].data();
            kernels::forEachChunk(m_parts.entries, elementsPerChunk, nullptr, [indices](Count, Count begin, Count end) {
                for (Count e = begin; e < end; ++e)
                    --indices[e];
            });
        }
    }

    void setSizes(const std::vector<Index>& base)
    {
        for (unsigned n = 0; n < m_parts.order; ++n) {
            const std::uint64_t needed = m_parts.entries ? std::uint64_t{m_ranges[n].largest} + 1 - base[n] : 1;
            const std::uint64_t given = n < m_options.dims.size() ? m_options.dims[n] : largestIndex;
            const std::uint64_t size = m_parts.dims ? (*m_parts.dims)[n] : needed;
            if (needed > std::min(m_parts.dims ? size : given, largestIndex))
                refuse(fmt::format("an index of mode {} is past the declared size", n + 1), fmt::format("index {} (from 0)", needed - 1),
                       fmt::format("less than {}", m_parts.dims ? size : given));
            m_tensor.modes[n].size = static_cast<Index>(size);
        }
    }

    hdf5::Session& m_session;
    const Parts& m_parts;
    const ReadOptions& m_options;
    kernels::Progress& m_progress;
    std::vector<Range> m_ranges;
    kernels::SparseTensor m_tensor;
    LoadedTensor m_loaded;
};

} // namespace

LoadedTensor readEntries(hdf5::Session& session, const Parts& parts, const ReadOptions& options, kernels::Progress& progress)
{
    return EntryReader(session, parts, options, progress).read();
}

} // namespace io::hdf5_tensor
